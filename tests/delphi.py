"""A Delphi by hand: who estimates what in which round."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from quorate.counting.estimates import count
from quorate.model import Ballot, Brief, Heard, Panel, Question, Seat, Silence, Speech, Tally
from quorate.model.ballot import Estimate

Row = Sequence[float | str | None]
"""What each seat names in a round; none is silence."""


def panel_for(rounds: Sequence[Row]) -> Panel:
    return Panel(seats=tuple(Seat(name=f"s{at}") for at in range(len(rounds[0]))))


def told(*rounds: Row) -> Heard:
    """What was heard in these rounds."""
    panel = panel_for(rounds)
    words = [
        (str(number), "", _word(seat.name, str(number), named))
        for number, row in enumerate(rounds, 1)
        for seat, named in zip(panel, row, strict=True)
    ]
    return Heard.of(panel, *words)


def _word(seat: str, round_: str, named: float | str | None) -> Speech | Silence:
    if named is None:
        return Silence(seat=seat, why="timeout")
    vote = Estimate(Fraction(str(named)))
    cast = Ballot(vote=vote, confidence=Fraction(4, 5), rationale=f"the reason of round {round_} for {named}")
    return Speech(seat=seat, round=round_, about="", prose=f"{seat} says {named}", ballot=cast)


def brief_for(heard: Heard) -> Brief:
    return Brief(question=Question(text="How many?"), panel=heard.panel, seed="5eed" * 16)


def counted(*rounds: Row) -> Tally:
    heard = told(*rounds)
    return replace(count(brief_for(heard), heard, ()), demo=False)
