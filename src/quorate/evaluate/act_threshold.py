"""The score from which to act without a person, certified on labelled decisions; exact intervals of a share."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, lgamma, log, log1p
from typing import Final

from quorate.frozen import dataclass

__all__ = ["LEVEL", "ActThreshold", "Interval", "act_threshold", "error_bound", "error_free_acts", "share_interval"]

LEVEL: Final = 0.95
RISK: Final = 0.1
"""How often the promise may fail to hold: delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure and where it probably lies."""

    value: float
    low: float
    high: float


def error_bound(errors: int, acts: int, delta: float = RISK) -> float:
    """The highest share of errors that so few errors still allow, at a risk of delta: Clopper and Pearson's."""
    if errors >= acts:
        return 1.0
    low, high = errors / acts, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(errors, acts, middle) > delta else (low, middle)
    return high


def _at_most(errors: int, acts: int, share: float) -> float:
    """The chance of so many errors or fewer."""
    if not 0.0 < share < 1.0:
        return 1.0 if share <= 0.0 else float(errors >= acts)
    whole = lgamma(acts + 1)
    logs = (
        whole - lgamma(k + 1) - lgamma(acts - k + 1) + k * log(share) + (acts - k) * log1p(-share)
        for k in range(errors + 1)
    )
    return sum(exp(one) for one in logs)


def share_interval(hits: int, cases: int, *, level: float = LEVEL) -> Interval:
    """A share of few cases with its exact interval, after Clopper and Pearson."""
    if not cases:
        return Interval(value=0.0, low=0.0, high=1.0)
    half = (1.0 - level) / 2
    return Interval(
        value=hits / cases, low=1.0 - error_bound(cases - hits, cases, half), high=error_bound(hits, cases, half)
    )


def error_free_acts(at_most: float, delta: float = RISK) -> int:
    """How many acts without an error it takes before a share of errors can be promised: 91 for 2.5 % at 0.1."""
    return ceil(log(delta) / log1p(-at_most))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActThreshold:
    """From which score on to act without a person; none if the labels do not carry the promise, and why."""

    score: float | Fraction | None
    acts: int
    errors: int
    labels: int
    why: str

    @property
    def coverage(self) -> float:
        """The share of the labelled decisions that are acted on."""
        return self.acts / self.labels if self.labels else 0.0


def act_threshold(
    scores: Sequence[float | Fraction], right: Sequence[bool], at_most: float, delta: float = RISK
) -> ActThreshold:
    """The lowest score above which no more than `at_most` are wrong, with a certainty of 1 − delta.

    Scores are tried from the highest down, from the first that covers enough decisions, and the first that fails ends
    it: so trying many thresholds costs no certainty.
    """
    needed, labels = error_free_acts(at_most, delta), len(scores)
    ordered = sorted(zip(scores, right, strict=True), key=lambda case: -case[0])
    best = ActThreshold(score=None, acts=0, errors=0, labels=labels, why=_too_few(needed, labels))
    errors = 0
    for acts, (score, good) in enumerate(ordered, 1):
        errors += not good
        level = acts < labels and ordered[acts][0] == score
        if acts < needed or level:
            continue
        bound = error_bound(errors, acts, delta)
        if bound > at_most:
            return best if best.score is not None else _refused(labels, acts, errors, bound, at_most)
        why = f"{errors} of {acts} past decisions with at least this score were wrong: at most {bound:.1%} are"
        best = ActThreshold(score=score, acts=acts, errors=errors, labels=labels, why=why)
    return best


def _too_few(needed: int, labels: int) -> str:
    there = "there is 1 label" if labels == 1 else f"there are {labels} labels"
    return f"not enough labels to promise that: {needed} error-free acts are needed, and {there}"


def _refused(labels: int, acts: int, errors: int, bound: float, at_most: float) -> ActThreshold:
    why = (
        f"the labels do not carry that: of the {acts} surest decisions {errors} were wrong, "
        f"so up to {bound:.1%} may be, more than {at_most:.1%}"
    )
    return ActThreshold(score=None, acts=0, errors=0, labels=labels, why=why)
