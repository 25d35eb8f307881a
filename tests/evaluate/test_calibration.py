"""Chances come from labels: they never go down with the score, are never certain, and are judged on other labels."""

from itertools import pairwise
from random import Random

import pytest

from quorate.evaluate.calibration import calibrate, judge_calibration


def cases(seed: int, size: int = 600) -> list[tuple[float, bool]]:
    """Scores that claim more than they hold: a score s is right with a chance of s / 2 + 0.35."""
    chance = Random(seed)
    drawn = [0.5 + chance.random() / 2 for _ in range(size)]
    return [(score, chance.random() < score / 2 + 0.35) for score in drawn]


def test_too_few_labels_say_nothing(seed: int) -> None:
    assert calibrate(cases(seed)[:29]) is None
    assert judge_calibration(cases(seed)[:29]) is None
    assert calibrate(cases(seed)[:30]) is not None


def test_chances_never_go_down_and_never_reach_certainty(seed: int) -> None:
    learned = calibrate([(one / 100, True) for one in range(100)])
    assert learned is not None
    assert all(0.0 < step.chance < 1.0 for step in learned.steps)

    drawn = calibrate(cases(seed))
    assert drawn is not None
    assert all(one.score < other.score and one.chance <= other.chance for one, other in pairwise(drawn.steps))
    assert sum(step.labels for step in drawn.steps) == 600
    assert drawn.chance(0.0) == drawn.chance(0.5)


def test_a_score_that_claims_too_much_is_set_right(seed: int) -> None:
    found = judge_calibration([(0.975, one % 100 < 86) for one in range(400)])
    assert found is not None
    assert found.raw_error == pytest.approx(0.115, abs=1e-9)
    assert found.error < 0.03
    learned = calibrate([(0.975, one % 100 < 86) for one in range(400)])
    assert learned is not None
    assert learned.chance(0.975).value == pytest.approx(0.86, abs=0.01)

    drawn = judge_calibration(cases(seed, 3000))
    assert drawn is not None
    assert drawn.error < 0.06


def test_equal_scores_are_never_parted() -> None:
    learned = calibrate([(0.5, True)] * 5 + [(0.6, False)] * 30 + [(0.7, True)] * 40)
    assert learned is not None
    assert [(step.score, step.labels) for step in learned.steps] == [(0.5, 35), (0.7, 40)]


def test_the_interval_holds_the_chance_and_is_that_of_its_step() -> None:
    learned = calibrate([(0.5, one < 20) for one in range(40)])
    assert learned is not None
    found = learned.chance(0.9)
    assert found.low < found.value < found.high
    assert (found.low, found.high) == pytest.approx((0.338, 0.662), abs=2e-3)
