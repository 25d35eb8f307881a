"""What a debater, a moderator and a judge write, as models really write it."""

import json
from fractions import Fraction

import pytest

from quorate.model.ask import AnswerTerms
from quorate.reading import argument, assessment, judgement
from quorate.reading.text.answer_file import read_file

MARK = "abcdef012345"
WHOLE = f'ARGUMENT {{"mark": "{MARK}", "claims": ["It works"], "evidence": ["3 of 4"], "confidence": 0.8}}'
FORMS = (argument, assessment, judgement)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"First, prose.\n\n{WHOLE}",
        f"```json\n{WHOLE.removeprefix('ARGUMENT ')}\n```",
        WHOLE.replace("ARGUMENT", "**ARGUMENT:**"),
        WHOLE.replace(f'"mark": "{MARK}", ', ""),
        WHOLE.replace('"', "'"),
        WHOLE.replace('"', "“"),
        WHOLE.replace('["It works"]', '"It works"'),
        WHOLE.replace('"3 of 4"', '{"text": "3 of 4"}'),
        WHOLE.replace("0.8}", '"80 %",}'),
        WHOLE.replace(", ", ",\n    "),
        f"<think>{WHOLE.replace('It works', 'It fails')}</think>{WHOLE}",
        f"> {WHOLE.replace('It works', 'It fails').replace(MARK, 'f' * 12)}\n{WHOLE}",
    ],
)
def test_a_case_is_read_as_models_write_it(text: str) -> None:
    found = argument.read(text, AnswerTerms(mark=MARK if MARK in text else "", options=("con",)))

    assert found.argument is not None, found.unreadable
    assert (found.argument.claims, found.argument.evidence) == (("It works",), ("3 of 4",))
    assert (found.argument.side, found.argument.confidence) == ("con", Fraction(4, 5))


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("", "stop", "empty"),
        ("I would go ahead.", "stop", "no_argument"),
        ("I cannot help with that.", "stop", "refusal"),
        (argument.instructions(AnswerTerms(mark=MARK)), "stop", "placeholder"),
        (WHOLE.replace('["It works"]', "[]"), "stop", "no_claim"),
        (WHOLE.replace("0.8", "1.5"), "stop", "bad_number"),
        (WHOLE.replace("0.8", "NaN"), "stop", "bad_number"),
        (WHOLE.replace("0.8", "true"), "stop", "bad_number"),
        (WHOLE.replace(', "confidence": 0.8', ""), "stop", "no_confidence"),
        (WHOLE.replace("0.8", '0.8, "confidence": 0.2'), "stop", "duplicate"),
        (WHOLE[:-1], "length", "cut_short"),
        (WHOLE, "length", "cut_short"),
        (WHOLE, "filter", "filter"),
        (f"> {WHOLE}".replace(f'"mark": "{MARK}", ', ""), "stop", "quoted"),
        (WHOLE.replace(MARK, "f" * 12), "stop", "other_mark"),
        (f"{MARK} {WHOLE.replace(MARK, 'f' * 12)}", "stop", "other_mark"),
    ],
)
def test_what_is_no_case_says_why(text: str, finish: str, why: str) -> None:
    found = argument.read(text, AnswerTerms(mark=MARK), finish=finish)  # type: ignore[arg-type]

    assert (found.argument, found.unreadable) == (None, why)


def test_the_case_is_cut_out_of_the_prose_with_its_label() -> None:
    text = f"Before.\n\n{WHOLE}"
    found = argument.read(text, AnswerTerms(mark=MARK))

    assert [text[begin:end] for begin, end in found.cuts] == [WHOLE]


def test_a_flood_of_claims_is_kept_bounded() -> None:
    many = ", ".join(f'"claim {number} {"x" * 5000}"' for number in range(500))
    found = argument.read(WHOLE.replace('"It works"', many), AnswerTerms(mark=MARK))

    assert found.argument is not None
    assert len(found.argument.claims) <= 24
    assert max(map(len, found.argument.claims)) <= 1000


def test_an_assessment_is_a_ballot_with_the_moderators_number() -> None:
    line = f'ASSESSMENT {{"mark": "{MARK}", "agreed": ["a"], "open": ["b"], "leaning": "Pro", "confidence": 0.81}}'
    ballot = assessment.read(f"Well.\n\n{line}", AnswerTerms(mark=MARK)).ballot

    assert ballot is not None
    assert (ballot.choice, ballot.confidence, ballot.rationale) == ("for", Fraction(81, 100), "Agreed: a\nOpen: b")
    assert assessment.read(line.replace("0.81", '"high"'), AnswerTerms(mark=MARK)).unreadable == "bad_number"
    assert (
        assessment.read(line.replace(', "confidence": 0.81', ""), AnswerTerms(mark=MARK)).unreadable == "no_confidence"
    )
    assert assessment.read(line, AnswerTerms(mark=MARK), finish="length").unreadable == "cut_short"


