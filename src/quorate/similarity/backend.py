"""What a backend is: texts in, scores of pairs out, each by the two texts alone."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Final, Protocol

__all__ = ["ALL_UP_TO", "FLOOR", "Backend", "Score", "round_score"]

Score = tuple[int, int, Fraction]
"""Two places in the list of texts, the smaller first, and how alike they are, from 0 to 1."""

ALL_UP_TO: Final = 50
FLOOR: Final = Fraction(2, 5)
"""Above so many texts only scores from here on are given; a pair that is missing is below."""

_PLACES: Final = 10_000


class Backend(Protocol):
    """One way to tell how alike texts are. It may raise OSError, ValueError, ImportError or MemoryError."""

    @property
    def name(self) -> str:
        """What it is called, with its version: it goes into the record."""
        ...

    def scores(self, texts: Sequence[str]) -> Iterable[Score]:
        """Every pair, or above `ALL_UP_TO` texts every pair from `FLOOR` on."""
        ...


def round_score(score: Fraction | float) -> Fraction:
    """Four decimals, exactly, within 0 and 1."""
    return _share(min(max(round(score * _PLACES), 0), _PLACES))


@cache
def _share(parts: int) -> Fraction:
    """There are ten thousand and one of them, and each is wanted often."""
    return Fraction(parts, _PLACES)
