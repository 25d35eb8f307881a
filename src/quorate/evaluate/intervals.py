"""How far a figure can be trusted: bootstrap intervals and a paired test."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, log
from typing import Final

import numpy as np

from quorate.evaluate.act_threshold import LEVEL, Interval, share_interval

__all__ = ["PairedTest", "bootstrap", "compare_pairs"]

RESAMPLES: Final = 1000
ALIKE: Final = 1e-12
"""Figures that differ by less are one figure."""


def bootstrap(figures: Sequence[float], *, seed: int = 1, within: tuple[float, float] = (0.0, 1.0)) -> Interval:
    """The mean with its interval, from means of questions drawn again and again; the same seed gives the same.

    `within` is between what a figure can lie. Figures that are all alike would be drawn alike for ever, so there the
    interval is that of the share of questions which may yet be otherwise.
    """
    values = np.asarray(figures, dtype=np.float64)
    if not len(values):
        return Interval(value=0.0, low=0.0, high=1.0)
    if np.ptp(values) < ALIKE:
        value, other = float(values[0]), share_interval(0, len(values)).high
        return Interval(value=value, low=value - other * (value - within[0]), high=value + other * (within[1] - value))
    drawn = np.random.default_rng(seed)
    means = [values[drawn.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value=float(values.mean()), low=float(low), high=float(high))


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
    return PairedTest(gain=bootstrap(apart, seed=seed, within=(-1.0, 1.0)), better=better, worse=worse, p_value=p_value)
