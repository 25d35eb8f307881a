"""The measures of a debate: what evidence is worth, what contradicts what, what is new, how complex a question is."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.argument_quality import (
    MARKS,
    answered_share,
    coherence,
    evidence_quality,
    grade_evidence,
    logical_consistency,
    novelty,
)
from quorate.analysis.debate_course import WEIGHTS, complexity
from quorate.analysis.word_sets import contradicts, overlap
from quorate.model import Argument, Question
from quorate.model.numbers import exact
from tests.docs.tables import page, rows, section

CONTEXT = (
    "The bill says staging costs 300 euros a month. See RFC 6962 and https://example.org/bill. "
    "Meier of Example Bank checked it."
)


def case(*claims: str, evidence: tuple[str, ...] = ()) -> Argument:
    return Argument(side="pro", claims=claims, evidence=evidence, confidence=Fraction(4, 5))


PIECES = [
    ('The bill: "staging costs 300 euros a month"', "passage", True),
    ("staging costs 300 euros a month", "passage", True),
    ('They say "staging will eat the whole budget" at 300 euros', "passage", False),
    ("It is in RFC 6962", "citation", True),
    ("It is in RFC 9999", "citation", False),
    ("https://example.org/bill", "citation", True),
    ("It took 300 euros", "figure", True),
    ("It took 30 euros", "figure", False),
    ("Checked by Example Bank itself", "name", True),
    ("Checked by Another Bank itself", "name", False),
    ("it broke, for example, on Monday".lower(), "example", False),
    ("it just feels right", "assertion", False),
]


@pytest.mark.parametrize(("piece", "kind", "found"), PIECES)
def test_a_piece_of_evidence_is_worth_what_its_kind_and_the_material_say(piece: str, kind: str, found: bool) -> None:
    (one,) = grade_evidence(case("x", evidence=(piece,)), CONTEXT)

    assert (one.kind, one.found) == (kind, found)
    assert one.mark == MARKS[one.kind][0 if found else 1]


def test_the_published_marks_are_those_that_count() -> None:
    published = {
        row[0].strip("`"): (exact(row[2]), exact(row[3]))
        for row in rows(section(page("reference/debate.md"), "## Evidence quality"))
    }

    assert published == dict(MARKS)


def test_the_published_weights_are_those_that_count() -> None:
    listed = rows(section(page("reference/debate.md"), "## Complexity"))

    assert {row[0].strip("`"): (exact(row[2]), int(row[3])) for row in listed} == dict(WEIGHTS)


def test_quality_is_the_mean_and_no_evidence_is_none() -> None:
    both = case("x", evidence=("it just feels right", "It took 300 euros"))

    assert evidence_quality(both, CONTEXT) == (MARKS["assertion"][1] + MARKS["figure"][0]) / 2
    assert evidence_quality(case("x"), CONTEXT) == 0


def test_repeating_a_piece_or_adding_bare_assertions_gains_nothing() -> None:
    one = evidence_quality(case("x", evidence=("It took 300 euros",)), CONTEXT)

    assert evidence_quality(case("x", evidence=("It took 300 euros",) * 5), CONTEXT) == one
    assert evidence_quality(case("x", evidence=("It took 300 euros", "trust me", "really")), CONTEXT) < one


def test_quoting_the_question_is_no_evidence() -> None:
    assert evidence_quality(case("x", evidence=('"should we delete the staging database"',)), "") < 1


@pytest.mark.parametrize(
    ("one", "other", "contradicting"),
    [
        ("The backup was restored in May", "The backup was not restored in May", True),
        ("The backup wasn’t restored", "The backup was restored", True),
        ("Deleting it is safe for users", "Deleting it is unsafe for users", True),
        ("Traffic increases every month", "Traffic decreases every month", True),
        ("The disk holds 10 GB", "The disk holds 100 GB", True),
        ("The disk holds 10 GB", "The disk holds 10 GB", False),
        ("The backup was restored", "Nobody pays the bill", False),
        ("Not restoring the backup is not safe", "Restoring the backup is safe", False),
        ("It cost 5 in 2019", "It cost 6 in 2020", False),
    ],
)
def test_two_claims_contradict_each_other_by_negation_opposite_or_number(
    one: str, other: str, contradicting: bool
) -> None:
    assert contradicts(one, other) is contradicting
    assert contradicts(other, one) is contradicting


def test_coherence_is_the_share_of_claims_that_contradict_nothing_said_before() -> None:
    before = (case("The backup was restored in May"),)

    assert coherence(case("The backup was not restored in May", "Nobody pays the bill"), before) == Fraction(1, 2)
    assert coherence(case("The backup was restored in May", "The backup was never restored in May")) == Fraction(1, 2)


def test_an_answer_takes_up_what_was_put_to_it() -> None:
    put = (case("The backup was never restored", "Indexes would be lost"),)

    assert answered_share(case("We restored the backup yesterday"), put) == Fraction(1, 2)
    assert logical_consistency(case("We restored the backup yesterday"), (), put) == Fraction(5, 6)
    assert logical_consistency(case("We like it"), (), put) == Fraction(2, 3)
    assert logical_consistency(case("We like it")) == 1


def test_a_claim_is_new_unless_one_earlier_claim_has_most_of_its_words() -> None:
    before = (case("Deleting the staging database saves money every month"),)

    assert novelty(case("The staging database: deleting saves money"), before) <= Fraction(3, 10)
    assert novelty(case("An export takes its place"), before) > Fraction(3, 10)
    assert overlap("", "anything") == 1


def test_complexity_grows_with_what_is_asked_and_stays_between_0_and_1() -> None:
    plain = complexity(Question(text="Should we?")).score
    long = complexity(Question(text="if but unless, however. " * 80, context="word " * 400, options=("a",) * 9)).score

    assert plain < Fraction(1, 10)
    assert long == 1


@given(claim=st.text(max_size=200), other=st.text(max_size=200), context=st.text(max_size=200))
def test_every_measure_is_total_and_between_0_and_1(claim: str, other: str, context: str) -> None:
    made, put = case(claim, evidence=(other,)), case(other)
    values = (
        evidence_quality(made, context), logical_consistency(made, (put,), (put,)), novelty(made, (put,)),
        complexity(Question(text=claim, context=context)).score,
    )  # fmt: skip

    assert all(0 <= value <= 1 for value in values)


@pytest.mark.parametrize("context", ["", CONTEXT])
@pytest.mark.parametrize("piece", ['". . . ."', '", , , ;"', '"- _ - _ -"', '"… … … …"', ". . . . ."])
def test_signs_are_no_passage(piece: str, context: str) -> None:
    (one,) = grade_evidence(case("x", evidence=(piece,)), context)

    assert (one.kind, one.found) == ("assertion", False)


def test_numbers_stand_there_whole_and_of_very_many_names_none_is_looked_up() -> None:
    context = "It cost 1,200 euros, then 12.5 and 7x, and Aa Bb Cc."
    pieces = ("they paid 1,200", "they paid 200", "they paid 12", "they paid 12.5", "they paid 7")
    few, many = ("said by Aa. " * 1, "said by " + "; by ".join(f"A{'a' * at}" for at in range(1, 15)))
    long = context + " " + " ".join(f"A{'a' * at}" for at in range(1, 15))

    assert [one.found for one in grade_evidence(case("x", evidence=pieces), context)] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert grade_evidence(case("x", evidence=(few,)), long)[0].found
    assert not grade_evidence(case("x", evidence=(many,)), long)[0].found
