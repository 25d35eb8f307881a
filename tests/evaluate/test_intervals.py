from random import Random

import pytest

from quorate.evaluate.act_threshold import act_threshold, error_bound, error_free_acts, share_interval
from quorate.evaluate.intervals import bootstrap, compare_pairs
from quorate.evaluate.targets import target_rows
from quorate.evaluate.voted_question import VotedQuestion


@pytest.mark.parametrize(
    ("errors", "acts", "delta", "bound"),
    [(0, 91, 0.1, 0.0250), (0, 90, 0.1, 0.0253), (0, 10, 0.05, 0.2589), (3, 20, 0.025, 0.3789), (5, 5, 0.1, 1.0)],
)
def test_the_bound_is_that_of_the_published_tables(errors: int, acts: int, delta: float, bound: float) -> None:
    assert error_bound(errors, acts, delta) == pytest.approx(bound, abs=5e-5)


def test_an_exact_interval_is_that_of_the_published_tables() -> None:
    found = share_interval(3, 20)

    assert (found.low, found.high) == pytest.approx((0.0321, 0.3789), abs=5e-5)
    assert (share_interval(0, 0).low, share_interval(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize(("at_most", "needed"), [(0.025, 91), (0.05, 45), (0.01, 230)])
def test_so_many_acts_without_an_error_carry_a_promise(at_most: float, needed: int) -> None:
    assert error_free_acts(at_most) == needed


def test_too_few_labels_promise_nothing_and_say_how_many_it_takes() -> None:
    found = act_threshold([0.9] * 90, [True] * 90, 0.025)

    assert found.score is None
    assert found.why.startswith("not enough labels to promise that: 91 error-free acts are needed")


def test_with_enough_labels_the_lowest_safe_score_is_found() -> None:
    scores = [0.9] * 100 + [0.8] * 100 + [0.3] * 100
    right = [True] * 200 + [True, False] * 50

    found = act_threshold(scores, right, 0.025)

    assert (found.score, found.acts, found.errors) == (0.8, 200, 0)
    assert found.coverage == pytest.approx(2 / 3)


def test_decisions_that_are_often_wrong_promise_nothing() -> None:
    found = act_threshold([0.9] * 200, [True, False] * 100, 0.025)

    assert found.score is None
    assert "100 were wrong" in found.why


@pytest.mark.promise
@pytest.mark.slow
def test_a_promise_is_broken_no_more_often_than_its_risk(seed: int) -> None:
    chance = Random(seed)
    broken = trials = 0
    for _ in range(400):
        scores = [chance.random() for _ in range(300)]
        right = [chance.random() < 0.9 + 0.1 * score for score in scores]
        found = act_threshold(scores, right, 0.05)
        if found.score is not None:
            truth = 1 - (0.9 + 0.1 * (1 + found.score) / 2)
            broken += truth > 0.05
        trials += 1

    assert broken / trials <= 0.1 + 3 * (0.1 * 0.9 / trials) ** 0.5


def test_an_interval_holds_its_mean_and_repeats(seed: int) -> None:
    chance = Random(seed)
    figures = [float(chance.random() < 0.7) for _ in range(300)]

    found = bootstrap(figures)

    assert found.low < found.value < found.high
    assert found == bootstrap(figures)


@pytest.mark.parametrize("cases", [1, 2, 5, 60, 400])
def test_figures_that_are_all_alike_have_the_interval_of_a_share(cases: int) -> None:
    for hits in (0, cases):
        found, exact = bootstrap([float(hits > 0)] * cases), share_interval(hits, cases)

        assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def test_an_interval_of_few_figures_is_not_narrower_than_that_of_a_share(seed: int) -> None:
    chance = Random(seed)
    for cases in range(1, 20):
        hits = chance.randrange(cases + 1)
        found, exact = bootstrap([1.0] * hits + [0.0] * (cases - hits)), share_interval(hits, cases)

        assert found.high - found.low >= 0.8 * (exact.high - exact.low)


def test_no_target_is_met_on_one_question() -> None:
    one = VotedQuestion(
        id="1", votes={"A": "x", "B": "x", "C": "y"}, right="x", stated={"A": 0.99, "B": 0.99, "C": 0.99}
    )

    assert not any(row.met for row in target_rows([one]))


def test_seats_that_were_never_right_are_not_said_to_be_unlabelled() -> None:
    wrong = VotedQuestion(id="1", votes={"A": "x", "B": "y"}, right="z")

    assert target_rows([wrong])[0].why == "no seat was ever right"


def test_a_gain_that_is_the_same_nine_times_is_no_certainty() -> None:
    found = compare_pairs([0.5] * 9, [1.0] * 9).gain

    assert found.low < 0
    assert 0.5 < found.high <= 1


def test_pairs_are_compared_question_by_question() -> None:
    found = compare_pairs([0.0] * 8 + [1.0, 1.0], [1.0] * 8 + [1.0, 0.0])

    assert (found.better, found.worse) == (8, 1)
    assert found.p_value == pytest.approx(20 / 512)
    assert compare_pairs([1.0], [1.0]).p_value == 1.0
