"""Rulebooks applied to recorded votes: which of them can be, and what they decide."""

from fractions import Fraction
from random import Random

import pytest

from quorate import presets
from quorate.errors import BadSetting, UnknownName
from quorate.evaluate.rulebook_votes import apply_to_votes, books_for, chosen_option, voting_rulebook
from quorate.evaluate.voted_question import VotedQuestion, plurality

OUTCOMES = ("ACT", "WARN", "REFUSE")


def voted(votes: str) -> VotedQuestion:
    """A letter a seat; a dash is a seat without a vote."""
    return VotedQuestion(id="1", votes={f"seat {place}": vote for place, vote in enumerate(votes) if vote != "-"})


def chosen(votes: str, rulebook: str) -> str | None:
    question, seats = voted(votes), [f"seat {place}" for place in range(len(votes))]
    return chosen_option(question, apply_to_votes(question, seats, voting_rulebook(rulebook)))


@pytest.mark.parametrize(
    ("votes", "plurality", "tribunal", "oracle"),
    [
        ("aaa", "a", "a", "a"),
        ("aab", "a", "a", "a"),
        ("aabb", None, None, None),
        ("aabc", "a", None, None),
        ("aabbb", "b", None, None),
        ("aab-", "a", None, None),
        ("aaaa--", "a", "a", "a"),
        ("a--", None, None, None),
        ("---", None, None, None),
        ("aa", "a", "a", None),
    ],
)
def test_each_decides_as_its_rules_say(
    votes: str, plurality: str | None, tribunal: str | None, oracle: str | None
) -> None:
    found = {name: chosen(votes, name) for name in ("plurality", "tribunal", "oracle")}

    assert found == {"plurality": plurality, "tribunal": tribunal, "oracle": oracle}


def test_nothing_is_decided_that_nobody_voted_for_and_two_thirds_are_two_thirds(seed: int) -> None:
    random = Random(seed)
    for _ in range(200):
        votes = "".join(random.choices("abc-", weights=(5, 2, 1, 1), k=random.randint(3, 9)))
        heads = max((votes.count(option) for option in "abc"), default=0)
        clear = len(plurality(voted(votes).votes)) == 1 and Fraction(heads, len(votes)) >= Fraction(2, 3)

        for name in ("tribunal", "oracle", "plurality"):
            assert chosen(votes, name) in {*votes.replace("-", ""), None}
        assert (chosen(votes, "tribunal") is not None) == clear


def test_every_rulebook_that_can_decide_on_the_votes_is_measured() -> None:
    assert [book.name for book in books_for([voted("ab")])] == ["plurality", "track_record", "oracle"]
    of_a_tribunal = VotedQuestion(id="1", votes=dict(zip("stu", OUTCOMES, strict=True)))
    assert [book.name for book in books_for([of_a_tribunal])] == ["plurality", "track_record", "oracle", "tribunal"]
    assert "tribunal" not in {book.name for book in books_for([of_a_tribunal, voted("ab")])}


def test_a_rulebook_for_other_votes_is_refused_with_those_that_fit() -> None:
    for name in presets.rulebooks():
        if name not in {"plurality", "track_record", "oracle", "tribunal"}:
            with pytest.raises(BadSetting, match="plurality, track_record, oracle, tribunal"):
                voting_rulebook(name)
    with pytest.raises(UnknownName, match="plurality"):
        voting_rulebook("pluralty")
