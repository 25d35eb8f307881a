"""`quorate list`: what is in the ledger, newest first, each judged again from its words."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, TypeVar, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.records import with_ledger
from quorate.doors.cli.screen import complain, note, one_line, say, say_json
from quorate.errors import LedgerMismatch, LedgerNewer, NotRecorded, QuorateError
from quorate.settings.table import PROTOCOL

if TYPE_CHECKING:
    from quorate.ledger import Ledger, Summary
    from quorate.model import Event

__all__ = ["ListedRecord", "is_meant", "list_", "say_list", "since", "verify_summary"]

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
    if said is None:
        return None
    if _DAY.fullmatch(said):
        return said
    if ago := _AGO.fullmatch(said):
        then = datetime.now(UTC) - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        return then.isoformat()[:19]
    raise click.UsageError(f"--since takes a day such as 2026-11-01, or 36h, 7d, 4w, not {one_line(said, 40)!r}")


STATES: Final = ("decided", "turned_away", "halted", "waiting")
_DAY: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:T[\d:]+)?)?")
_AGO: Final = re.compile(r"(\d{1,4})([hdw])")
_HOURS: Final = {"h": 1, "d": 24, "w": 168}
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

    async def work(held: "Ledger") -> "list[ListedRecord]":
        found: list[ListedRecord] = []
        async for summary in held.list():
            if len(found) == wish["limit"]:
                break
            if is_meant(summary, wish["protocol"], wish["begun"]) and await _holds(held, summary, wish["search"]):
                one = await verify_summary(held, summary) if len(found) < MOST else ListedRecord(summary, "unchecked")
                found += [one] if wish["state"] in {None, _state(one.summary)} else []
        return found

    found = with_ledger(ledger, work)
    if not found and not as_json:
        asked = any(wish.values())
        note(
            "no recorded deliberation matches"
            if asked
            else 'nothing is recorded yet; start with: quorate ask "…" --panel demo'
        )
    return say_list(found, as_json=as_json)


def is_meant(summary: "Summary", protocol: str | None, since_: str | None) -> bool:
    """Whether a deliberation is of that protocol and was begun since then."""
    return (protocol is None or summary.protocol == protocol) and (since_ is None or summary.begun >= since_)


async def _holds(held: "Ledger", summary: "Summary", search: str | None) -> bool:
    """Whether a text stands in the question or in anything that was said."""
    if search is None:
        return True
    wanted = search.casefold()
    if wanted in summary.question.casefold() or not summary.entries:
        return wanted in summary.question.casefold()
    try:
        entries = await held.read(summary.id)
    except QuorateError:  # the list says what is wrong with it, not the search
        return False
    return any(wanted in text.casefold() for entry in entries for text in _texts(entry.event))


def _texts(event: "Event") -> tuple[str, ...]:
    from quorate.model import Convened, Decided, Reviewed, Spoken

    match event:
        case Convened(question=question):
            return (question.text, question.context, question.criteria, *question.options)
        case Spoken(reply=reply):
            return (reply.text,)
        case Decided(verdict=verdict):
            return (verdict.because, verdict.outcome or "")
        case Reviewed(because=because, by=by):
            return (because, by)
        case _:
            return ()


def say_list(found: "Sequence[ListedRecord]", *, as_json: bool) -> int:
    """Print a list, and of what does not hold say so on stderr and with the exit code."""
    if as_json:
        shown = [{**summary_document(one.summary), "check": one.check} for one in found]
        say_json({"schema": 1, "deliberations": shown})
    for one in () if as_json else found:
        say(summary_line(one.summary) + _MARKS.get(one.check, ""))
    wrong = [one.summary.id for one in found if one.check in _MARKS and one.check != "unchecked"]
    for id_ in wrong:
        complain(f"{id_} does not hold, or not by this version's reading; see: quorate verify {id_}")
    return ERROR if wrong else DONE


MOST: Final = 100
"""So many are judged again in a list: a second's work at most."""
_MARKS: Final = {
    "broken": "  (BROKEN: the chain does not hold)",
    "differs": "  (DOES NOT HOLD)",
    "newer": "  (written by a newer quorate)",
    "partly_forgotten": "  (texts are missing)",
    "read_otherwise": "  (READ DIFFERENTLY today)",
    "unchecked": "  (not checked)",
}


class ListedRecord(NamedTuple):
    """A line of the list, and what came of judging the record again."""

    summary: "Summary"
    check: str


async def verify_summary(held: "Ledger", summary: "Summary") -> ListedRecord:
    """What a record says by its own entries: the columns beside them are not chained, so they are not believed."""
    from quorate.engine.verify import verify_record
    from quorate.ledger.book import summarize
    from quorate.ledger.chain import open_row
    from quorate.offline.attest import stored_record
    from quorate.views.document import state_of

    if not summary.entries:
        return ListedRecord(summary, "unfinished")
    try:
        whole = await stored_record(held, summary.id)
        checked = verify_record(whole.record)
    except NotRecorded:
        return ListedRecord(summary, "unchecked")
    except LedgerNewer:
        return ListedRecord(summary, "newer")
    except LedgerMismatch:
        return ListedRecord(summary, "differs")
    except QuorateError:
        return ListedRecord(summary, "broken")
    told = replace(summarize(whole.id, [open_row(row) for row in whole.rows]), imported=summary.imported)
    if told.state == "open":
        told = replace(told, state=state_of(whole.record.events))
    return ListedRecord(told, checked.state)


def summary_document(summary: "Summary") -> dict[str, object]:
    return {
        "id": summary.id,
        "state": _state(summary),
        "question": summary.question,
        "protocol": summary.protocol,
        "outcome": summary.outcome,
        "review": _review(summary),
        "begun": summary.begun,
        "imported": summary.imported,
    }


def _state(summary: "Summary") -> str:
    """The document knows no `open`: what was begun and not finished is halted, until it is resumed."""
    return "halted" if summary.state == "open" else summary.state


def _review(summary: "Summary") -> dict[str, object] | None:
    if summary.reviewed is None and not summary.awaits:
        return None
    return {"state": "pending" if summary.awaits else "given", "outcome": summary.reviewed}


def summary_line(summary: "Summary") -> str:
    """A deliberation in one line: the panel's outcome, and what a person says of it or is asked to say."""
    state = _state(summary)
    outcome = one_line(summary.outcome or ("no outcome" if state == "decided" else state), 12)
    said = f"  (reviewed: {one_line(summary.reviewed, 12)})" if summary.reviewed is not None else ""
    waits = "  (waits for review)" if summary.awaits else ""
    begun = one_line(summary.begun[:16].replace("T", " "))
    came = "  (imported)" if summary.imported else ""
    return f"{one_line(summary.id)}  {begun}  {outcome:<12}  {one_line(summary.question, 80)}{said}{waits}{came}"
