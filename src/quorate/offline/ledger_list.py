"""What is in a ledger, newest first: which deliberations are meant, and each judged again from its words."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from quorate.engine.verify import Verification, verify_record
from quorate.engine.work_limit import check_work
from quorate.errors import BadSetting, LedgerMismatch, NotRecorded, OtherVersion, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import LedgerReader, Summary
from quorate.ledger.summary import summarize
from quorate.model import Convened, Decided, Event, Reviewed, Spoken, TurnedOut
from quorate.model.once import lazy_pattern
from quorate.offline.attest import stored_record
from quorate.views import Record

__all__ = [
    "STATES",
    "ListedRecord",
    "RecordFilter",
    "begun_since",
    "judge_here",
    "list_records",
    "summary_document",
    "summary_state",
    "verify_summary",
]

STATES: Final = ("decided", "turned_away", "failed", "halted", "waiting")
MOST: Final = 100
"""So many are judged again in a list: a second's work at most."""
_DAY: Final = lazy_pattern(r"\d{4}-\d{2}(?:-\d{2}(?:T[\d:]+)?)?")
_AGO: Final = lazy_pattern(r"(\d{1,4})([hdw])")
_HOURS: Final = {"h": 1, "d": 24, "w": 168}


def begun_since(said: str) -> str:
    """A day, or how long ago, as the beginning of a time on record.

    Raises:
        BadSetting: it is neither.
    """
    if _DAY.fullmatch(said):
        return said
    if ago := _AGO.fullmatch(said):
        then = datetime.now(UTC) - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
        return then.isoformat()[:19]
    raise BadSetting(f"since takes a day such as 2026-11-01, or 36h, 7d, 4w, not {said[:40]!r}")


class ListedRecord(NamedTuple):
    """A line of the list, what came of judging the record again, and whether a process is at work on it."""

    summary: Summary
    check: str
    running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """Which deliberations are meant; `since` is the beginning of a time, `search` any text, `before` an id."""

    state: str | None = None
    protocol: str | None = None
    since: str | None = None
    search: str | None = None
    awaits: bool | None = None
    before: str | None = None

    def fits(self, summary: Summary) -> bool:
        """Whether it is meant, as far as its line says."""
        return (
            self.protocol in {None, summary.protocol}
            and (self.since is None or summary.begun >= self.since)
            and self.awaits in {None, summary.awaits}
        )


async def judge_aside(record: Record) -> Verification:
    """Judge a record in a thread: others may deliberate on this loop."""
    import asyncio  # noqa: PLC0415 - whoever has no loop does without it

    return await asyncio.to_thread(lambda: verify_record(record))


async def judge_here(record: Record) -> Verification:
    """Judge a record where nobody else is kept waiting by it."""
    return verify_record(record)


Judge = Callable[[Record], Awaitable[Verification]]


async def list_records(
    ledger: LedgerReader,
    meant: RecordFilter,
    limit: int | None = None,
    *,
    checked: int = MOST,
    judge: Judge = judge_aside,
) -> AsyncIterator[ListedRecord]:
    """Those that are meant, newest first; the first `checked` of them, and no others, are judged again."""
    listed, begun = 0, meant.before is None
    async for summary in ledger.list():
        if not begun:
            begun = summary.id == meant.before
        elif listed == limit:
            return
        elif meant.fits(summary) and await _is_in_state(ledger, summary, meant.state):
            check_work()
            if not await _holds(ledger, summary, meant.search):
                continue
            one = (
                await verify_summary(ledger, summary, judge) if listed < checked else ListedRecord(summary, "unchecked")
            )
            if meant.state in {None, summary_state(one.summary)}:
                listed += 1
                yield one._replace(running=await _is_held(ledger, one.summary))


async def _is_in_state(ledger: LedgerReader, summary: Summary, state: str | None) -> bool:
    """Whether a deliberation stands so by its line; of one that is open, only its entries say whether it waits."""
    if state is None or summary.state != "open" or state not in {"halted", "waiting"}:
        return state in {None, summary.state}
    from quorate.views.document import state_of  # noqa: PLC0415 - most records have ended

    try:
        events = [entry.event for entry in await ledger.read(summary.id)]
    except QuorateError:  # the list says what is wrong with it
        events = []
    return state == (state_of(events) if events else "halted")


async def _is_held(ledger: LedgerReader, summary: Summary) -> bool:
    """Whether what has not ended is held by somebody."""
    if summary_state(summary) != "halted":
        return False
    try:
        return await ledger.owner(summary.id) is not None
    except NotRecorded:
        return False


async def _holds(ledger: LedgerReader, summary: Summary, search: str | None) -> bool:
    """Whether a text stands in the question or in anything that was said."""
    if search is None:
        return True
    wanted = search.casefold()
    if wanted in summary.question.casefold() or not summary.entries:
        return wanted in summary.question.casefold()
    try:
        entries = await ledger.read(summary.id)
    except QuorateError:  # the list says what is wrong with it, not the search
        return False
    return any(wanted in text.casefold() for entry in entries for text in _texts(entry.event))


def _texts(event: Event) -> tuple[str, ...]:
    match event:
        case Convened(question=question):
            return (question.text, question.context, question.criteria, *question.options)
        case Spoken(reply=reply):
            return (reply.text,)
        case Decided(verdict=verdict):
            return (verdict.because, verdict.outcome or "")
        case Reviewed(because=because, by=by) | TurnedOut(because=because, by=by):
            return (because, by)
        case _:
            return ()


async def verify_summary(ledger: LedgerReader, summary: Summary, judge: Judge = judge_aside) -> ListedRecord:
    """What a record says by its own entries: the columns beside them are not chained, so they are not believed."""
    if not summary.entries:
        return ListedRecord(summary, "unfinished")
    try:
        whole = await stored_record(ledger, summary.id)
        checked = await judge(whole.record)
    except NotRecorded:
        return ListedRecord(summary, "unchecked")
    except OtherVersion:
        return ListedRecord(summary, "other_version")
    except LedgerMismatch:
        return ListedRecord(summary, "differs")
    except QuorateError:
        return ListedRecord(summary, "broken")
    events = whole.record.events
    right = next((event.value for event in reversed(events) if isinstance(event, TurnedOut)), None)
    counted = summarize(whole.id, whole.entries)
    told = replace(counted, imported=summary.imported, turned_out=right)
    if told.state == "open":
        from quorate.views.document import state_of  # noqa: PLC0415 - most records have ended

        told = replace(told, state=state_of(events))
    return ListedRecord(told, checked.state)


def summary_document(summary: Summary) -> dict[str, object]:
    """A line of the list in the names of the one document."""
    return {
        "id": summary.id,
        "state": summary_state(summary),
        "question": summary.question,
        "protocol": summary.protocol,
        "outcome": summary.outcome,
        "review": _review(summary),
        "turned_out": summary.turned_out,
        "begun": summary.begun,
        "imported": summary.imported,
    }


def summary_state(summary: Summary) -> str:
    """The document knows no `open`: what was begun and not finished is halted, until it is resumed."""
    return "halted" if summary.state == "open" else summary.state


def _review(summary: Summary) -> dict[str, object] | None:
    if summary.reviewed is None and not summary.awaits:
        return None
    return {"state": "pending" if summary.awaits else "given", "outcome": summary.reviewed}
