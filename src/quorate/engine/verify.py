"""Checking a record, for every door that shows it or acts on it; and what another rulebook would have said."""

from dataclasses import dataclass
from typing import Final, Literal

from quorate import chair, presets, rules
from quorate.engine.convene import made_by
from quorate.engine.recompute import Judged, judge
from quorate.errors import LedgerMismatch, QuorateError
from quorate.model import Decided, Rulebook, TurnedAway, Verdict
from quorate.views import Record
from quorate.views.document import verdict_document

__all__ = ["CHANGED", "MISREAD", "UNPROVEN", "Checked", "refusal", "refuse", "replay_with", "verify_record"]

State = Literal["holds", "unfinished", "forgotten", "read_otherwise", "differs"]

CHANGED: Final[tuple[State, ...]] = ("differs",)
MISREAD: Final[tuple[State, ...]] = (*CHANGED, "read_otherwise")
UNPROVEN: Final[tuple[State, ...]] = (*MISREAD, "forgotten")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a record comes to when it is judged again.

    It `holds` if guard, replies, asks and verdict are what its words come to. It is `unfinished` while there is no
    verdict, and `forgotten` where ballots cannot be read again because their words are gone. `read_otherwise` is what
    another version wrote whose reading came to another verdict than this one's. All else `differs`.
    `why` says in a sentence why it does not hold; `notes` are differences that change nothing.
    """

    state: State
    recorded: str | None
    recomputed: str | None
    why: str = ""
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing on record contradicts what it is judged by."""
        return self.state not in {"differs", "read_otherwise"}

    @property
    def finished(self) -> bool:
        return self.state != "unfinished"

    def document(self) -> dict[str, object]:
        """The field `check` of the one document."""
        return {"state": self.state, "because": self.why or None, "notes": list(self.notes)}


def verify_record(record: Record) -> Checked:
    """Fold the record again, read the replies again, count and decide again.

    Raises:
        LedgerMismatch: it does not begin as a record does.
        QuorateError: its protocol, its form or a setting is not known here.
    """
    judged = judge(record.events)
    recorded = next((event.verdict for event in record.events if isinstance(event, Decided | TurnedAway)), None)
    state = _state(judged, recorded)
    again = judged.today if state == "read_otherwise" else judged.again
    return Checked(
        state=state,
        recorded=recorded.outcome if recorded else None,
        recomputed=again.outcome if again else None,
        why=_why(judged, recorded, state),
        notes=_notes(judged, state),
    )


def _state(judged: Judged, recorded: Verdict | None) -> State:
    if judged.wrong:
        return "differs"
    if recorded is None:
        return "unfinished"
    if judged.today is None or _weight(judged.today) != _weight(recorded):
        return "read_otherwise"
    return "holds" if judged.legible else "forgotten"


def _weight(verdict: Verdict) -> tuple[object, ...]:
    """What others act on."""
    return verdict.outcome, verdict.decided, verdict.requires_human_review


def _why(judged: Judged, recorded: Verdict | None, state: State) -> str:
    if state == "differs":
        ending = "it was changed, or another version of quorate wrote it so" if judged.foreign else "it was changed"
        return f"{judged.wrong}; {ending}"
    if state != "read_otherwise" or recorded is None or judged.today is None:
        return ""
    then, now = (_named(verdict) for verdict in (recorded, judged.today))
    return f"{_read_by(judged)}: it came to {then}, and today it would be {now}; ask again, or use that version"


def _named(verdict: Verdict) -> str:
    said = "no outcome" if verdict.outcome is None else verdict.outcome
    return said if verdict.decided else f"{said} (undecided)"


def _read_by(judged: Judged) -> str:
    """Who wrote what is read otherwise today, and where it stands; nobody is accused of anything."""
    written, entries = judged.docket.convened.made_by or "an earlier quorate", ", ".join(map(str, judged.reread))
    then = ", ".join(str(version) for version in sorted(judged.versions - {chair.VERSION}))
    at = f"entry {entries}" if len(judged.reread) == 1 else f"entries {entries}"
    return (
        f"it was written by {written} (reading {then}), whose reading differs from that of {made_by()} "
        f"(reading {chair.VERSION}) at {at}"
    )


def _notes(judged: Judged, state: State) -> tuple[str, ...]:
    if state == "differs":
        return ()
    read = f"{_read_by(judged)}; the verdict is the same" if judged.reread and state == "holds" else ""
    open_ = _read_by(judged) if judged.reread and state == "unfinished" else ""
    gone = "" if judged.legible else "its texts have been forgotten or left out, so its ballots were not read again"
    return tuple(filter(None, (read, open_, gone, *judged.reworded)))


def refuse(record: Record, *states: State) -> Checked:
    """See that a record is in none of these states; what is given back is what the check found.

    Whoever goes on with a record or takes it in refuses what `differs`, whoever shows its verdict as one that holds
    also what is `read_otherwise`, and whoever acts on it or signs it also what is `forgotten`.

    Raises:
        LedgerMismatch: it is in one of them.
    """
    checked = verify_record(record)
    if checked.state in states:
        raise LedgerMismatch(f"{record.id} {refusal(checked)}")
    return checked


def refusal(checked: Checked) -> str:
    """Why a record may not be relied on, as the rest of a sentence that begins with its id."""
    if checked.state == "forgotten":
        gone = "its texts have been forgotten or left out, so nobody can read its ballots again"
        return f"cannot be relied on any more: {gone}; ask again"
    return f"{'does not hold' if checked.state == 'differs' else 'cannot be relied on here'}: {checked.why}"


def replay_with(record: Record, rulebook: str | Rulebook) -> dict[str, object]:
    """What another rulebook would have decided on the same ballots: the document with `verdict` alone.

    Raises:
        LedgerMismatch: the ballots are not what the words on record come to.
        QuorateError: nothing was decided.
    """
    refuse(record, *MISREAD)
    book = presets.rulebook(rulebook) if isinstance(rulebook, str) else rulebook
    docket = chair.replay(record.events, check=False)
    if not isinstance(docket.closed, Decided):
        raise QuorateError(f"deliberation {record.id!r} has no verdict, so there is nothing to decide again")
    tally = chair.tally_of(docket)
    return {"schema": 1, "id": record.id, "verdict": verdict_document(rules.decide(tally, book), tally, book)}
