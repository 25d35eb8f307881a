"""How probable options are by who voted for them and what each voter is worth: exactly, and fast enough for thirty.

A seat of skill t is right on a question of difficulty b with P = g + (1 - g) / (1 + exp(b - t)). At one difficulty an
option has the product of all 1 - P, times what the votes for it gain: max(1, P / (1 - P) * sqrt(K - 1)) each.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt, prod
from typing import Final

from quorate.model.numbers import exponential

__all__ = ["option_masses"]

_UNIT: Final = 10**15
_GUESS: Final = Fraction(1, 100)
_POINTS: Final = tuple(Fraction(step, 2) for step in range(-6, 7))

Term = tuple[int, ...]
"""A denominator, and over it a number for each option and for none of these."""


def option_masses(votes: Mapping[str, str], listed: int, skills: Mapping[str, Fraction]) -> dict[str, int]:
    """How probable each option is, and under the empty name that it is none of these, as shares of their sum.

    `listed` is the number of options of a closed list, 0 where any answer may be given. The shares are exact, so no
    order shows. They are whole numbers over one denominator: to reduce every fraction on the way takes far longer.
    """
    options = sorted(set(votes.values()))
    size = max(listed, len(options)) if listed else len(options) + 1
    _, *masses, rest = _added([_at_difficulty(b, votes, options, _known(skills, b, size, listed)) for b in _POINTS])
    unheard = (size - len(options)) * (Fraction(_UNIT, _root(size - 1)) if listed and size > 1 else Fraction(1))
    found = {option: mass * unheard.denominator for option, mass in zip(options, masses, strict=True)}
    return {**found, "": found.get("", 0) + rest * unheard.numerator}


def _known(skills: Mapping[str, Fraction], b: Fraction, size: int, listed: int) -> dict[str, tuple[int, int, int]]:
    return {seat: _vote_masses(skill - b, size, closed=bool(listed)) for seat, skill in skills.items()}


def _at_difficulty(
    b: Fraction, votes: Mapping[str, str], options: Sequence[str], known: Mapping[str, tuple[int, int, int]]
) -> Term:
    """What every option comes to at one difficulty, and none of these, for which nobody voted."""
    prior = exponential(-b * b / 8)
    for_each = (
        prod((known[seat][2 if vote == option else 1] for seat, vote in votes.items()), start=prior.numerator)
        for option in (*options, None)
    )
    return (prod((one[0] for one in known.values()), start=prior.denominator), *for_each)


@lru_cache(maxsize=8192)
def _vote_masses(ahead: Fraction, size: int, *, closed: bool) -> tuple[int, int, int]:
    """A denominator; over it, _UNIT times how probably a seat is wrong; and that with what its vote gains."""
    guess = Fraction(1, size) if closed else _GUESS
    right = guess + (1 - guess) / (1 + exponential(-ahead))
    wrong = (right.denominator - right.numerator) * _UNIT
    return right.denominator, wrong, max(wrong, right.numerator * _root(size - 1))


def _added(terms: Sequence[Term]) -> Term:
    """The sum, by halves: so most numbers that are multiplied are short."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    (under, *ones), (below, *others) = _added(terms[:half]), _added(terms[half:])
    return (under * below, *(one * below + other * under for one, other in zip(ones, others, strict=True)))


def _root(value: int) -> int:
    """The square root, times _UNIT."""
    return isqrt(value * _UNIT**2)
