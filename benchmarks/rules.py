"""How many verdicts the rules alone give in a second, on the tallies that a tribunal comes to."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from time import process_time
from typing import Final

from benchmarks.table import Row
from quorate import rules
from quorate.model import Tally, Voice
from quorate.presets import rulebook

__all__ = ["verdicts"]

SEATS: Final = ("Utility", "Accuracy", "Safety")
VOTES: Final = (("WARN", "WARN", "WARN"), ("WARN", "WARN", "ACT"), ("ACT", "WARN", "REFUSE"))
"""All of one mind, two of three, and everyone apart."""


def verdicts(count: int, runs: int) -> Sequence[Row]:
    """Of each kind of tally so many, in turn."""
    rates = [_rate(count) for _ in range(runs + 1)][1:]
    return (Row(name="rules alone: verdicts", measured=median(rates), unit="per s", goal=50_000, least=True),)


def _rate(count: int) -> float:
    """Each verdict on a tally of its own, since a tally adds up once what several rules ask for.

    They are made and let go by the hundred: whoever decides has one, and to have thousands would measure how long
    Python takes to look through them for garbage.
    """
    book, spent, decided = rulebook("tribunal"), 0.0, 0
    while decided < count * len(VOTES):
        tallies = [_tally(votes) for _ in range(min(count, 100)) for votes in VOTES]
        began = process_time()
        for tally in tallies:
            rules.apply_rulebook(tally, book)
        spent += process_time() - began
        decided += len(tallies)
    return decided / spent


def _tally(votes: tuple[str, ...]) -> Tally:
    voices = (
        Voice(seat=seat, option=option, confidence=Fraction(7, 10), risk=Fraction(3, 10))
        for seat, option in zip(SEATS, votes, strict=True)
    )
    return Tally(eligible=SEATS, options=("ACT", "WARN", "REFUSE"), voices=tuple(voices))
