"""What a seat's finding weighs: how sure it is, how good its sources are, and how many."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from quorate.analysis.citations import Citation
from quorate.frozen import dataclass
from quorate.model.evidence import Category

__all__ = ["ENOUGH", "LARGEST_RATIO", "Minima", "clamp_ratio", "deciding_weight", "quality", "short_of", "weight"]

ENOUGH: Final = 50
"""Sources from which on more of them weigh no more."""
LARGEST_RATIO: Final = Fraction(3, 2)
"""More would let one heavy seat outvote two light ones, or half of a panel pass for two thirds."""
MOST_BONUS: Final = Fraction(1, 5)
CATEGORIES: Final = 25
_OTHER_WORDS: Final[Category] = "domain_specific"
"""As what a category counts that a seat claims and nobody listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Minima:
    """How much a researcher should bring: sources in all, categories, official ones, news."""

    sources: int = 50
    categories: int = 5
    official: int = 5
    news: int = 15

    def within(self, library: int) -> "Minima":
        """What can be asked for where a closed library is all there is: nobody can choose the kinds it holds."""
        return Minima(sources=min(self.sources, library), categories=0, official=0, news=0)


def quality(citations: Iterable[Citation]) -> Fraction:
    """Mean credibility of the sources that count, and up to a fifth for their variety; never above 1."""
    counted = [one for one in citations if one.counts]
    if not counted:
        return Fraction(0)
    mean = sum((one.credibility for one in counted), Fraction(0)) / len(counted)
    variety = len({one.category for one in counted})
    return min(mean + min(Fraction(variety, CATEGORIES), MOST_BONUS), Fraction(1))


def weight(confidence: Fraction | None, citations: Sequence[Citation]) -> Fraction:
    """Confidence by source quality by how many of fifty sources there are; without a confidence nothing."""
    counted = sum(one.counts for one in citations)
    return (confidence or Fraction(0)) * quality(citations) * min(Fraction(counted, ENOUGH), Fraction(1))


def deciding_weight(weighs: Fraction, ratio: Fraction) -> Fraction:
    """A weight as it may decide: from 1/ratio to 1, so that the heaviest seat counts `ratio` times the lightest."""
    return min(max(weighs, 1 / ratio), Fraction(1))


def clamp_ratio(ratio: Fraction) -> Fraction:
    """A ratio of weights as it may be: from 1 to 3/2."""
    return min(max(ratio, Fraction(1)), LARGEST_RATIO)


def _named(counted: Sequence[Citation]) -> str:
    """Which categories were counted, and that another word is read as one of them: their number alone misleads."""
    if not counted:
        return ""
    folded = any(one.state == "claimed" and one.category == _OTHER_WORDS for one in counted)
    others = f"; other words count as {_OTHER_WORDS}" if folded else ""
    return f" ({', '.join(sorted({one.category for one in counted}))}{others})"


def short_of(citations: Iterable[Citation], minima: Minima) -> Iterator[str]:
    """What a seat lacks, in words: 12 of 50 sources."""
    counted = [one for one in citations if one.counts]
    kinds = [one.category for one in counted]
    there = (
        (len(counted), minima.sources, "sources"),
        (len(set(kinds)), minima.categories, f"categories{_named(counted)}"),
        (kinds.count("official"), minima.official, "official sources"),
        (kinds.count("news"), minima.news, "news sources"),
    )
    for number, needed, what in there:
        if number < needed:
            yield f"{number} of {needed} {what}"
