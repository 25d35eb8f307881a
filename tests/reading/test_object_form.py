"""A form from a description: what is settled before its author is asked what an answer means."""

import json
from fractions import Fraction

import pytest

from quorate.authoring import AnswerFields, AnswerTerms, Ballot, Choice, FormField, object_form
from quorate.reading.text.strict_json import load_json

MARK = "0123456789ab"
OURS = AnswerTerms(mark=MARK)
WHOLE = f'{{"mark": "{MARK}", "thumb": "up", "reasons": ["cheap", "quick"], "confidence": "85 %"}}'


def judge(fields: AnswerFields, _terms: AnswerTerms) -> Ballot | str:
    thumb, sure = fields.text("thumb"), fields.share("confidence")
    if thumb not in {"up", "down"} or sure is None:
        return "bad_decision" if sure else "bad_number"
    return Ballot(vote=Choice(thumb), confidence=sure, rationale="; ".join(fields.texts("reasons")))


FORM = object_form(
    "THUMB",
    {
        "thumb": FormField(told="up or down.", sample="up", schema={"type": "string"}),
        "confidence": FormField(told="from 0 to 1.", sample=0.5, schema={"type": "number"}),
        "reasons": FormField(told="why.", sample=["so"], schema={"type": "array"}, required=False),
    },
    judge,
    vote=Choice,
    states=("confidence",),
)


def test_an_answer_is_read_with_its_texts_lists_and_numbers() -> None:
    ballot = FORM.read(f"Well.\n\nTHUMB {WHOLE}", OURS).ballot

    assert ballot is not None
    assert (str(ballot.vote), float(ballot.confidence or 0), ballot.rationale) == ("up", 0.85, "cheap; quick")


@pytest.mark.parametrize(
    "written",
    [
        WHOLE.replace('"cheap"', '"", "cheap"'),
        f'{WHOLE[:-1]}, "note": "late", "note": "later"}}',
        f'{WHOLE[:-1]}, "verdict": "down"}}',
    ],
)
def test_what_says_nothing_and_what_nobody_asked_for_leave_an_answer_as_it_is(written: str) -> None:
    assert FORM.read(f"THUMB {written}", OURS).ballot == FORM.read(f"THUMB {WHOLE}", OURS).ballot is not None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("I would say up.", "no_ballot"),
        (f"THUMB {WHOLE}"[:-1], "cut_short"),
        (f"THUMB {WHOLE.replace('up', 'sideways')}", "bad_decision"),
        (f"THUMB {WHOLE.replace('85 %', 'very')}", "bad_number"),
        (f'THUMB {WHOLE[:-1]}, "thumb": "down"}}', "duplicate"),
        (f'THUMB {WHOLE[:-1]}, "thumb": ["down"]}}', "duplicate"),
        (f'THUMB {WHOLE[:-1]}, "reasons": ["not theirs"]}}', "duplicate"),
        (f'THUMB {{"mark": "{MARK}", "thumb": "up"}}', "incomplete"),
        ("THUMB " + WHOLE.replace('"up"', "null"), "incomplete"),
        ("THUMB " + WHOLE.replace('"up"', '["up", {"not": "down"}]'), "incomplete"),
        (f'THUMB {WHOLE[:-1]}, "why": "she said "go", so"}}, "thumb": "down"}}', "ambiguous"),
        (f"They say THUMB {WHOLE.replace(MARK, 'ba9876543210')}", "other_mark"),
        ('THUMB {"thumb": "up", "confidence": 1}', "unmarked"),
        (FORM.instructions(OURS), "placeholder"),
        (FORM.repair("no_ballot", OURS), "placeholder"),
    ],
)
def test_what_is_no_whole_answer_of_the_seat_is_told_in_a_word(text: str, why: str) -> None:
    assert FORM.read(text, OURS).unreadable == why


