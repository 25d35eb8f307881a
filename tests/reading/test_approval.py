"""Approvals as models write them: several options, one, or none, and only those on the list."""

import json
from fractions import Fraction

import pytest

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Approval, Ballot, Finish, Read
from quorate.reading.approval import SPEC, instructions, read, repair, sample, schema
from quorate.reading.text.strict_json import Twice
from tests.reading.files import handed

OURS = "a1b2c3d4e5f6"
THEIRS = "0f0f0f0f0f0f"
PAPER = ("Keep it", "Delete it, later", "Ask and wait")
TERMS = AnswerTerms(mark=OURS, options=PAPER)


def line(approved: str, mark: str = OURS, confidence: str = "0.7") -> str:
    bears = f'"mark": "{mark}", ' if mark else ""
    return f'BALLOT {{{bears}"approved": {approved}, "confidence": {confidence}, "rationale": "cheap"}}'


def chosen(text: str, terms: AnswerTerms = TERMS, finish: Finish = "stop") -> tuple[str, ...] | str:
    """What was approved, or why nothing could be read."""
    found = read(text, terms, finish)
    assert (found.ballot is None) == bool(found.unreadable)
    if found.ballot is None:
        return found.unreadable
    assert isinstance(found.ballot.vote, Approval)
    return found.ballot.vote.approved


@pytest.mark.parametrize(
    ("written", "approved"),
    [
        ('["Keep it", "Ask and wait"]', ("Keep it", "Ask and wait")),
        ('["Ask and wait", "Keep it"]', ("Keep it", "Ask and wait")),
        ('["keep it."]', ("Keep it",)),
        ("[1, 3]", ("Keep it", "Ask and wait")),
        ('["1", "option 2"]', ("Keep it", "Delete it, later")),
        ('["1", "1", "Keep it"]', ("Keep it",)),
        ("[]", ()),
        ('["none"]', ()),
        ('"none of them"', ()),
        ('"1, 3"', ("Keep it", "Ask and wait")),
        ('"Keep it"', ("Keep it",)),
        ('"Keep it and Ask and wait"', ("Keep it", "Ask and wait")),
        ('"Delete it, later, Keep it"', ("Keep it", "Delete it, later")),
        ('"Keep it; Ask and wait"', ("Keep it", "Ask and wait")),
    ],
)
def test_options_are_read_from_a_list_or_a_text_in_the_order_of_the_list(
    written: str, approved: tuple[str, ...]
) -> None:
    assert chosen(f"I weighed them.\n\n{line(written)}") == approved


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('["Burn it"]', "unknown_option"),
        ('["Keep it", "Burn it"]', "unknown_option"),
        ('["4"]', "unknown_option"),
        ('["none", "Keep it"]', "unknown_option"),
        ('"Keep it, Burn it"', "unknown_option"),
        ('{"Keep it": true}', "unknown_option"),
        ('[{"option": "Keep it"}]', "unknown_option"),
        ("true", "unknown_option"),
        ('""', "no_option"),
        ("[<options>]", "placeholder"),
        ('["<option>"]', "placeholder"),
        ('["Your choice"]', "placeholder"),
        ('["Keep it"], "approved": ["Ask and wait"]', "duplicate"),
        ('["Keep it"], "approves": []', "duplicate"),
    ],
)
def test_what_names_no_option_of_the_list_is_no_ballot(written: str, why: str) -> None:
    assert chosen(line(written)) == why


def test_without_a_list_a_text_names_what_stands_between_its_commas() -> None:
    terms = AnswerTerms(mark=OURS)

    assert chosen(line('"Tuesday, Friday and Sunday,"'), terms) == ("Tuesday", "Friday", "Sunday")


def test_a_text_that_can_be_read_in_two_ways_is_not_read() -> None:
    terms = AnswerTerms(mark=OURS, options=("A", "B", "A, B"))

    assert chosen(line('"A, B"'), terms) == "ambiguous"
    assert chosen(line('["A, B"]'), terms) == ("A, B",)
    assert chosen(line('["A", "B"]'), terms) == ("A", "B")


@pytest.mark.parametrize("confidence", ["NaN", "true", "-0.1", "1.01", "85", '"high"', "[0.5]"])
def test_a_confidence_that_is_no_number_from_0_to_1_makes_no_ballot(confidence: str) -> None:
    why = "no_confidence" if confidence == "[0.5]" else "bad_number"

    assert chosen(line('["Keep it"]', confidence=confidence)) == why


def test_to_abstain_approves_of_nothing_and_is_told_apart_from_approving_of_none() -> None:
    abstained, none = read(line('"abstain"'), TERMS).ballot, read(line("[]"), TERMS).ballot

    assert abstained == Ballot(vote=Approval(()), confidence=Fraction(7, 10), rationale="cheap", abstain=True)
    assert none == Ballot(vote=Approval(()), confidence=Fraction(7, 10), rationale="cheap")


