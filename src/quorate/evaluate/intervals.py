"""How far a figure can be trusted: bootstrap intervals and a paired test."""

from collections.abc import Sequence
from math import comb, exp, log
from typing import Final

import numpy as np

from quorate.evaluate.act_threshold import LEVEL, Interval, error_bound
from quorate.frozen import dataclass

__all__ = ["PairedTest", "bootstrap", "compare_pairs"]

RESAMPLES: Final = 1000
FEW: Final = 20
"""Below this many figures, what was not drawn counts in an interval as much as what was."""


def bootstrap(figures: Sequence[float], *, seed: int = 1, least: float = 0.0, most: float = 1.0) -> Interval:
    """The mean with its interval, from means of questions drawn again and again; the same seed gives the same.

    The mean lies between `least` and `most` in any case. Where figures are few, or all alike, drawing them again shows
    nothing but themselves: then the share that may be unlike them all, after Clopper and Pearson, lies at the ends.
    """
    values = np.asarray(figures, dtype=np.float64)
    if not len(values):
        return Interval(value=0.0, low=least, high=most)
    drawn = np.random.default_rng(seed)
    means = [values[drawn.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)]
    low, high = map(float, np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    if len(values) < FEW or values.min() == values.max():
        unseen = error_bound(0, len(values), (1 - LEVEL) / 2)
        low, high = (end + unseen * (edge - end) for end, edge in ((low, least), (high, most)))
    return Interval(value=float(values.mean()), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """Two methods on the same questions: how often one alone was better, and how probable so much is by chance."""

    gain: Interval
    better: int
    worse: int
    p_value: float


def compare_pairs(first: Sequence[float], second: Sequence[float], *, seed: int = 1) -> PairedTest:
    """The second beside the first, question by question, by an exact sign test."""
    apart = [b - a for a, b in zip(first, second, strict=True)]
    better, worse = sum(one > 0 for one in apart), sum(one < 0 for one in apart)
    few, both = min(better, worse), better + worse
    tail = sum(comb(both, count) for count in range(few + 1))
    p_value = min(1.0, 2 * exp(log(tail) - both * log(2)))
    return PairedTest(gain=bootstrap(apart, seed=seed, least=-1.0), better=better, worse=worse, p_value=p_value)
