"""Ballots and arguments as people hand them over: what makes no sense is silence or a plain message, never a crash."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest

from quorate.errors import BadSetting
from quorate.model import Read
from quorate.reading.text.answer_file import is_share_of_hundred, read_choice, read_file, read_number, read_reason

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

    assert (case.argument, case.unreadable) == (None, "duplicate")
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


@pytest.mark.parametrize(
    ("rounds", "text", "told"),
    [
        (True, '[{"seat": "P"}, {"seat": "p", "round": 1}]', "seat 'P' speaks twice in round 1"),
        (False, '[{"seat": "P"}, {"seat": "p"}]', "seat 'P' has more than one ballot; a seat votes once"),
        (True, '[{"seat": "P"}, {"round": 1}]', "argument 2 names no seat"),
        (False, '[{"seat": " "}]', "ballot 1 names no seat; write it as THIS"),
        (False, '[{"seat": 5}]', "ballot 1 names no seat"),
        (False, '{"ballots": []}', "the file must be a list of objects; write it as THIS"),
        (False, "[1]", "the file must be a list of objects"),
        (True, '{"context": "so"}', "the file must be a list of objects"),
        (False, "[", "the file is not JSON"),
    ],
)
def test_a_file_that_does_not_fit_is_told_what_is_wrong(rounds: bool, text: str, told: str) -> None:
    with pytest.raises(BadSetting) as wrong:
        read_file(text, "THIS", rounds=rounds)

    assert told in str(wrong.value)


def test_a_file_with_rounds_may_hold_a_context_and_a_seat_in_several_of_them() -> None:
    listed = '[{"seat": "P", "round": 100}, {"agent": " P ", "round": 1}, {"seat": "Q"}]'

    for name in ("arguments", "ballots"):
        context, answers = read_file(f'{{"context": "so", "{name}": {listed}}}', "", rounds=True)
        assert (context, [(one.seat, one.round) for one in answers]) == ("so", [("P", 100), ("P", 1), ("Q", 1)])
    assert [one.round for one in read_file('[{"seat": "P", "round": 7}]', "", rounds=False)[1]] == [1]


@pytest.mark.parametrize(
    ("silence", "why"), [('"timeout"', "timeout"), ('"Not a word"', "no_ballot"), ("5", "no_ballot"), ("null", "")]
)
def test_a_seat_may_be_given_as_silent_with_a_reason_of_one_word(silence: str, why: str) -> None:
    text = f'[{{"seat": "P", "decision": "ACT", "confidence": 90, "risk": 1, "silence": {silence}}}]'

    assert ballot_in(text).unreadable == why


def test_a_form_that_cannot_be_handed_over_is_refused() -> None:
    _, (one,) = read_file('[{"seat": "P"}]', "", rounds=False)

    with pytest.raises(BadSetting, match="'speech' cannot be handed over in a file"):
        one.read("speech", ())


@pytest.mark.parametrize(
    ("written", "scale", "number"),
    [
        ("0.5", 1, Fraction(1, 2)),
        ("1", 1, Fraction(1)),
        ("0", 1, Fraction(0)),
        ("1.01", 1, "bad_number"),
        ("-0.1", 1, "bad_number"),
        ("5%", 1, "bad_number"),
        ("0.5%", 1, "bad_number"),
        ("70", 100, Fraction(7, 10)),
        ("70%", 100, Fraction(7, 10)),
        ("0.7", 100, Fraction(7, 10)),
        ("1", 100, Fraction(1, 100)),
        ("100.5", 100, "bad_number"),
        (["5"], 100, "bad_number"),
        (None, 100, None),
    ],
)
def test_a_number_is_read_on_its_scale(written: object, scale: int, number: Fraction | str | None) -> None:
    assert read_number({"risk": written}, "risk", scale) == number


@pytest.mark.parametrize(
    ("written", "share"), [("0.5", True), ("0.99", True), ("0", False), ("1", False), ("1.5", False), ("no", False)]
)
def test_a_share_on_a_scale_of_a_hundred_is_noticed(written: str, share: bool) -> None:
    assert is_share_of_hundred({"risk": written, "confidence": "80"}, ("confidence", "risk")) is share
    assert is_share_of_hundred({}, ("risk",)) is False


@pytest.mark.parametrize(
    ("fields", "choice"),
    [
        ({"choice": " ACT "}, ("ACT", "")),
        ({"decision": "ACT", "option": "ACT"}, ("ACT", "")),
        ({"decision": "ACT", "outcome": "WARN"}, ("", "duplicate")),
        ({"vote": "ACT"}, ("", "no_ballot")),
        ({"choice": ["ACT"]}, ("", "")),
    ],
)
def test_a_choice_has_one_of_four_names_and_one_value(fields: dict[str, object], choice: tuple[str, str]) -> None:
    assert read_choice(fields) == choice


def test_a_reason_has_one_of_three_names() -> None:
    reasons = [read_reason({name: "so"}) for name in ("reasoning", "reason", "rationale", "why")]

    assert reasons == ["so", "so", "so", ""]