def test_only_the_own_mark_makes_an_approval_the_seats_own() -> None:
    theirs, bare = line('["Ask and wait"]', THEIRS), line('["Ask and wait"]', "")

    assert chosen(theirs) == "other_mark"
    assert chosen(bare) == "unmarked"
    assert chosen(f"> {bare}") == "quoted"
    for other in (theirs, f"> {bare}", f'They wrote "{bare}"'):
        assert chosen(f"{line('[1]')}\n\n{other}") == ("Keep it",)
        assert chosen(f"{other}\n\n{line('[1]')}") == ("Keep it",)


def test_two_own_approvals_that_differ_are_none() -> None:
    assert chosen(f"{line('[1]')}\nOn reflection:\n{line('[3]')}") == "two_answers"
    assert chosen(f"{line('[1]')}\n{line('[9]')}") == "unknown_option"
    assert chosen(f"{line('[1]')}\nAgain:\n{line('[1]')}") == ("Keep it",)


@pytest.mark.parametrize("cut", range(20, 60, 5))
def test_what_was_cut_off_is_no_approval(cut: int) -> None:
    whole = line('["Keep it", "Ask and wait"]')

    assert isinstance(chosen(whole[: cut + 30]), str)
    assert chosen(whole, finish="length") == "cut_short"


@pytest.mark.parametrize("finish", ["filter", "refusal"])
def test_a_withheld_reply_is_none(finish: Finish) -> None:
    assert chosen(line("[1]"), finish=finish) == finish


@pytest.mark.parametrize("why", ["no_ballot", "unknown_option", "ambiguous", "unmarked", "placeholder"])
def test_instructions_and_repair_are_no_answer_and_a_sample_is_one(why: str) -> None:
    for terms in (TERMS, AnswerTerms(mark=OURS), AnswerTerms(mark=OURS, options=("1", "2"))):
        assert isinstance(chosen(instructions(terms), terms), str)
        assert isinstance(chosen(repair(why, terms), terms), str)
        assert len(chosen(sample(terms), terms)) == 1
        assert OURS in instructions(terms)
        assert json.dumps(schema(terms))


@pytest.mark.parametrize(
    ("fields", "approved"),
    [
        ({"approved": ["A", "C"]}, ("A", "C")),
        ({"approved": "A, C"}, ("A", "C")),
        ({"approved": []}, ()),
        ({"approved": "none"}, ()),
    ],
)
def test_an_approval_can_be_handed_over(fields: dict[str, object], approved: tuple[str, ...]) -> None:
    found = handed(SPEC, fields, AnswerTerms())

    assert found.ballot is not None
    assert found.ballot.vote == Approval(approved)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "no_ballot"),
        ({"approved": None}, "incomplete"),
        ({"approved": [None]}, "incomplete"),
        ({"approved": ["<option>"]}, "placeholder"),
        ({"approved": ["A"], "approves": ["B"]}, "duplicate"),
        ({"approved": Twice(("A", "B"))}, "duplicate"),
        ({"approved": ["A"], "confidence": "high"}, "bad_number"),
    ],
)
def test_what_is_no_approval_of_a_file_says_why(fields: dict[str, object], why: str) -> None:
    assert handed(SPEC, fields, AnswerTerms()) == Read(unreadable=why)


def test_the_form_reads_approvals() -> None:
    assert SPEC.vote is Approval


@pytest.mark.parametrize(
    ("written", "approved", "abstains"),
    [
        ('"none"', (), True),
        ('["None of these"]', (), False),
        ("[]", (), False),
        ('"abstain"', (), True),
        ('["I abstain"]', (), True),
    ],
)
def test_to_approve_of_nothing_is_a_vote_and_to_abstain_is_none(
    written: str, approved: tuple[str, ...], abstains: bool
) -> None:
    for options in (PAPER, ()):
        ballot = read(line(written), AnswerTerms(mark=OURS, options=options)).ballot

        assert ballot is not None
        assert (ballot.vote, ballot.abstain) == (Approval(approved), abstains)


@pytest.mark.parametrize("word", ["none", "nothing", "abstain", "true", "null"])
def test_without_a_list_such_words_are_no_option_among_others(word: str) -> None:
    assert chosen(line(f'["Wait", "{word}"]'), AnswerTerms(mark=OURS)) == "unknown_option"
    assert chosen(line(f'["Wait", "{word}"]'), AnswerTerms(mark=OURS, options=("Wait", word))) == ("Wait", word)


@pytest.mark.parametrize(("number", "why"), [(24, ""), (25, "unknown_option")])
def test_of_one_text_so_many_pieces_are_looked_at_and_more_are_written_as_a_list(number: int, why: str) -> None:
    options = tuple(f"option {at}" for at in range(30))
    text = ", ".join(options[:number])

    assert read(line(f'"{text}"'), AnswerTerms(mark=OURS, options=options)).unreadable == why
    assert chosen(line(json.dumps(options)), AnswerTerms(mark=OURS, options=options)) == options


@pytest.mark.parametrize(("number", "why"), [(100, ""), (101, "overfull")])
def test_a_list_of_more_than_a_hundred_is_none(number: int, why: str) -> None:
    assert read(line(json.dumps([f"o{at}" for at in range(number)])), AnswerTerms(mark=OURS)).unreadable == why
