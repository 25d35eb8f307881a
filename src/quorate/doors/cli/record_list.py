"""`quorate list`: what is in the ledger, newest first, each judged again from its words."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.records import with_reader
from quorate.doors.cli.screen import complain, note, one_line, say, say_json
from quorate.errors import BadSetting
from quorate.settings.table import PROTOCOL

if TYPE_CHECKING:
    from quorate.ledger import LedgerReader
    from quorate.offline.ledger_list import ListedRecord

__all__ = ["list_", "say_list", "since"]

F = TypeVar("F", bound=Callable[..., Any])


class ListOptions(TypedDict):
    """What `quorate list` was told."""

    limit: int | None
    state: str | None
    protocol: str | None
    begun: str | None
    search: str | None


def filters(function: F) -> F:
    """Which deliberations are meant; `--since` is what `quorate report` takes too."""
    for option in reversed(
        (
            click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Show at most N."),
            click.option("--state", type=click.Choice(STATES), help="Only those in this state."),
            options.flag(PROTOCOL, help="Only those of this protocol."),
            since,
            click.option(
                "--search",
                metavar="TEXT",
                help="Only those whose question or answers contain this text; upper and lower case are the same.",
            ),
        )
    ):
        function = option(function)
    return function


def _since(_: click.Context, __: click.Parameter, said: str | None) -> str | None:
    """A day, or how long ago, as the beginning of a time on record."""
    from quorate.offline.ledger_list import begun_since

    if said is None:
        return None
    try:
        return begun_since(said)
    except BadSetting as wrong:
        raise click.UsageError(f"--{wrong}") from wrong


STATES: Final = ("decided", "turned_away", "failed", "halted", "waiting")
since = click.option(
    "--since",
    "begun",
    metavar="DAY|AGO",
    callback=_since,
    help="Only those started since then: 2026-11-01, 36h, 7d, 4w.",
)


@click.command("list", epilog="\b\nExamples:\n  quorate list --limit 10\n  quorate list --state waiting --since 7d")
@filters
@options.ledger
@options.as_json
def list_(ledger: str | None, *, as_json: bool, **wish: Unpack[ListOptions]) -> int:
    """List recorded deliberations, newest first.

    The newest 100 are checked again from their recorded answers. If one does not hold, it is marked and the exit
    code is 1.
    """
    from quorate.offline.ledger_list import RecordFilter, judge_here, list_records

    meant = RecordFilter(state=wish["state"], protocol=wish["protocol"], since=wish["begun"], search=wish["search"])

    async def work(held: "LedgerReader") -> "list[ListedRecord]":
        return [one async for one in list_records(held, meant, wish["limit"], judge=judge_here)]

    found = with_reader(ledger, work)
    if not found and not as_json:
        asked = any(wish.values())
        note(
            "no recorded deliberation matches"
            if asked
            else 'nothing is recorded yet; start with: quorate ask "…" --panel demo'
        )
    return say_list(found, as_json=as_json)


def say_list(found: "Sequence[ListedRecord]", *, as_json: bool) -> int:
    """Print a list, and of what does not hold say so on stderr and with the exit code."""
    if as_json:
        shown = [{**_document(one), "check": one.check, "running": one.running} for one in found]
        say_json({"schema": 1, "deliberations": shown})
    for one in () if as_json else found:
        say(summary_line(one) + _MARKS.get(one.check, ""))
    wrong = [one.summary.id for one in found if one.check in _MARKS and one.check != "unchecked"]
    for id_ in wrong:
        complain(f"{id_} does not hold, or can't be checked here; see: quorate verify {id_}")
    return ERROR if wrong else DONE


def _document(listed: "ListedRecord") -> dict[str, object]:
    from quorate.offline.ledger_list import summary_document

    told = summary_document(listed.summary)
    return {**told, "state": "running"} if listed.running else told


_MARKS: Final = {
    "broken": "  (BROKEN: the chain does not hold)",
    "differs": "  (DOES NOT HOLD)",
    "other_version": "  (written by another version of quorate)",
    "partly_forgotten": "  (texts are missing)",
    "unchecked": "  (not checked)",
}


def summary_line(listed: "ListedRecord") -> str:
    """A deliberation in one line: the panel's outcome, and what a person says of it or is asked to say."""
    from quorate.offline.ledger_list import summary_state

    summary = listed.summary
    state = "running" if listed.running else summary_state(summary)
    outcome = one_line(summary.outcome or ("no outcome" if state == "decided" else state), 12)
    said = f"  (reviewed: {one_line(summary.reviewed, 12)})" if summary.reviewed is not None else ""
    right = f"  (turned out: {one_line(summary.turned_out, 12)})" if summary.turned_out is not None else ""
    waits = "  (waits for review)" if summary.awaits else ""
    begun = one_line(summary.begun[:16].replace("T", " "))
    came = "  (imported)" if summary.imported else ""
    return f"{one_line(summary.id)}  {begun}  {outcome:<12}  {one_line(summary.question, 80)}{said}{right}{waits}{came}"
