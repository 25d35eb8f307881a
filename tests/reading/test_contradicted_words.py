"""Which words beside an answer say yes, no or something else, and which of them are another answer."""

import pytest

from quorate.reading.text.another_option import answer_of_options, names_another
from quorate.reading.text.conflict import (
    Answer,
    affirms,
    affirms_veto,
    conflict,
    denies,
    extra_fields,
    folded_words,
    plain_name,
)
from quorate.reading.text.side_words import answer_of_side

STRICT = Answer(differs=lambda _text, _place: False, strict=True)
LAX = Answer(differs=lambda _text, _place: False)
BOLD = Answer(differs=lambda _text, _place: False, bold=True)
EACH = Answer(differs=lambda _text, _place: True)

NOTHING = ("", " ", "null", "nil", "na", "n/a", "N.A.", "none", "Not applicable.")
NO = ("none at all", "not used", "not warranted: it is small", "no", "No.", "no thanks", "never", "nope", "unused",
      "off", "f", "n", "false", "FALSE", "0", " 0 ", "0.0", "not needed", "NOT REQUIRED")  # fmt: skip
YES = ("yes", "Yes!", "true", "y", "t", "on", "1", " 1 ", "1.0")
UNSURE = ("perhaps", "not sure", "notable", "0.5", "2", "-1", "yes and no", "no VETO", "none, REFUSED", "nothing")


@pytest.mark.parametrize("text", NOTHING + NO + YES + UNSURE)
def test_a_text_says_yes_or_no_or_neither_and_nothing_is_neither(text: str) -> None:
    assert affirms(text) == (text in YES)
    assert denies(text) == (text in NO or text in {"not sure", "no VETO", "none, REFUSED"})


@pytest.mark.parametrize("name", ["veto", "abstain", "refuse"])
@pytest.mark.parametrize("text", NOTHING + NO + YES + UNSURE)
def test_who_must_be_strict_takes_only_a_no_for_a_no_and_others_only_a_yes_for_a_yes(name: str, text: str) -> None:
    is_no = text in NOTHING + NO

    assert bool(conflict([(name, (text,))], STRICT)) == (not is_no)
    assert bool(conflict([(name, (text,))], LAX)) == (text in YES if name != "abstain" else not is_no)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("veto", "also_vetoed"),
        ("abstained", "also_abstained"),
        ("refused", "also_refused"),
        ("blocked", "also_refused"),
    ],
)
@pytest.mark.parametrize("answer", [STRICT, LAX])
def test_one_yes_among_many_noes_is_a_yes_and_an_empty_list_is_none(name: str, why: str, answer: Answer) -> None:
    for texts in (("yes",), ("no", "yes"), ("yes", "no"), ("no", "", "yes", "no")):
        assert conflict([("note", ("yes",)), (name, texts)], answer) == why
    for denied in ((), ("no",), ("no", "")):
        assert conflict([(name, denied)], answer) == ""


@pytest.mark.parametrize(
    ("name", "text", "bold", "others"),
    [
        ("warn", "yes", "also_refused", ""),
        ("unsafe", "1", "also_refused", ""),
        ("safe", "no", "also_refused", ""),
        ("safetoact", "not yet", "also_refused", ""),
        ("warn", "no", "", ""),
        ("warn", "see the notes", "", ""),
        ("safe", "yes", "", ""),
        ("safe", "", "", ""),
        ("safe", "unknown", "", ""),
        ("proceed", "no", "also_refused", "also_refused"),
        ("proceed", "", "", ""),
        ("proceed", "slowly", "", ""),
        ("rejected", "no", "", ""),
        ("rejected", "the other one", "", ""),
    ],
)
def test_a_warning_contradicts_only_who_says_that_all_is_well(name: str, text: str, bold: str, others: str) -> None:
    assert conflict([(name, (text,))], BOLD) == bold
    assert conflict([(name, (text,))], LAX) == others


def test_only_names_for_answers_hold_another_one_and_too_many_are_no_answer_at_all() -> None:
    for name in ("vote", "finalanswer", "status", "conclusion"):
        assert conflict([("note", ("x",)), (name, ("x",))], EACH) == "two_answers"
        assert conflict([(name, ())], EACH) == ""
    assert conflict([("note", ("x",) * 60), ("previousvote", ("x",) * 60)], EACH) == ""
    assert [conflict([("vote", ("x",) * many)], LAX) for many in (50, 51)] == ["", "two_answers"]
    assert conflict([("status", ("x",) * 51)], LAX) == ""


def test_where_an_answer_stands_is_told_to_who_compares_it() -> None:
    places: list[tuple[str, str]] = []

    def differs(text: str, place: str) -> bool:
        places.append((text, place))
        return False

    answer = Answer(differs=differs)
    assert conflict([("vote", ("a", "b")), ("status", ("c",)), ("note", ("d",))], answer) == ""
    assert places == [("a", "answer"), ("b", "answer"), ("c", "remark")]


