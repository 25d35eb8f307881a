from quorate.guard.length import check
from quorate.model import Question


def test_a_text_at_its_limit_is_put_and_one_above_is_not() -> None:
    assert check(Question(text="a" * 10, context="b" * 20), longest=10, longest_context=20) == ()
    assert [finding.where for finding in check(Question(text="a" * 11), longest=10)] == ["question"]
    assert [finding.where for finding in check(Question(text="a", context="b" * 21), longest_context=20)] == ["context"]
    assert [finding.where for finding in check(Question(text="a", criteria="c" * 11), longest=10)] == ["criteria"]


def test_options_are_measured_together() -> None:
    (finding,) = check(Question(text="a", options=("b" * 6, "c" * 6)), longest=10)

    assert (finding.where, finding.turn_away) == ("option", True)


def test_the_reason_names_both_numbers() -> None:
    (finding,) = check(Question(text="a" * 100_001))

    assert finding.reason == "the question has 100,001 characters; at most 100,000 are allowed"
