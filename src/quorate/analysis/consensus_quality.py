"""How good a consensus is, in numbers: agreement, sources, confidence and time."""

from collections.abc import Sequence
from fractions import Fraction

from quorate.analysis.pooling import deviation
from quorate.analysis.research import ResearchFinding
from quorate.analysis.source_overlap import overlap
from quorate.analysis.source_weights import quality
from quorate.frozen import dataclass
from quorate.model import Tally

__all__ = ["Metrics", "leading_outcome", "metrics", "quality_weighted", "weighted_share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """All shares are of the configured seats but `weighted`, which is of the weight that was cast; times in seconds."""

    agreement: Fraction
    weighted: Fraction
    unique_sources: int
    mean_sources: Fraction
    overlap: Fraction
    mean_confidence: Fraction | None
    confidence_deviation: Fraction | None
    total_time: Fraction | None
    mean_time: Fraction | None


def metrics(
    tally: Tally, found: Sequence[ResearchFinding], took: Sequence[Fraction] = (), whole: Fraction | None = None
) -> Metrics:
    """The figures of one research; `took` is how long each answer took, `whole` how long all of it, if known."""
    shared = overlap([(one.seat, one.citations) for one in found])
    stated = [one.ballot.confidence for one in found if one.ballot.confidence is not None]
    sources = sum(one.sources for one in found)
    return Metrics(
        agreement=tally.agreement,
        weighted=weighted_share(tally, leading_outcome(tally)),
        unique_sources=shared.unique,
        mean_sources=Fraction(sources, len(found)) if found else Fraction(0),
        overlap=shared.mean,
        mean_confidence=_mean(stated),
        confidence_deviation=deviation(stated),
        total_time=whole,
        mean_time=_mean(took),
    )


def leading_outcome(tally: Tally) -> str | None:
    """The outcome with the most heads, on a tie of heads the heaviest of them; none if weight ties too."""
    heaviest = max((tally.weight(option) for option in tally.leaders), default=Fraction(0))
    first = [option for option in tally.leaders if tally.weight(option) == heaviest]
    return first[0] if len(first) == 1 else None


def weighted_share(tally: Tally, option: str | None) -> Fraction:
    """The share of the weight cast that stands behind an outcome; nothing if nothing weighs."""
    total = sum((voice.weight for voice in tally.voices), Fraction(0))
    return tally.weight(option) / total if option is not None and total else Fraction(0)


def quality_weighted(found: Sequence[ResearchFinding], seats: Sequence[str]) -> Fraction | None:
    """The confidence of some seats, each as much as the quality and number of its sources; none if nothing weighs."""
    behind = [one for one in found if one.seat in seats and one.ballot.confidence is not None]
    weights = [quality(one.citations) * one.sources for one in behind]
    total = sum(weights, Fraction(0))
    said = sum(
        ((one.ballot.confidence or Fraction(0)) * weighs for one, weighs in zip(behind, weights, strict=True)),
        Fraction(0),
    )
    return said / total if total else None


def _mean(numbers: Sequence[Fraction]) -> Fraction | None:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else None
