"""Estimates as models write them: exact numbers in their order, or nothing."""

import json
from fractions import Fraction

import pytest

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Estimate, Finish, Read
from quorate.reading.estimate import SPEC, instructions, read, repair, sample, schema
from tests.reading.files import handed

OURS = "a1b2c3d4e5f6"
THEIRS = "0f0f0f0f0f0f"
TERMS = AnswerTerms(mark=OURS)


def line(numbers: str, mark: str = OURS, confidence: str = "0.7") -> str:
    bears = f'"mark": "{mark}", ' if mark else ""
    return f'BALLOT {{{bears}{numbers}, "confidence": {confidence}, "rationale": "counted"}}'


def stated(text: str, terms: AnswerTerms = TERMS, finish: Finish = "stop") -> str:
    """The estimate in words, or why there is none."""
    found = read(text, terms, finish)
    assert (found.ballot is None) == bool(found.unreadable)
    assert found.ballot is None or isinstance(found.ballot.vote, Estimate)
    return found.ballot.choice if found.ballot else found.unreadable


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('"value": 12, "low": 10, "high": 15', "12 (10 to 15)"),
        ('"value": 12', "12"),
        ('"value": 12, "low": null, "high": null', "12"),
        ('"value": "12"', "12"),
        ('"value": "1,200,000"', "1200000"),
        ('"value": 0.1, "low": 0, "high": 0.3', "0.1 (0 to 0.3)"),
        ('"value": -3, "low": -5, "high": 0', "-3 (-5 to 0)"),
        ('"value": 1e3', "1000"),
        ('"value": 5, "low": 5, "high": 5', "5 (5 to 5)"),
        ('"estimate": 7', "7"),
    ],
)
def test_numbers_are_read_exactly_as_they_are_written(written: str, words: str) -> None:
    assert stated(f"I counted.\n\n{line(written)}") == words


def test_one_tenth_is_one_tenth() -> None:
    found = read(line('"value": 0.1, "low": 0.05, "high": 0.3'), TERMS).ballot

    assert found is not None
    assert found.vote == Estimate(Fraction(1, 10), Fraction(1, 20), Fraction(3, 10))


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('"value": 12, "low": 13, "high": 15', "bad_number"),
        ('"value": 12, "low": 10, "high": 11', "bad_number"),
        ('"value": 12, "low": 15, "high": 10', "bad_number"),
        ('"value": 12, "low": "about 10", "high": 15', "bad_number"),
        ('"value": 12, "low": [10], "high": 15', "bad_number"),
        ('"value": "twelve"', "bad_number"),
        ('"value": "12 %"', "bad_number"),
        ('"value": "12 to 15"', "bad_number"),
        ('"value": NaN', "bad_number"),
        ('"value": Infinity', "bad_number"),
        ('"value": true', "bad_number"),
        ('"value": null', "incomplete"),
        ('"value": "1,20"', "bad_number"),
        ('"value": ""', "incomplete"),
        ('"value": [12, 13]', "incomplete"),
        ('"value": <number>', "placeholder"),
        ('"value": "<number>"', "placeholder"),
        ('"value": 12, "value": 13', "duplicate"),
        ('"value": 12, "estimate": 13', "duplicate"),
        ('"value": 12, "low": 1, "low": 2', "duplicate"),
    ],
)
def test_what_is_no_number_is_no_estimate(written: str, why: str) -> None:
    assert stated(line(written)) == why


@pytest.mark.parametrize("confidence", ["NaN", "true", "-0.1", "1.01", "85", '"high"'])
def test_a_confidence_that_is_no_number_from_0_to_1_makes_no_estimate(confidence: str) -> None:
    assert stated(line('"value": 12', confidence=confidence)) == "bad_number"


def test_a_missing_confidence_makes_no_estimate() -> None:
    assert stated(f'BALLOT {{"mark": "{OURS}", "value": 12}}') == "no_confidence"


def test_only_the_own_mark_makes_an_estimate_the_seats_own() -> None:
    own, theirs, bare = line('"value": 12'), line('"value": 99', THEIRS), line('"value": 99', "")

    assert stated(theirs) == "other_mark"
    assert stated(bare) == "unmarked"
    assert stated(f"> {bare}") == "quoted"
    for other in (theirs, f"> {bare}", f'They wrote "{bare}"'):
        assert stated(f"{own}\n\n{other}") == "12"
        assert stated(f"{other}\n\n{own}") == "12"