def test_half_a_reply_is_no_answer_and_a_sample_is_one() -> None:
    assert FORM.read(f"THUMB {WHOLE}", OURS, "length").unreadable == "cut_short"
    assert FORM.read(FORM.sample(OURS), OURS).ballot is not None


def test_the_same_answer_is_read_from_a_file() -> None:
    assert FORM.from_file is not None
    found = FORM.from_file({"thumb": "down", "confidence": "0.5", "reasons": ["late"]}, AnswerTerms())

    assert found.ballot is not None
    assert (str(found.ballot.vote), found.ballot.rationale) == ("down", "late")
    assert FORM.from_file({"confidence": "0.5"}, AnswerTerms()).unreadable == "no_ballot"
    assert json.loads(FORM.example)[0]["seat"]
    assert set(FORM.schema(OURS)["properties"]) == {"mark", "thumb", "confidence", "reasons"}  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('"thumb": null', "incomplete"),
        ('"thumb": {"up": 1}', "incomplete"),
        ('"thumb": [["up"]]', "incomplete"),
        ('"thumb": ["up", null]', "incomplete"),
        ('"thumb": "up", "thumb": "down"', "duplicate"),
        ('"thumb": ["up"], "thumb": ["down"]', "duplicate"),
        ('"thumb": NaN', "incomplete"),
        ('"thumb": true', "bad_decision"),
    ],
)
def test_what_is_no_text_in_a_file_is_no_answer(written: str, why: str) -> None:
    assert FORM.from_file is not None
    fields = load_json(f'{{{written}, "confidence": 0.5}}')

    assert isinstance(fields, dict)
    assert FORM.from_file(fields, AnswerTerms()).unreadable == why


def test_a_list_may_be_empty() -> None:
    assert FORM.read("THUMB " + WHOLE.replace('"cheap", "quick"', ""), OURS).ballot is not None


def test_fields_are_read_as_text_number_or_share_and_are_none_where_they_are_not() -> None:
    texts = {"thumb": ("up",), "many": ("a", "b"), "size": ("12.5",), "sure": ("85 %",), "none": ()}
    fields = AnswerFields(texts, raws={"thumb": "up", "size": "12.5", "sure": "85 %"})

    assert [fields.text(name) for name in ("thumb", "many", "none", "odd")] == ["up", "a", "", ""]
    assert [fields.texts(name) for name in ("many", "none", "odd")] == [("a", "b"), (), ()]
    assert [fields.number(name) for name in ("size", "thumb", "odd")] == [Fraction(25, 2), None, None]
    assert [fields.share(name) for name in ("sure", "size", "odd")] == [Fraction(17, 20), None, None]


@pytest.mark.parametrize(("name", "cautions"), [("why", ()), ("rationale", ("no_rationale",))])
def test_a_reason_is_missed_only_in_a_form_that_asks_for_one(name: str, cautions: tuple[str, ...]) -> None:
    told = FormField(told="so.", sample="so", schema={"type": "string"}, required=False)
    form = object_form("WORD", {"word": told, name: told}, lambda *_: Ballot(vote=Choice("up")), vote=Choice)

    assert form.read('WORD {"word": "up"}', AnswerTerms()).cautions == cautions


def test_an_empty_list_is_a_value_and_a_repair_tells_all_fields() -> None:
    told = FormField(told="so it is.", sample=["so"], schema={"type": "array"})
    form = object_form("WORD", {"word": told}, lambda *_: Ballot(vote=Choice("up")), vote=Choice)

    assert form.read('WORD {"word": []}', AnswerTerms()).ballot is not None
    assert "it was empty" in form.repair("empty", OURS)
    assert "no answer could be read in it" in form.repair("of no kind we know", OURS)
    assert all(
        f'WORD {{"mark": "{MARK}", "word": <word>}}\n\n' in text and "- word: so it is." in text
        for text in (form.repair("empty", OURS), form.instructions(OURS).replace("\n\nwith", "\n\n"))
    )