def test_a_veto_is_cast_only_in_as_many_words() -> None:
    assert affirms_veto([("note", ("x",)), ("veto", ("no", "yes"))])
    assert not affirms_veto([("veto", ("no", "who knows")), ("note", ("yes",)), ("vetopower", ("yes",))])
    assert not affirms_veto([("veto", ())])


def test_words_are_compared_without_case_and_signs_and_no_further_than_anybody_reads() -> None:
    assert folded_words("  **No-Go!**\n(really)_") == "no go really"
    assert folded_words("\uff32\uff25\uff26\uff35\uff33\uff25") == "refuse"
    assert plain_name("Final_Decision (2)") == "finaldecision2"
    assert (len(folded_words("x" * 400)), len(folded_words("x" * 401))) == (400, 400)


def test_what_a_file_says_beside_an_answer_is_told_by_name_and_text() -> None:
    fields: dict[str, object] = {"decision": "ACT", "Veto": None, "Why not": ["a", None, {"b": "c"}], "n": "1", "o": {}}

    told = extra_fields(fields, frozenset({"decision"}))

    assert [name for name, _ in told] == ["veto", "whynot", "n", "o"]
    assert [texts for _, texts in told] == [("",), ("a", "", "an object"), ("1",), ("an object",)]
    assert conflict([("vote", told[3][1])], EACH) == ""


LISTED = ("Kafka", "NATS", "Redis Streams")


@pytest.mark.parametrize(
    ("text", "chosen", "options", "another"),
    [
        ("NATS", ("Kafka",), LISTED, True),
        ("kafka.", ("Kafka",), LISTED, False),
        ("2", ("Kafka",), LISTED, True),
        ("2", ("Kafka", "NATS"), LISTED, False),
        ("7", ("Kafka",), LISTED, False),
        ("7", ("12",), (), True),
        ("12.0", ("12",), (), False),
        ("7", ("Kafka", "7"), (), False),
        ("7", ("Kafka",), (), False),
        *((agreed, ("Kafka",), LISTED, False) for agreed in ("", "null", "n/a", "for", "In favour", "agreed", "yes")),
        *((opposed, ("Kafka",), LISTED, True) for opposed in ("no", "not this", "against", "Reject!", "abstain")),
        *((opposed, ("Kafka",), (), True) for opposed in ("no", "against", "I abstain.", "without Kafka")),
        ("NATS for its latency", ("Kafka",), LISTED, True),
        ("Kafka for now, NATS in time", ("Kafka",), LISTED, False),
        ("the first of them", ("Kafka",), LISTED, False),
        ("Redis", ("Kafka",), LISTED, False),
        ("Redis Streams it is", ("Kafka",), LISTED, True),
        ("Redis", ("Kafka", "Redis Streams"), (), False),
        ("Kafka", ("Kafka", "Redis Streams"), (), False),
        ("Kafka now", ("Use Kafka",), (), True),
        ("NATS", ("Kafka", "Redis"), (), True),
        ("a b c d e f g h", ("Kafka",), (), True),
        ("a b c d e f g h i", ("Kafka",), (), False),
    ],
)  # fmt: skip
def test_a_text_names_another_option_or_says_more_of_those_that_were_chosen(
    text: str, chosen: tuple[str, ...], options: tuple[str, ...], another: bool
) -> None:
    assert names_another(text, chosen, options) == another
    assert answer_of_options(chosen, options).differs(text, "answer") == another
    assert not answer_of_options(chosen, options).differs(text, "remark")


@pytest.mark.parametrize("written", ["Kafka", "KAFKA", "kafka!"])
def test_who_rejects_an_option_takes_back_only_the_vote_for_it(written: str) -> None:
    for name, why in (("veto", "also_vetoed"), ("rejected", "also_refused"), ("refuses", "also_refused")):
        assert conflict([(name, ("cost", written))], answer_of_options(("NATS", "Kafka"), ())) == why
        assert conflict([(name, ("cost", written))], answer_of_options(("NATS",), ())) == ""
        assert conflict([(name, ("cost", written))], LAX) == ""


@pytest.mark.parametrize("side", ["for", "against"])
def test_a_case_is_contradicted_by_the_other_side_and_by_nothing_else(side: str) -> None:
    words = {"for": ("for", "Pro", "yes", "supports"), "against": ("against", "CON", "no", "opponent")}
    other = "against" if side == "for" else "for"
    differs = answer_of_side(side).differs

    assert not any(differs(text, "answer") for text in (*words[side], "both", ""))
    assert all(differs(text, "answer") for text in words[other])
    assert not any(answer_of_side("").differs(text, "answer") for text in (*words["for"], *words["against"], ""))
