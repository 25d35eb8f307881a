"""Ballots and arguments as people hand them over: what makes no sense is silence or a plain message, never a crash."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest

from quorate.errors import BadSetting
from quorate.model import Read
from quorate.reading.text.answer_file import read_file

OUTCOMES = ("ACT", "WARN", "REFUSE")


def case_in(text: str) -> Read:
    """What the one argument of a file is read as."""
    _, (one,) = read_file(text, "", rounds=True)
    return one.read("argument", ("con",))


def ballot_in(text: str) -> Read:
    """What the one ballot of a file is read as."""
    _, (one,) = read_file(text, "", rounds=False)
    return one.read("decision", OUTCOMES)


@pytest.mark.parametrize(
    "written", ['"000199999"', '"0001' + "0" * 5_000 + '"', '"\u0661"', "101", "0", "-1", "1.0", "true", '"1 "']
)
def test_a_round_is_a_number_from_1_to_100(written: str) -> None:
    with pytest.raises(BadSetting, match="a round is a number from 1 to 100"):
        case_in(f'[{{"seat": "P", "round": {written}, "claims": ["x"], "confidence": 0.5}}]')


def test_a_case_handed_over_is_bounded_like_one_that_was_written() -> None:
    claims = [f"claim {number} " + "x" * 3_000 for number in range(500)]
    one = case_in(json.dumps([{"seat": "P", "round": 1, "claims": claims, "confidence": 0.5}]))

    assert one.argument is not None
    assert len(one.argument.claims) == 24
    assert max(map(len, one.argument.claims)) == 1_000


def test_a_key_with_two_values_has_none() -> None:
    case = case_in('[{"seat": "P", "claims": ["x"], "confidence": 0.5, "confidence": 0.9}]')
    given = ballot_in('[{"seat": "P", "decision": "WARN", "decision": "ACT", "confidence": 90, "risk": 1}]')
    same = ballot_in('[{"seat": "P", "decision": "ACT", "decision": "ACT", "confidence": 90, "risk": 1}]')

    assert (case.argument, case.unreadable) == (None, "bad_number")
    assert given.ballot is None
    assert same.ballot is not None
    assert same.ballot.confidence == Fraction(9, 10)


def test_half_a_character_is_replaced_and_a_backslash_stays() -> None:
    case = case_in('[{"seat": "P", "claims": ["a\\ud800b", "C:\\\\new"], "confidence": 0.5}]')
    given = ballot_in('[{"seat": "P", "decision": "ACT", "confidence": 9, "risk": 1, "reasoning": "a\\ud800b"}]')

    assert case.argument is not None
    assert case.argument.claims == ("a\ufffdb", "C:\\new")
    assert given.ballot is not None
    assert given.ballot.rationale == "a\ufffdb"


def test_what_is_nested_too_deep_is_told_so() -> None:
    with pytest.raises(BadSetting, match="not JSON"):
        case_in('[{"seat": "P", "claims": ' + "[" * 100_000)
    for depth in (500, 900, 5_000):
        with suppress(BadSetting):
            ballot_in(f'[{{"seat": "P", "decision": {"[" * depth}{"]" * depth}}}]')
