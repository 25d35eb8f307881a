"""What people put on record: an answer for a seat, read by the ask's own form; a review, never in the panel's name."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from quorate import chair
from quorate.chair import State
from quorate.engine.entry_checks import reviewed_outcome, right_outcome
from quorate.engine.recompute import Audit
from quorate.engine.verify import MISREAD, describe_missing_verdict, record_of, refuse
from quorate.errors import BadSetting
from quorate.ledger import Entry, Ledger
from quorate.model import Ask, Decided, Halted, Hear, Origin, Reviewed, Spoken, TurnedAway, TurnedOut, Verdict
from quorate.model.panel import is_person
from quorate.panelists.person import person_reply
from quorate.reading.text import unreadable as _why
from quorate.views import Record

__all__ = ["answer", "asked_of", "asks_of_people", "cancel", "record_outcome", "review", "unreadable"]

FROM_PYTHON: Final = Origin(interface="python")
"""How it came if a program calls these functions itself; every interface of ours says which one it is."""


async def asked_of(ledger: Ledger, id_: str, seat: str) -> Ask:
    """What a person is asked for a seat, the first of it, as it was put to them.

    Raises:
        BadSetting: nobody is asked anything there.
        LedgerError: the record cannot be read.
        UnknownName: no such seat.
    """
    whole = await ledger.find(id_)
    return _ask(whole, _state(whole, await ledger.read(whole)), seat)


async def answer(ledger: Ledger, id_: str, seat: str, text: str) -> Spoken:
    """Write what a person answers, under the lease; whoever calls resumes the deliberation.

    Raises:
        BadSetting: nobody is asked anything there, the deadline has passed, or the answer cannot be read.
        LedgerError: the record cannot be read or kept, or another process is at it.
        UnknownName: no such seat.
    """
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        state = _state(whole, book.entries)
        ask = _ask(whole, state, seat)
        _in_time(state, book.entries[0], ask)
        model = next(sat.model for sat in state.seated if sat.seat == ask.seat.name)
        spoken = chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=person_reply(text, model)))
        why = unreadable(spoken)
        if why:
            how = "in plain words, without a ballot" if ask.wants == "speech" else "on the pattern the prompt ends with"
            raise BadSetting(f"nothing was written: {why}; answer again {how}")
        book.write(spoken)
        await book.committed()
        return spoken


def asks_of_people(state: State) -> tuple[Ask, ...]:
    """All that people have been asked and have not answered, as it was put to them."""
    people = {sat.seat for sat in state.seated if is_person(sat.model)}
    return tuple(state.put(ask) for ask in _due(state) if ask.seat.name in people) if state.closed is None else ()


async def cancel(ledger: Ledger, id_: str, why: str) -> None:
    """Give a deliberation up for good: what was said stays on record, and it comes to no verdict.

    Raises:
        BadSetting: it has ended.
        LedgerError: the record cannot be read or kept, or another process is at it.
    """
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        state = _state(whole, book.entries)
        if state.closed is not None:
            raise BadSetting(f"{whole} has ended, so there is nothing to cancel")
        book.write(Halted(why=why))
        await book.committed()


def unreadable(spoken: Spoken) -> str:
    """Why an answer cannot be counted, in words; empty if it can."""
    return _why.SAID.get(spoken.unreadable, f"it cannot be read ({spoken.unreadable})") if spoken.unreadable else ""


def _state(id_: str, entries: Sequence[Entry]) -> State:
    record = record_of(id_, entries)
    refuse(record, *MISREAD)
    return record.state


def _ask(id_: str, state: State, seat: str) -> Ask:
    sits = state.brief.panel.seat(seat)
    people = {sat.seat for sat in state.seated if is_person(sat.model)}
    due = _due(state)
    mine = next((ask for ask in due if ask.seat.name == sits.name), None)
    if sits.name not in people or mine is None:
        waits = ", ".join(dict.fromkeys(ask.seat.name for ask in due if ask.seat.name in people))
        raise BadSetting(f"{id_} asks nothing of a person for {sits.name!r}; it waits for {waits or 'nobody'}")
    return state.put(mine)


def _due(state: State) -> list[Ask]:
    """What was asked and is still to be answered."""
    asks = (step.ask for step in state.possible().values() if isinstance(step, Hear))
    return [ask for ask in asks if ask.key in state.asked]


def _in_time(state: State, first: Entry, ask: Ask) -> None:
    limit = state.convened.limits.deadline
    age = (datetime.now(UTC) - datetime.fromisoformat(first.time)).total_seconds()
    if limit is not None and age >= limit:
        raise BadSetting(f"the deliberation's deadline has passed, so {ask.seat.name} is silent; resume it to go on")


async def review(  # noqa: PLR0913 - where it goes, and the four parts of a review
    ledger: Ledger, id_: str, *, outcome: str, by: str, because: str, origin: Origin = FROM_PYTHON
) -> Record:
    """Write what a person says of a verdict, once it is there; a later review holds, and earlier ones stay on record.

    Raises:
        BadSetting: there is no verdict to review, no such outcome, or no name or reason.
        LedgerMismatch: the verdict is not what the words on record come to, so nobody should vouch for it.
        LedgerError: the record cannot be read or kept, or another process is at it.
    """
    said = {"by": by.strip(), "because": because.strip()}
    for name, text in said.items():
        if not text:
            raise BadSetting(f"a review needs --{name}: who says so, and why, stand in the record beside the outcome")
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        audit = Audit.of([entry.event for entry in book.entries])
        verdict = _reviewable(whole, audit.state)
        refuse(record_of(whole, book.entries, audit), *MISREAD)
        reviewed = Reviewed(outcome=reviewed_outcome(audit.state, verdict, outcome), **said, origin=origin)
        book.write(reviewed)
        audit.add(reviewed)
        await book.committed()
        return record_of(whole, book.entries, audit)


def _reviewable(id_: str, state: chair.State) -> Verdict:
    if isinstance(state.closed, Decided):
        return state.closed.verdict
    if isinstance(state.closed, TurnedAway):
        raise BadSetting(f"{id_} was turned away and nobody was asked, so there is nothing to review; ask it otherwise")
    raise BadSetting(describe_missing_verdict(id_, state, "review"))


async def record_outcome(  # noqa: PLR0913 - where it goes, and the four parts of a label
    ledger: Ledger, id_: str, value: str, *, by: str = "", because: str = "", origin: Origin = FROM_PYTHON
) -> Record:
    """Write what turned out right, once a deliberation has ended; a later word supersedes it, and both stay on record.

    Raises:
        BadSetting: it has not ended, or that cannot have turned out right.
        LedgerMismatch: the record is not what its words come to, so nothing should be learned from it.
        LedgerError: the record cannot be read or kept, or another process is at it.
    """
    whole = await ledger.find(id_)
    async with ledger.own(whole) as book:
        audit = Audit.of([entry.event for entry in book.entries])
        if audit.state.closed is None:
            raise BadSetting(f"{whole} has not ended, so nothing turned out yet; continue with: quorate resume {whole}")
        refuse(record_of(whole, book.entries, audit), *MISREAD)
        right = right_outcome(audit.state, value)
        label = TurnedOut(value=right, by=by.strip(), because=because.strip(), origin=origin)
        book.write(label)
        audit.add(label)
        await book.committed()
        return record_of(whole, book.entries, audit)
