"""`quorate outcome`: what turned out right."""

from typing import TYPE_CHECKING

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.past_figures import learned_document
from quorate.doors.cli.records import ledger_path, whole_id, with_ledger
from quorate.doors.cli.screen import account, note, one_line, say, say_json

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.views import Record

__all__ = ["outcome"]


@click.command(
    epilog="""\b
Examples:
  quorate outcome last REFUSE
  quorate outcome 01hq "Kafka" --by "Ann Lee" --because "It ran for a year." """.rstrip()
)
@click.argument("id_", metavar="ID", shell_complete=options.complete_ids)
@click.argument("value")
@click.option("--by", metavar="NAME", default="", help="Who says so. It stays in the record even after `forget`.")
@click.option("--because", metavar="TEXT", default="", help="How you know, in your own words.")
@options.ledger
@options.as_json
def outcome(id_: str, value: str, by: str, because: str, ledger: str | None, *, as_json: bool) -> int:  # noqa: PLR0913 - click's
    """Record what turned out right.

    VALUE is the outcome or option that was right after all. The verdict stays as it is; VALUE labels it, and
    `quorate seats` and `quorate report` learn from it how reliable each seat is. A later outcome supersedes an earlier
    one, and counts before a review. ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.model import Origin
    from quorate.service.records import verify_record
    from quorate.service.reviews import record_outcome
    from quorate.views.card import verdict_line
    from quorate.views.document import document
    from quorate.views.result import Result

    origin = Origin(interface="command", caller=account())

    async def work(held: "Ledger") -> "Record":
        return await record_outcome(held, await whole_id(held, id_), value, by=by, because=because, origin=origin)

    record = with_ledger(ledger, work)
    checked = verify_record(record)
    if as_json:
        say_json(document(record, checked.document(), learned_document(record, ledger_path(ledger))))
        return DONE
    result = Result.of(record)
    say(verdict_line(result))
    note(f"recorded: {one_line(result.outcomes[-1].value, 80)} turned out right")
    return DONE
