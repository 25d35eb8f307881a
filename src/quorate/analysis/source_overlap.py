"""How much two researchers looked at the same sources."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Final

from quorate.analysis.source_list import Cited, same
from quorate.frozen import dataclass

__all__ = ["BANDS", "SeatPair", "SourceOverlap", "band", "overlap"]

BANDS: Final[Mapping[Fraction, str]] = MappingProxyType(
    {
        Fraction(3, 5): "very high",
        Fraction(2, 5): "high",
        Fraction(1, 5): "moderate",
        Fraction(0): "low",
    }
)
"""From where on a share of common sources is called what: each band begins at its number and ends below the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPair:
    """Two seats, and the share of common sources among all that the two have."""

    a: str
    b: str
    share: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverlap:
    """Every pair in seat order, their mean, the largest, and how many different sources there are in all."""

    pairs: tuple[SeatPair, ...]
    unique: int

    @property
    def mean(self) -> Fraction:
        return sum((pair.share for pair in self.pairs), Fraction(0)) / len(self.pairs) if self.pairs else Fraction(0)

    @property
    def largest(self) -> Fraction:
        return max((pair.share for pair in self.pairs), default=Fraction(0))


def overlap(cited: Cited) -> SourceOverlap:
    """Compare every two seats, a source under several addresses being one."""
    home = same(citation for _, citations in cited for citation in citations)
    held = {
        seat: frozenset(home[one.names[0]] for one in citations if one.counts and one.names)
        for seat, citations in cited
    }
    pairs = (SeatPair(a=a, b=b, share=_share(held[a], held[b])) for a, b in combinations(held, 2))
    return SourceOverlap(pairs=tuple(pairs), unique=len(frozenset[str]().union(*held.values())))


def _share(one: frozenset[str], other: frozenset[str]) -> Fraction:
    both = one | other
    return Fraction(len(one & other), len(both)) if both else Fraction(0)


def band(share: Fraction) -> str:
    """What a share of common sources is called."""
    return next(name for least, name in BANDS.items() if share >= least)
