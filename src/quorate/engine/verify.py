"""Checking a record, for every door that shows it or acts on it; and what another rulebook would have said."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from quorate import catalogue, chair, rules
from quorate.engine.recompute import Audit, AuditRecord, Recomputation, judge
from quorate.errors import BadSetting, LedgerMismatch, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Entry
from quorate.model import Decided, Halted, Reviewed, Rulebook, TurnedOut, Verdict
from quorate.views import Record

if TYPE_CHECKING:
    from quorate.views.result import Decision

__all__ = [
    "CHANGED",
    "MISREAD",
    "UNPROVEN",
    "Verification",
    "decide_with",
    "describe_missing_verdict",
    "record_of",
    "refusal",
    "refuse",
    "replay_with",
    "verify_record",
]

RecordState = Literal["holds", "unfinished", "forgotten", "partly_forgotten", "differs"]

CHANGED: Final[tuple[RecordState, ...]] = ("differs",)
MISREAD: Final[tuple[RecordState, ...]] = (*CHANGED, "partly_forgotten")
UNPROVEN: Final[tuple[RecordState, ...]] = (*MISREAD, "forgotten")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a record comes to when it is judged again.

    It `holds` if guard, replies, asks and verdict are what its words come to. It is `unfinished` while there is no
    verdict, `forgotten` where all its words are gone, so that no ballot can be read again, and `partly_forgotten` where
    some are. All else `differs`. `why` says in a sentence why it does not hold; `notes` are differences that change
    nothing. `verdict` is the one worked out again.
    """

    state: RecordState
    recorded: str | None
    recomputed: str | None
    verdict: Verdict | None = None
    finished: bool = True
    why: str = ""
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing on record contradicts what it is judged by."""
        return self.state not in MISREAD

    @property
    def holds(self) -> bool:
        """Whether there is a verdict and the words on record come to it; where no words are left, nobody knows."""
        return self.state == "holds"

    def document(self) -> dict[str, object]:
        """The field `check` of the one document."""
        return {"state": self.state, "because": self.why or None, "notes": list(self.notes)}


def verify_record(record: Record) -> Verification:
    """Read the replies again, count and decide again; a record that was judged already, or as it was written, is not.

    Raises:
        LedgerMismatch: it does not begin as a record does.
        QuorateError: its protocol, its form or a setting is not known here.
    """
    judged = record.judged if isinstance(record, AuditRecord) else judge(record.events)
    recorded = record.ended.verdict if record.ended else None
    state = _state(judged, recorded)
    again = judged.again
    return Verification(
        state=state,
        recorded=recorded.outcome if recorded else None,
        recomputed=again.outcome if again else None,
        verdict=again,
        finished=recorded is not None,
        why=_why(judged, state),
        notes=_notes(judged, state),
    )


def describe_missing_verdict(id_: str, state: chair.State, verb: str) -> str:
    """Why nobody can review, attest or explain a verdict; a deliberation that was given up cannot be resumed."""
    if isinstance(state.closed, Halted):
        return f"{id_} was given up without a verdict, so there is nothing to {verb}; ask the question again"
    return f"{id_} has no verdict yet, so there is nothing to {verb}; continue with: quorate resume {id_}"


def _state(judged: Recomputation, recorded: Verdict | None) -> RecordState:
    if judged.wrong:
        return "differs"
    # Before its end a record leaves without its seed and prompts, and nobody can go on with it then.
    left_out = recorded is None and judged.seedless
    if judged.gaps and not (judged.bare or left_out):
        return "partly_forgotten"
    if recorded is None:
        return "unfinished"
    return "forgotten" if judged.bare else "holds"


def _why(judged: Recomputation, state: RecordState) -> str:
    if state == "differs":
        return f"{judged.wrong}; it was changed{', or was read with words that are gone' if judged.gaps else ''}"
    return f"{_gone(judged)}; ask again" if state == "partly_forgotten" else ""


def _gone(judged: Recomputation) -> str:
    """Which words are gone, and which replies cannot be read for it."""
    if judged.unread:
        return f"part of its words is gone, and nobody can read again what was said by {', '.join(judged.unread)}"
    entries = ", ".join(map(str, sorted(judged.gaps)))
    return f"part of its words is gone, at entr{'y' if len(judged.gaps) == 1 else 'ies'} {entries}"


def _notes(judged: Recomputation, state: RecordState) -> tuple[str, ...]:
    if state == "differs":
        return ()
    left = "its texts have been forgotten or left out, so its ballots were not read again"
    gone = left if judged.gaps and state != "partly_forgotten" else ""
    return tuple(filter(None, (gone, *judged.reworded)))


def refuse(record: Record, *states: RecordState) -> Verification:
    """See that a record is in none of these states; what is given back is what the check found.

    To import a record, refuse what `differs`; to resume it or show its verdict as valid, also what is
    `partly_forgotten`; to act on it or sign it, also what is `forgotten`.

    Raises:
        LedgerMismatch: it is in one of them.
    """
    checked = verify_record(record)
    if checked.state in states:
        raise LedgerMismatch(f"{record.id} {refusal(checked)}")
    return checked


def refusal(checked: Verification) -> str:
    """Why a record may not be relied on, as the rest of a sentence that begins with its id."""
    if checked.state == "forgotten":
        gone = "its texts have been forgotten or left out, so nobody can read its ballots again here"
        return f"cannot be relied on any more: {gone}; ask again"
    return f"{'does not hold' if checked.state == 'differs' else 'cannot be relied on here'}: {checked.why}"


def decide_with(record: Record, rulebook: str | Rulebook) -> "Decision":
    """What another rulebook would have decided on the same ballots.

    Raises:
        LedgerMismatch: the ballots are not what the words on record come to.
        BadSetting: the rulebook looks into votes that were not cast.
        QuorateError: nothing was decided.
    """
    from quorate import presets  # noqa: PLC0415 - a record is checked far more often than decided again
    from quorate.views.result import Decision  # noqa: PLC0415 - the same

    refuse(record, *MISREAD)
    book = presets.rulebook(rulebook) if isinstance(rulebook, str) else rulebook
    state = record.state
    if not isinstance(state.closed, Decided):
        raise QuorateError(f"deliberation {record.id!r} has no verdict, so there is nothing to decide again")
    if foreign := catalogue.foreign_votes(book, catalogue.protocol(state.convened.protocol)):
        raise BadSetting(f"rulebook {book.name!r} cannot decide on this: {foreign}")
    tally = chair.tally_of(state)
    return Decision(rules.decide(tally, book), tally, book, state.convened.protocol)


def replay_with(record: Record, rulebook: str | Rulebook) -> dict[str, object]:
    """The same as the document with `verdict` alone.

    Raises:
        LedgerMismatch: the ballots are not what the words on record come to.
        QuorateError: nothing was decided.
    """
    from quorate.views.document import verdict_document  # noqa: PLC0415 - a record is checked far more often

    return {"schema": 1, "id": record.id, "verdict": verdict_document(decide_with(record, rulebook))}


def record_of(id_: str, entries: Sequence[Entry], audit: Audit | None = None) -> AuditRecord:
    """A deliberation for the views: its events and how long the panel took, without what people wrote afterwards.

    Whoever has judged these entries gives the `audit`; else they are folded and judged when that is first wanted.
    """
    people = (Reviewed, TurnedOut)
    panel = [datetime.fromisoformat(entry.time) for entry in entries if not isinstance(entry.event, people)]
    # A clock that is set back in between takes nothing away: a step is never shorter than nothing.
    seconds = sum(max(0.0, (after - before).total_seconds()) for before, after in pairwise(panel))
    events, written = [entry.event for entry in entries], [entry.time for entry in entries]
    record = AuditRecord(id=id_, events=events, seconds=seconds, times=written)
    return record if audit is None else record.with_audit(audit.judged())
