"""`quorate report`: what the ledger's deliberations came to, what they cost, and who stayed silent."""

from typing import TYPE_CHECKING

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.record_list import since
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import put_file, say, say_json

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.offline.ledger_report import LedgerReport

__all__ = ["report"]


@click.command(epilog="\b\nExamples:\n  quorate report --since 7d\n  quorate report --html report.html")
@since
@click.option("--html", metavar="FILE", help="Write an HTML page with tables and charts; it needs no other file.")
@options.ledger
@options.as_json
def report(ledger: str | None, html: str | None, *, as_json: bool, begun: str | None) -> int:
    """Summarise what is recorded: outcomes, agreement, cost.

    For each protocol: how many deliberations there were, how many were decided, how often all votes agreed, and how
    often a person decided otherwise. Calls, tokens and price for each model and each seat. Missing answers by
    reason. Imported records are not counted.
    """
    from quorate.offline.ledger_report import report_ledger

    async def work(held: "Ledger") -> "LedgerReport":
        return await report_ledger(held, begun)

    found = with_ledger(ledger, work)
    if html is not None:
        put_file(found.html().encode(), html)
    elif as_json:
        say_json(found.document())
    else:
        for line in found.lines():
            say(line)
    return DONE
