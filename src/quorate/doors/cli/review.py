"""`quorate review`: what waits for a person, and a person's word on a verdict."""

import sys
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.past_figures import learned_document
from quorate.doors.cli.record_list import say_list
from quorate.doors.cli.records import ledger_path, whole_id, with_ledger
from quorate.doors.cli.screen import account, confirm, note, one_line, say, say_json
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.model import Origin
    from quorate.service.record_list import ListedRecord
    from quorate.views import Record

__all__ = ["review"]


class ReviewOptions(TypedDict):
    """What `quorate review` was told."""

    outcome: str | None
    because: str | None
    by: str | None
    ledger: str | None
    as_json: bool


@click.command(
    epilog="""\b
Examples:
  quorate review list
  quorate review last --outcome REFUSE --by "Ann Lee" --because "The backup was never restored." """.rstrip()
)
@click.argument("what", metavar="ID|list", shell_complete=options.complete_ids_or("list"))
@click.option("--outcome", metavar="OUTCOME", help="Your decision: an outcome of the protocol, or an option on record.")
@click.option("--because", metavar="TEXT", help="Your reason, in your own words.")
@click.option("--by", metavar="NAME", help="Your name. It stays in the record even after `quorate forget`.")
@options.ledger
@options.as_json
def review(what: str, **wish: Unpack[ReviewOptions]) -> int:
    """Decide on a verdict yourself, as a person.

    `review list` shows what waits: verdicts that are undecided or that ask for a person. Your review is written
    beside the panel's verdict, which stays as it is, and all are shown. Typed and confirmed at a terminal it counts for
    --gate as you say; run by a script it can only make the gate stricter.
    ID may be `last`, or a beginning or end that only one id has.
    """
    if what == "list":
        return _list(wish["ledger"], as_json=wish["as_json"])
    outcome, because, by = wish["outcome"], wish["because"], wish["by"]
    if outcome is None or because is None or by is None:
        raise click.UsageError("a review needs --outcome, --because and --by; `quorate review list` shows what waits")
    from quorate.service.records import verify_record
    from quorate.service.reviews import review as reviewed
    from quorate.views.card import verdict_line
    from quorate.views.document import document
    from quorate.views.result import Result

    origin = _origin(f"Record {outcome} for {what}, as {by}?")

    async def work(held: "Ledger") -> "Record":
        id_ = await whole_id(held, what)
        return await reviewed(held, id_, outcome=outcome, by=by, because=because, origin=origin)

    record = with_ledger(wish["ledger"], work)
    checked = verify_record(record)
    if wish["as_json"]:
        say_json(document(record, checked.document(), learned_document(record, ledger_path(wish["ledger"]))))
    else:
        say(verdict_line(Result.of(record)))
    if not origin.may_loosen:
        note("note: nobody confirmed this at a terminal, so at a gate it can only make the outcome stricter")
    return DONE


def _origin(question: str) -> "Origin":
    """How this review comes: typed and confirmed at a terminal, or by a command that may be a program's.

    Raises:
        BadSetting: the person at the terminal said no, or nothing.
    """
    from quorate.model import Origin

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return Origin(interface="command", caller=account())
    if not confirm(f"{one_line(question)} [y/N] "):
        raise BadSetting("nothing was recorded, because you didn't confirm it")
    return Origin(interface="terminal", caller=account())


def _list(ledger: str | None, *, as_json: bool) -> int:
    from quorate.service.record_list import verify_summary

    async def work(held: "Ledger") -> "list[ListedRecord]":
        return [await verify_summary(held, summary) async for summary in held.list() if summary.awaits]

    found = with_ledger(ledger, work)
    if not found and not as_json:
        note("nothing waits for review")
    return say_list(found, as_json=as_json)
