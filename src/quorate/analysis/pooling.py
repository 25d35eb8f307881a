"""Several numbers become one: the median with its spread, or the mean of log-odds.

Logarithms are taken with 40 decimal digits, each step rounded half to even as the standard library's decimal
arithmetic defines it: the same on every machine, and no float anywhere.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import isqrt
from statistics import median
from typing import Final

__all__ = ["brier", "clip_probability", "deviation", "is_near", "middle", "pool_probabilities"]

LEAST: Final = Fraction(1, 100)
MOST: Final = Fraction(99, 100)
PLACES: Final = 6
_DIGITS: Final = 40


def clip_probability(chance: Fraction) -> Fraction:
    """A probability kept from 0.01 to 0.99, so that nobody is so sure that no other counts."""
    return min(max(chance, LEAST), MOST)


def pool_probabilities(chances: Sequence[Fraction]) -> Fraction | None:
    """The probability whose log-odds are the mean of all log-odds, to six places; none of nothing."""
    if not chances:
        return None
    exact = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
    kept = [clip_probability(chance) for chance in chances]
    total = Decimal(0)
    for chance in sorted(kept):
        odds = exact.divide(Decimal(chance.numerator), Decimal(chance.denominator - chance.numerator))
        total = exact.add(total, exact.ln(odds))
    odds = exact.exp(exact.divide(total, Decimal(len(kept))))
    share = exact.divide(odds, exact.add(Decimal(1), odds))
    return clip_probability(Fraction(share.quantize(Decimal(1).scaleb(-PLACES), rounding=ROUND_HALF_EVEN)))


def middle(numbers: Sequence[Fraction]) -> Fraction | None:
    """The median; of an even number the mean of the two in the middle."""
    return median(numbers) if numbers else None


def is_near(number: Fraction, centre: Fraction, tolerance: Fraction) -> bool:
    """Whether a number is within the tolerance of another, as a share of that other; of zero only zero is."""
    return abs(number - centre) <= tolerance * abs(centre)


def deviation(numbers: Sequence[Fraction]) -> Fraction | None:
    """The standard deviation of these numbers, all there are, rounded down to six places; none of nothing."""
    if not numbers:
        return None
    mean = sum(numbers, Fraction(0)) / len(numbers)
    variance = sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / len(numbers)
    scale = 10**PLACES
    return Fraction(isqrt(variance.numerator * scale * scale // variance.denominator), scale)


def brier(chance: Fraction, *, happened: bool) -> Fraction:
    """How far a probability was from what happened, squared: 0 is perfect, 1/4 is not knowing, 1 is wrong and sure."""
    return (chance - int(happened)) ** 2
