"""What a panel is worth in independent votes, and what is said before anything is known."""

from random import Random

import pytest

from quorate.evaluate.independence import effective_votes, measure_independence
from quorate.evaluate.voted_question import VotedQuestion

SEATS = ("ann", "ben", "cat")


def asked(seed: int, size: int, *, copies: tuple[str, ...] = ()) -> list[VotedQuestion]:
    """Questions on which each seat errs alone one time in three; copies do what the first of them does."""
    chance = Random(seed)
    found: list[VotedQuestion] = []
    for number in range(size):
        votes = {seat: "right" if chance.random() < 2 / 3 else f"wrong {seat}" for seat in SEATS}
        votes.update(dict.fromkeys(copies, votes[copies[0]]) if copies else {})
        found.append(VotedQuestion(id=str(number), votes=votes, right="right"))
    return found


def test_seats_that_err_alone_are_worth_nearly_as_many_votes(seed: int) -> None:
    found = measure_independence(asked(seed, 2000), SEATS)

    assert found.source == "record"
    assert found.effective == pytest.approx(3.0, abs=0.25)
    assert found.replace is None
    assert found.all_wrong == pytest.approx(found.all_wrong_if_independent, rel=0.5)


def test_two_copies_of_one_mind_are_one_vote_and_are_named(seed: int) -> None:
    found = measure_independence(asked(seed, 400, copies=("ann", "ben")), SEATS)

    assert found.effective == pytest.approx(3 / (1 + 2 / 3), abs=0.3)
    worst = found.correlated[0]
    assert (worst.a, worst.b) == ("ann", "ben")
    assert worst.correlation == pytest.approx(1.0)
    assert worst.same_answer == worst.both_wrong
    assert found.replace in {"ann", "ben"}
    assert found.effective_then is not None
    assert found.effective_then > found.effective


def test_before_there_is_a_record_a_published_figure_stands_in_and_says_so() -> None:
    nine = [f"model{number}" for number in range(9)]
    found = measure_independence([], nine)

    assert found.source == "published"
    assert found.effective == pytest.approx(2.0)
    assert "not measured here" in found.sentence
    assert "arXiv:2605.29800" in found.sentence


def test_seats_of_one_model_count_once_before_anything_is_known() -> None:
    found = measure_independence([], ["gpt (a)", "gpt (b)", "gpt (c)"])

    assert (found.seats, found.effective) == (1, 1.0)
    assert found.sentence == "one model answers for all seats, so they are worth one independent vote at most"


def test_a_pair_that_was_hardly_ever_asked_together_is_not_judged(seed: int) -> None:
    assert measure_independence(asked(seed, 19), SEATS).source == "published"
    assert measure_independence(asked(seed, 20), SEATS).source == "record"


def test_errors_that_go_apart_are_not_taken_for_more_than_independence() -> None:
    assert effective_votes(4, -0.5) == 4.0
    assert effective_votes(4, 1.0) == 1.0
