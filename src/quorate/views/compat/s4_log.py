"""The S4 system's own log: four rounds and the final decision."""

from quorate.model import Ballot, Heard, Seat
from quorate.views import Record
from quorate.views.compat.s4 import s4, s4_vote, to_hundred
from quorate.views.result import Result

__all__ = ["s4_log"]

Json = dict[str, object]


def s4_log(record: Record) -> Json:
    """Every step of a tribunal as S4 logs it; revisions with before and after.

    Raises:
        BadSetting: its protocol has other outcomes than S4.
    """
    final = s4(record)
    state = record.state
    heard, seats = state.heard, state.brief.panel.voters
    decision = Result.of(record).decision
    votes = [s4_vote(vote) for vote in decision.votes] if decision else []
    return {
        "rounds": [
            {"number": 1, "name": "Initial Analysis", "data": _openings(heard, seats)},
            {"number": 2, "name": "Challenge Round", "data": _challenges(heard, seats)},
            {"number": 3, "name": "Revision Round", "data": _revisions(heard, seats)},
            {"number": 4, "name": "Final Voting", "votes": votes},
        ],
        "final_decision": final,
    }


def _openings(heard: Heard, seats: tuple[Seat, ...]) -> list[Json]:
    return [_position(seat, ballot) for seat in seats if (ballot := heard.ballot("analysis", seat))]


def _challenges(heard: Heard, seats: tuple[Seat, ...]) -> list[Json]:
    return [
        {"challenger": f"{one.name} Agent", "challenged": f"{other.name} Agent", "challenge": speech.text}
        for one in seats
        for other in seats
        if (speech := heard.speech("challenge", one, other))
    ]


def _revisions(heard: Heard, seats: tuple[Seat, ...]) -> list[Json]:
    revised: list[Json] = []
    for seat in seats:
        before, after = heard.ballot("analysis", seat), heard.ballot("revision", seat)
        if before and after:
            changed = (before.choice, before.veto) != (after.choice, after.veto)
            was, now = _position(seat, before), _position(seat, after)
            revised.append({"agent": f"{seat.name} Agent", "before": was, "after": now, "changed": changed})
    return revised


def _position(seat: Seat, ballot: Ballot) -> Json:
    return {
        "agent": f"{seat.name} Agent",
        "decision": "VETO" if ballot.veto else ballot.choice,
        "confidence": to_hundred(ballot.confidence),
        "risk": to_hundred(ballot.risk),
        "reasoning": ballot.rationale,
    }
