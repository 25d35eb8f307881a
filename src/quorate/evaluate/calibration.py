"""How often verdicts of a score were right: isotonic, learned from labels, and judged on labels that taught nothing.

A score only says which of two verdicts is surer. What is shown as a chance always comes from here.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from quorate.evaluate.act_threshold import Interval, share_interval
from quorate.frozen import dataclass

__all__ = ["FEWEST_LABELS", "Calibration", "CalibrationReport", "calibrate", "judge_calibration"]

FEWEST_LABELS: Final = 30
"""Below so many labels nothing is said."""
TOGETHER: Final = 10
"""Labels in a step at least: fewer say next to nothing of their own."""
FOLDS: Final = 5
BINS: Final = 10

Case = tuple[float | Fraction, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From a score on: how many labelled verdicts there were, how many of them were right, and the chance."""

    score: float
    labels: int
    right: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Steps that never go down: the surer a verdict, the more often such verdicts were right."""

    steps: tuple[Step, ...]
    labels: int

    def step(self, score: float) -> Step:
        """The step a score stands on; below them all, the lowest."""
        return next((step for step in reversed(self.steps) if step.score <= score), self.steps[0])

    def chance(self, score: float) -> Interval:
        """How often verdicts of this score were right, with the exact interval of that step."""
        step = self.step(score)
        known = share_interval(step.right, step.labels)
        return Interval(value=step.chance, low=min(known.low, step.chance), high=max(known.high, step.chance))


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """How far the chances can be believed: each case judged by the labels of the others.

    `error` is the expected calibration error: how far, on average, what was said lies from what came.
    """

    labels: int
    error: float
    raw_error: float
    """The same of the score itself, taken for a chance."""
    points: tuple[tuple[float, float, int], ...]
    """The chance that was said, how often it came true, and on how many verdicts."""


def calibrate(cases: Sequence[Case]) -> Calibration | None:
    """Learn the chances; none below the fewest labels it takes."""
    return _fitted(cases) if len(cases) >= FEWEST_LABELS else None


def _fitted(cases: Sequence[Case]) -> Calibration:
    steps: list[Step] = []
    for step in _blocks(cases):
        steps.append(step)
        while len(steps) > 1 and steps[-2].chance > steps[-1].chance:
            after, before = steps.pop(), steps.pop()
            steps.append(_step(before.score, before.labels + after.labels, before.right + after.right))
    return Calibration(steps=tuple(steps), labels=len(cases))


def _blocks(cases: Sequence[Case]) -> Iterator[Step]:
    """Cases of about the same score, the lowest first; those of one score are never parted."""
    left = len(cases)
    block: list[Case] = []
    for _, level in groupby(sorted(cases), key=lambda case: case[0]):
        same = list(level)
        block += same
        left -= len(same)
        if len(block) >= TOGETHER and left >= TOGETHER:
            yield _of(block)
            block = []
    if block:
        yield _of(block)


def _of(block: Sequence[Case]) -> Step:
    return _step(float(block[0][0]), len(block), sum(right for _, right in block))


def _step(score: float, labels: int, right: int) -> Step:
    """With one right and one wrong verdict more than there were: no finite number of labels makes anything certain."""
    return Step(score=score, labels=labels, right=right, chance=(right + 1) / (labels + 2))


def judge_calibration(cases: Sequence[Case]) -> CalibrationReport | None:
    """Say for each case what the others teach, and compare; none below the fewest labels it takes."""
    if len(cases) < FEWEST_LABELS:
        return None
    said: list[Case] = []
    for fold in range(FOLDS):
        others = [case for number, case in enumerate(cases) if number % FOLDS != fold]
        learned = _fitted(others)
        said += [(learned.step(float(score)).chance, right) for score, right in cases[fold::FOLDS]]
    points = tuple(_points(said))
    return CalibrationReport(
        labels=len(cases),
        error=_apart(points, len(said)),
        raw_error=_apart(tuple(_points(cases)), len(cases)),
        points=points,
    )


def _points(said: Sequence[Case]) -> Iterator[tuple[float, float, int]]:
    """Cases in bins of about the same size, by what was said; equal ones are never parted."""
    most = max(1, len(said) // BINS)
    bin_: list[Case] = []
    for _, level in groupby(sorted(said), key=lambda case: case[0]):
        bin_ += level
        if len(bin_) >= most:
            yield _point(bin_)
            bin_ = []
    if bin_:
        yield _point(bin_)


def _point(cases: Sequence[Case]) -> tuple[float, float, int]:
    size = len(cases)
    return float(sum(chance for chance, _ in cases)) / size, sum(right for _, right in cases) / size, size


def _apart(points: Sequence[tuple[float, float, int]], cases: int) -> float:
    return sum(abs(chance - came) * size for chance, came, size in points) / cases
