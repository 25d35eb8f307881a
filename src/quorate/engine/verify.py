"""Checking a record: is the verdict what the rules say of the ballots, and what would another rulebook have said?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quorate import chair, presets, rules
from quorate.errors import QuorateError
from quorate.model import Asked, Convened, Decided, Event, Hear, Rulebook, Spoken, TurnedAway, Verdict
from quorate.model.texts import FORGOTTEN
from quorate.views import Record
from quorate.views.document import verdict_document

__all__ = ["Checked", "replay_with", "verify_record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was recomputed from a record. `notes` are differences that change no outcome."""

    recorded: str | None
    recomputed: str | None
    same: bool
    finished: bool
    forgotten: bool
    notes: tuple[str, ...] = ()


def verify_record(record: Record) -> Checked:
    """Fold the record again, read the replies again, count and decide again.

    Raises:
        LedgerMismatch: an ask on record is none the protocol would have made.
    """
    events = record.events
    docket = chair.replay(events)
    forgotten = docket.convened.question.text == FORGOTTEN
    notes = () if forgotten else _differently(events)
    if not isinstance(docket.closed, Decided):
        verdict = docket.closed.verdict if isinstance(docket.closed, TurnedAway) else None
        outcome = verdict.outcome if verdict else None
        finished = verdict is not None
        return Checked(
            recorded=outcome, recomputed=outcome, same=True, finished=finished, forgotten=forgotten, notes=notes
        )
    recorded = docket.closed.verdict
    again = chair.verdict_of(replace(docket, closed=None))
    return Checked(
        recorded=recorded.outcome,
        recomputed=again.outcome,
        same=_figures(recorded) == _figures(again),
        finished=True,
        forgotten=forgotten,
        notes=notes,
    )


def _figures(verdict: Verdict) -> tuple[object, ...]:
    """All of a verdict but its words, which may have been forgotten."""
    return (
        verdict.outcome,
        verdict.decided,
        verdict.rule,
        verdict.agreement,
        verdict.confidence,
        verdict.dissent,
        verdict.requires_human_review,
        tuple(asked.rule for asked in verdict.trace),
    )


def _differently(events: Sequence[Event]) -> tuple[str, ...]:
    """Replies that this version would read otherwise than they were read then, and prompts it would word otherwise."""
    convened = events[0]
    if not isinstance(convened, Convened):
        return ()
    docket = chair.Docket.open(convened)
    read: list[str] = []
    asked: list[str] = []
    for event in events[1:]:
        if isinstance(event, Spoken) and _read_again(docket, event).ballot != event.ballot:
            read.append(f"the reply of {event.seat} in round {event.round} would be read differently today")
        if isinstance(event, Asked) and _worded_again(docket, event) != event.prompt:
            asked.append(f"the prompt of {event.seat} in round {event.round} is worded differently today")
        docket = docket.after(event)
    return (*read, *asked)


def _read_again(docket: chair.Docket, event: Spoken) -> Spoken:
    """A reply to a ballot paper read once more, to the ask it answered."""
    if event.ballot is None and not event.unreadable:
        return event
    step = docket.possible().get(event.key)
    return chair.heard_reply(docket.put(step.ask), event) if isinstance(step, Hear) else event


def _worded_again(docket: chair.Docket, event: Asked) -> str:
    """A prompt as it would be worded now; one that went out again is the same as before."""
    step = docket.possible().get(event.key) if event.sending == 1 else None
    return docket.put(step.ask).prompt.template if isinstance(step, Hear) else event.prompt


def replay_with(record: Record, rulebook: str | Rulebook) -> dict[str, object]:
    """What another rulebook would have decided on the same ballots: the document with `verdict` alone.

    Raises:
        QuorateError: nothing was decided.
    """
    book = presets.rulebook(rulebook) if isinstance(rulebook, str) else rulebook
    docket = chair.replay(record.events, check=False)
    if not isinstance(docket.closed, Decided):
        raise QuorateError(f"deliberation {record.id!r} has no verdict, so there is nothing to decide again")
    tally = chair.tally_of(docket)
    return {"schema": 1, "id": record.id, "verdict": verdict_document(rules.decide(tally, book), tally, book)}
