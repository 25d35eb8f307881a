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
    from quorate.service.lab import LearningReport
    from quorate.service.reports import LedgerReport

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
    reason. What the past teaches: what the discussion changed, whose errors go together, and what counting seats by
    their past would have changed; this needs numpy. Imported records are not counted.
    """
    from quorate.service.reports import report_ledger

    async def work(held: "Ledger") -> "LedgerReport":
        return await report_ledger(held, begun)

    found, learned = with_ledger(ledger, work), _learned(ledger, begun)
    taught = list(learned.lines()) if learned is not None else []
    if html is not None:
        put_file(found.html(taught).encode(), html)
    elif as_json:
        say_json({**found.document(), "learned": learned.document() if learned is not None else None})
    else:
        for line in (
            *found.lines(),
            *(("", "What the past teaches") if taught else ()),
            *(f"  {one}" for one in taught),
        ):
            say(line)
    return DONE


def _learned(ledger: str | None, begun: str | None) -> "LearningReport | None":
    """What the past teaches; nothing where there is none, or without numpy."""
    from importlib.util import find_spec

    from quorate.doors.cli.past_figures import learned_decisions

    if find_spec("numpy") is None:
        return None
    decisions = learned_decisions(ledger, lambda one: begun is None or one.begun >= begun)
    if not decisions:
        return None
    from quorate.service.lab import learn_from

    return learn_from(decisions)
