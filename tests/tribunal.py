"""Small things tests of the tribunal are made of."""

from collections.abc import Sequence
from fractions import Fraction

from quorate import presets
from quorate.counting.heads import count
from quorate.model import Ballot, Brief, Choice, Heard, Panel, Question, Seat, Silence, Speech, Tally

OUTCOMES = ("ACT", "WARN", "REFUSE")
GATES = sorted(name for name, book in presets.rulebooks().items() if book.silence in OUTCOMES)
"""The rulebooks that decide between these; others count free options."""
PANEL = presets.panel("tribunal").panel
UTILITY, ACCURACY, SAFETY = PANEL.seats
BRIEF = Brief(question=Question(text="Should we delete the staging database?"), panel=PANEL, seed="5eed")


def ballot(choice: str, confidence: int = 80, risk: int = 20, reason: str = "because") -> Ballot:
    """A ballot on the tribunal's scale."""
    return Ballot(
        vote=Choice("REFUSE" if choice == "VETO" else choice),
        veto=choice == "VETO",
        confidence=Fraction(confidence, 100),
        risk=Fraction(risk, 100),
        rationale=reason,
    )


def said(
    seat: Seat, round_: str, cast: Ballot | None = None, *, about: Seat | None = None, text: str = ""
) -> tuple[str, str, Speech]:
    """A speech as Heard.of takes it."""
    whom = about.name if about else ""
    words = text or f"{seat.name} in {round_}{f' about {whom}' if whom else ''}"
    return round_, whom, Speech(seat=seat.name, round=round_, about=whom, prose=words, ballot=cast)


def silent(seat: Seat, round_: str, why: str = "timeout", *, about: Seat | None = None) -> tuple[str, str, Silence]:
    """A silence as Heard.of takes it."""
    return round_, about.name if about else "", Silence(seat=seat.name, why=why)


def panel_of(seats: int, *, guardian: bool = True) -> Panel:
    """So many seats, the last of which may veto."""
    plain = tuple(Seat(name=f"s{number}") for number in range(seats - 1))
    return Panel(seats=(*plain, Seat(name="last", powers=("vote", "veto") if guardian else ("vote",))))


def tally_of(
    votes: Sequence[Ballot | None], panel: Panel | None = None, sealed: Sequence[Ballot | None] | None = None
) -> Tally:
    """Count these final ballots, in seat order; None is a silent seat."""
    sits = panel or panel_of(len(votes))
    brief = Brief(question=Question(text="?"), panel=sits)
    words = [_word(seat, "revision", cast) for seat, cast in zip(sits, votes, strict=True)]
    before = [_word(seat, "analysis", cast) for seat, cast in zip(sits, sealed or (), strict=bool(sealed))]
    return count(
        brief,
        Heard.of(sits, *before, *words),
        OUTCOMES,
        final="revision",
        sealed="analysis" if sealed is not None else "",
    )


def _word(seat: Seat, round_: str, cast: Ballot | None) -> tuple[str, str, Speech | Silence]:
    return silent(seat, round_) if cast is None else said(seat, round_, cast)
