import pytest

from quorate.guard.empty import check
from quorate.model import Question


@pytest.mark.parametrize("text", ["", " ", "\n\t\r ", "\u200b\u200d\ufeff", "\u3164\u2800", "\u00a0\u2003", "\u0301"])
def test_a_question_without_anything_to_see_is_turned_away(text: str) -> None:
    (finding,) = check(Question(text=text))

    assert finding.turn_away
    assert finding.where == "question"


@pytest.mark.parametrize("text", ["?", "Why?", "🤔", "为什么", "42"])
def test_anything_to_see_is_not_empty(text: str) -> None:
    assert check(Question(text=text)) == ()


def test_a_blank_option_cannot_be_voted_for() -> None:
    (finding,) = check(Question(text="Tea or coffee?", options=("tea", "\u200b")))

    assert (finding.turn_away, finding.where) == (True, "option")


def test_context_and_criteria_may_be_left_out() -> None:
    assert check(Question(text="Tea?", context=" ", criteria="")) == ()
