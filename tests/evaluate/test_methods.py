from random import Random

import pytest

from quorate.evaluate.methods import (
    MethodChoice,
    by_confidence,
    by_plurality,
    by_seat,
    by_skill,
    fit_one_coin,
    learn_as_it_goes,
)
from quorate.evaluate.skill_fit import fit_skills
from quorate.evaluate.votes import VotedQuestion, VoteTable
from tests.evaluate.panels import SKILLS, drawn

SPLIT = VotedQuestion(
    id="1", votes={"ann": "a", "ben": "b", "cat": "b"}, listed=3, stated={"ann": 0.99, "ben": 0.55, "cat": 0.55}
)


def test_each_method_chooses_as_its_name_says() -> None:
    assert by_plurality(SPLIT).options == ("b",)
    assert by_confidence(SPLIT).options == ("a",)
    assert by_seat("ann")(SPLIT).options == ("a",)
    assert by_seat("nobody")(SPLIT).options == ()


@pytest.mark.parametrize(("options", "credit"), [(("a",), 1.0), (("a", "b"), 0.5), (("b",), 0.0), ((), 0.0)])
def test_a_tie_counts_as_if_it_were_drawn_from(options: tuple[str, ...], credit: float) -> None:
    assert MethodChoice(options=options, sure=1.0).credit("a") == credit


def test_one_coin_learns_who_is_right_where_errors_are_apart(seed: int) -> None:
    questions = drawn(Random(seed), 500, skills={**SKILLS, "fay": 2.0}, listed=10)
    coin, plain = fit_one_coin(questions), by_plurality

    assert sum(coin(one).credit(one.right) for one in questions) > sum(
        plain(one).credit(one.right) for one in questions
    )


def test_what_comes_later_never_changes_what_was_chosen(seed: int) -> None:
    questions = drawn(Random(seed), 60)

    assert learn_as_it_goes(questions, {})[:30] == learn_as_it_goes(questions[:30], {})


def test_right_answers_are_never_looked_at(seed: int) -> None:
    questions = drawn(Random(seed), 60)
    blind = [VotedQuestion(id=one.id, votes=one.votes, listed=one.listed) for one in questions]

    assert learn_as_it_goes(questions, {}) == learn_as_it_goes(blind, {})
    assert [fit_one_coin(questions)(one) for one in questions] == [fit_one_coin(blind)(one) for one in blind]
    seeing, unseeing = (by_skill(fit_skills(VoteTable.of(votes))) for votes in (questions, blind))
    assert [seeing(one) for one in questions] == [unseeing(one) for one in blind]
