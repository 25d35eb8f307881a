"""How far numbers lie apart: median, quartiles and range, exact; and the most they could if more were named.

Quartiles are taken with linear interpolation between neighbours, as most statistics programs do by default.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from quorate.frozen import dataclass

__all__ = ["Spread", "spread_of", "worst_spread"]

_LOWER: Final = 1
_MIDDLE: Final = 2
_UPPER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Numbers in five figures."""

    number: int
    lowest: Fraction
    lower_quartile: Fraction
    median: Fraction
    upper_quartile: Fraction
    highest: Fraction

    @property
    def interquartile_range(self) -> Fraction:
        """How far the middle half lies apart."""
        return self.upper_quartile - self.lower_quartile


def spread_of(numbers: Sequence[Fraction]) -> Spread | None:
    """The figures of some numbers; none of nothing."""
    stand = sorted(numbers)
    lower, middle, upper = (_quartile(stand, 0, len(stand), quarter) for quarter in (_LOWER, _MIDDLE, _UPPER))
    if lower is None or middle is None or upper is None:
        return None
    return Spread(
        number=len(stand),
        lowest=stand[0],
        lower_quartile=lower,
        median=middle,
        upper_quartile=upper,
        highest=stand[-1],
    )


def worst_spread(numbers: Sequence[Fraction], missing: int) -> tuple[Fraction, Fraction] | None:
    """The largest interquartile range and the median nearest to zero that there could be if so many more were named.

    None where there is no bound: the missing could move a quartile as far as they like.
    """
    stand, total = sorted(numbers), len(numbers) + missing
    ranges: list[Fraction] = []
    middles: list[Fraction] = []
    for below in range(missing + 1):
        found = [_quartile(stand, below, total, quarter) for quarter in (_LOWER, _MIDDLE, _UPPER)]
        lower, middle, upper = found
        if lower is None or middle is None or upper is None:
            return None
        ranges.append(upper - lower)
        middles.append(middle)
    crosses = min(middles) <= 0 <= max(middles)
    return max(ranges), Fraction(0) if crosses else min(map(abs, middles))


def _quartile(stand: Sequence[Fraction], below: int, total: int, quarter: int) -> Fraction | None:
    """A quartile of `total` numbers: these, in their order, `below` others far below them and the rest far above.

    None if it falls upon one that is not known.
    """
    at, rest = divmod((total - 1) * quarter, 4)
    first = at - below
    last = first + (1 if rest else 0)
    if first < 0 or last >= len(stand):
        return None
    return stand[first] + (stand[last] - stand[first]) * Fraction(rest, 4)