def test_a_judgement_is_four_marks_and_nothing_less() -> None:
    line = f'JUDGEMENT {{"mark": "{MARK}", "a_evidence": 0.5, "A_logic": 1, "b-evidence": "20 %", "b_logic": 0}}'
    ballot = judgement.read(line, AnswerTerms(mark=MARK)).ballot

    assert ballot is not None
    assert dict(ballot.shares) == {
        "a_evidence": Fraction(1, 2), "a_logic": 1, "b_evidence": Fraction(1, 5), "b_logic": 0,
    }  # fmt: skip
    assert judgement.read(line.replace(', "b_logic": 0', ""), AnswerTerms(mark=MARK)).unreadable == "incomplete"
    assert judgement.read(line.replace("0.5", "5"), AnswerTerms(mark=MARK)).unreadable == "bad_number"


@pytest.mark.parametrize("form", FORMS)
def test_a_pattern_copied_as_it_stands_is_never_read(form: object) -> None:
    for text in (form.instructions(AnswerTerms(mark=MARK)), form.repair("no_ballot", AnswerTerms(mark=MARK))):  # type: ignore[attr-defined]
        found = form.read(text, AnswerTerms(mark=MARK))  # type: ignore[attr-defined]
        assert (found.ballot, found.argument) == (None, None)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_provider_is_told_to_enforce_is_read_back(form: object) -> None:
    schema = form.schema(AnswerTerms(mark=MARK))  # type: ignore[attr-defined]
    kinds = {"number": 0.5, "array": ["Something is said"], "string": "for"}
    made = {name: kinds[kind["type"]] for name, kind in schema["properties"].items()} | {"mark": MARK}
    found = form.read(json.dumps(made), AnswerTerms(mark=MARK))  # type: ignore[attr-defined]

    assert found.unreadable == ""


def test_a_claim_written_as_an_object_is_a_claim_and_no_case_of_its_own() -> None:
    claims = '[{"claim": "It works", "confidence": 0.9}, {"claim": "It is cheap", "confidence": 0.2}]'
    found = argument.read(WHOLE.replace('["It works"]', claims), AnswerTerms(mark=MARK))

    assert found.argument is not None
    assert (found.argument.claims, found.argument.confidence) == (("It works", "It is cheap"), Fraction(4, 5))


def test_what_is_quoted_within_a_case_or_an_assessment_counts_for_nobody() -> None:
    case = WHOLE[:-1] + ', "quoted": {"claims": ["It fails"], "confidence": 1}}'
    view = f'{{"mark": "{MARK}", "confidence": 0.3, "open": [{{"confidence": 0.95}}]}}'
    found, settled = (
        argument.read(case, AnswerTerms(mark=MARK)).argument,
        assessment.read(view, AnswerTerms(mark=MARK)).ballot,
    )

    assert found is not None
    assert (found.claims, found.confidence) == (("It works",), Fraction(4, 5))
    assert settled is not None
    assert settled.confidence == Fraction(3, 10)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WHOLE.replace('"claims"', '"mark": "0123456789ab", "claims"'), "other_mark"),
        (WHOLE.replace("It works", 'he wrote "no, {"mark": "0123456789ab", "confidence": 1}'), "ambiguous"),
        (WHOLE.replace("It works", 'he said "so" and "confidence": 1 too'), "ambiguous"),
    ],
)
def test_two_cases_run_into_one_are_none(text: str, why: str) -> None:
    found = argument.read(text, AnswerTerms(mark=MARK))

    assert found.argument is None, found
    assert found.unreadable == why


@pytest.mark.parametrize(
    ("marks", "ahead"),
    [
        ((0.9, 0.1, 0.2, 0.4), "A"),
        ((0.2, 0.4, 0.9, 0.1), "B"),
        ((0.5, 0.4, 0.4, 0.5), "even"),
        ((0, 1, 1, 0), "even"),
    ],
)
def test_that_side_is_ahead_whose_marks_make_more_together(marks: tuple[float, ...], ahead: str) -> None:
    stated = dict(zip(("a_evidence", "a_logic", "b_evidence", "b_logic"), marks, strict=True))
    ballot = judgement.read(f"JUDGEMENT {json.dumps(stated)}", AnswerTerms()).ballot

    assert ballot is not None
    assert ballot.choice == ahead


@pytest.mark.parametrize(
    ("written", "leaning", "why"),
    [
        ('"confidence": 0.6', "balanced", ""),
        ('"confidence": "60 %", "leaning": "for"', "for", ""),
        ('"leaning": "for"', "", "no_confidence"),
        ('"confidence": 2', "", "bad_number"),
        ('"confidence": 0.6, "claims": ["It works"]', "", "no_ballot"),
        ('"confidence": 0.6, "claims": []', "balanced", ""),
    ],
)
def test_an_assessment_handed_over_is_a_number_and_no_case(written: str, leaning: str, why: str) -> None:
    _, (one,) = read_file(f'[{{"seat": "M", {written}}}]', "", rounds=True)
    found = one.read("assessment", ())

    assert (found.ballot.choice if found.ballot else "", found.unreadable) == (leaning, why)


def test_only_what_is_called_a_mark_is_one() -> None:
    noted = WHOLE.replace('"claims"', '"note": "ffffffffffff", "claims"')

    assert argument.read(noted, AnswerTerms(mark=MARK)).argument is not None
    assert argument.read(noted.replace(f'"mark": "{MARK}", ', ""), AnswerTerms(mark="f" * 12)).unreadable == "unmarked"