def test_two_own_estimates_that_differ_are_none() -> None:
    first, last, none = (line(f'"value": {number}') for number in ("12", "13", '"many"'))

    assert stated(f"{first}\nOn reflection:\n{last}") == "two_answers"
    assert stated(f"{first}\n{none}") == "bad_number"


@pytest.mark.parametrize("length", range(35, 95, 7))
def test_what_was_cut_off_is_no_estimate(length: int) -> None:
    whole = line('"value": 1200, "low": 1000, "high": 1500')

    assert not stated(whole[:length])[0].isdigit()
    assert stated(whole, finish="length") == "cut_short"


@pytest.mark.parametrize("why", ["no_ballot", "bad_number", "unmarked", "placeholder", "ambiguous"])
def test_instructions_and_repair_are_no_answer_and_a_sample_is_one(why: str) -> None:
    assert stated(instructions(TERMS)) == "placeholder"
    assert stated(repair(why, TERMS)) == "placeholder"
    assert stated(sample(TERMS)) == "12 (10 to 15)"
    assert OURS in instructions(TERMS)
    assert json.dumps(schema(TERMS))


def test_an_estimate_can_be_handed_over() -> None:
    found = handed(SPEC, {"value": "1,200", "low": "1000", "reason": "counted"}, TERMS).ballot

    assert found is not None
    assert (found.vote, found.confidence) == (Estimate(Fraction(1200), Fraction(1000)), None)
    assert found.rationale == "counted"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "no_ballot"),
        ({"value": None}, "incomplete"),
        ({"value": True}, "bad_number"),
        ({"value": ["12"]}, "incomplete"),
        ({"value": "12", "low": ["1"]}, "bad_number"),
        ({"value": "12", "low": "13"}, "bad_number"),
        ({"value": "12", "estimate": "13"}, "duplicate"),
        ({"value": "12", "confidence": "high"}, "bad_number"),
    ],
)
def test_what_is_no_estimate_of_a_file_says_why(fields: dict[str, object], why: str) -> None:
    assert handed(SPEC, fields, TERMS) == Read(unreadable=why)


def test_the_form_reads_estimates() -> None:
    assert SPEC.vote is Estimate


@pytest.mark.parametrize("twice", ['"value": 12, "value": [99]', '"value": 12, "estimate": {"of": 99}'])
def test_a_number_beside_a_list_of_others_is_no_estimate(twice: str) -> None:
    assert stated(line(twice)) == "duplicate"


@pytest.mark.parametrize(
    ("fields", "read_as"),
    [
        ({"value": "12"}, (12, None, None)),
        ({"estimate": "1,200", "low": "10", "high": "2e3"}, (1200, 10, 2000)),
        ({"value": "12", "low": None}, (12, None, None)),
        ({"value": "12", "low": "none", "high": "12"}, (12, None, 12)),
        ({"value": "12", "low": "13"}, "bad_number"),
        ({"value": "12", "high": "11"}, "bad_number"),
        ({"value": "12", "low": ["1"]}, "bad_number"),
        ({"value": ["12"]}, "incomplete"),
        ({"value": "a dozen"}, "bad_number"),
        ({"value": "12", "confidence": "2"}, "bad_number"),
        ({"value": "12", "estimate": "12"}, "duplicate"),
        ({"low": "12"}, "no_ballot"),
    ],
)
def test_an_estimate_of_a_file_is_one_number_with_bounds_in_their_order(
    fields: dict[str, object], read_as: tuple[int | None, ...] | str
) -> None:
    found = handed(SPEC, fields, AnswerTerms())
    votes = [
        (vote.value, vote.low, vote.high)
        for vote in (found.ballot and found.ballot.vote,)
        if isinstance(vote, Estimate)
    ]

    assert (found.unreadable or votes[0]) == read_as
    assert found.ballot is None or found.ballot.confidence is None


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("unmarked", "its estimate did not bear the mark"),
        ("empty", "it was empty"),
        ("of no kind we know", "no estimate could be read in it"),
    ],
)
def test_a_repair_says_what_was_wrong_with_the_estimate(why: str, said: str) -> None:
    assert said in repair(why, AnswerTerms())
