"""How much of an answer counts: how many options, claims and sources, how long a line, how far apart its values."""

import json
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import pytest

from quorate import catalogue
from quorate.errors import BadSetting
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.reading.text.answer_choice import choose_option
from quorate.reading.text.answer_file import FileAnswer, read_file
from quorate.reading.text.plain_answer import read_answer
from quorate.reading.text.quotation import stands_in
from quorate.reading.text.strict_json import load_json


def read(form: str, stated: Mapping[str, object], options: tuple[str, ...] = ()) -> Read:
    return catalogue.form(form).read(json.dumps({"confidence": 0.5, **stated}), AnswerTerms(options=options))


def handed(form: str, stated: Mapping[str, object], options: tuple[str, ...] = ()) -> Read:
    fields = load_json(json.dumps({"confidence": 0.5, **stated}))
    assert isinstance(fields, dict)
    return FileAnswer(seat="Ann", round=1, fields=fields).read(form, options)


class Given(Protocol):
    def __call__(self, form: str, stated: Mapping[str, object], options: tuple[str, ...] = ()) -> Read: ...


BOTH = pytest.mark.parametrize("given", [read, handed])


@BOTH
@pytest.mark.parametrize(("form", "name"), [("approval", "approved"), ("ranking", "ranking")])
def test_a_hundred_options_are_chosen_or_ordered_and_no_more(given: Given, form: str, name: str) -> None:
    names = [f"option-{at}" for at in range(101)]

    assert given(form, {name: names[:100]}).unreadable == ""
    assert given(form, {name: names}).unreadable == "overfull"


@BOTH
def test_a_line_of_approvals_is_taken_apart_as_long_as_it_is_short(given: Given) -> None:
    options = tuple(f"option-{at}" for at in range(30))

    for many, why in ((1, ""), (2, ""), (24, ""), (25, "unknown_option")):
        line = ", ".join(options[:many])
        assert given("approval", {"approved": line}, options).unreadable == why


@BOTH
@pytest.mark.parametrize(
    ("line", "approved"),
    [
        ("Salt and Pepper", ("Salt and Pepper",)),
        ("Salt, Pepper", ("Pepper", "Salt")),
        ("Salt, Salt and Oil", ("Oil", "Salt")),
        ("Oil; Salt & Pepper", ("Oil", "Pepper", "Salt")),
        ("Oil, Vinegar", "unknown_option"),
        ("Vinegar", "unknown_option"),
        ("none", ()),
        ("", "no_option"),
        ("<options>", "placeholder"),
    ],
)
def test_a_line_of_approvals_is_read_in_the_one_way_it_can_be(
    given: Given, line: str, approved: tuple[str, ...] | str
) -> None:
    options = ("Oil", "Pepper", "Salt") if line != "Salt and Pepper" else ("Oil", "Pepper", "Salt and Pepper")
    found = given("approval", {"approved": line}, options)

    assert (found.ballot.vote.approved if found.ballot else found.unreadable) == approved  # type: ignore[union-attr]


@BOTH
def test_so_many_claims_of_so_many_that_are_written_are_kept_and_each_so_long(given: Given) -> None:
    def claims(written: list[str]) -> tuple[str, ...]:
        found = given("argument", {"claims": written, "evidence": written}, ("con",))
        assert found.argument is None or found.argument.claims == found.argument.evidence
        return found.argument.claims if found.argument else ()

    many = [f"claim {at}" for at in range(25)]
    assert claims(many) == tuple(many[:24])
    assert claims(["again"] * 95 + ["last"]) == ("again", "last")
    assert claims(["again"] * 96 + ["last"]) == ("again", "last")
    assert [len(one) for one in claims(["x" * 1000, "y" * 1001])] == [1000, 1000]
    assert claims(["", "It works"]) == ("It works",)


def test_a_line_without_a_letter_is_no_claim_and_no_evidence() -> None:
    found = read("argument", {"claims": ["—", "It works", "..."], "evidence": ["?", "3 of 4"]}, ("con",)).argument

    assert found is not None
    assert (found.claims, found.evidence) == (("It works",), ("3 of 4",))


def test_a_claim_written_as_an_object_is_a_line_of_what_it_says() -> None:
    claims = [{"claim": "It works", "source": ""}, {"quote": "So it is", "by": "Ann", "confidence": 1}]
    found = read("argument", {"claims": claims, "evidence": ["<piece>", "3 of 4"]}, ("con",)).argument

    assert found is not None
    assert (found.claims, found.evidence) == (("It works", '"So it is": Ann'), ("3 of 4",))


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (("Use Kafka",), True),
        (("use-KAFKA!", "now"), True),
        (("Use Kafka", "later"), False),
        (("",), False),
        ((), False),
    ],
)
def test_words_were_shown_where_every_piece_was(pieces: tuple[str, ...], shown: bool) -> None:
    assert stands_in("They said: 'use kafka' now.", pieces) == shown
    assert stands_in("They said: use\\u0020kafka now.", pieces) == shown


@BOTH
def test_why_a_finding_cannot_be_counted_is_told(given: Given) -> None:
    for beside, why in (({"outcome": "MAYBE"}, "bad_decision"), ({"confidence": "much"}, "bad_number"), ({}, "")):
        assert given("finding", {"outcome": "YES", **beside}, ("YES", "NO")).unreadable == why


def test_an_outcome_is_read_whole_or_not_at_all() -> None:
    options = ("x" * 1000, "y" * 1001, "z")

    assert [read("finding", {"outcome": one}, options).unreadable for one in options] == ["", "bad_decision", ""]


def test_a_quote_is_kept_as_long_as_it_was_written() -> None:
    def quote(written: str) -> str:
        source = f'{{"url": "u", "quote": "{written}"}}'
        text = f'{{"outcome": "YES", "confidence": 0.5, "reasoning": "so", "evidence": [{source}]}}'
        ballot = catalogue.form("finding").read(text, AnswerTerms(options=("YES", "NO"))).ballot
        assert ballot is not None
        return ballot.evidence[0].quote

    assert len(quote("x" * 4_001)) == 4_000
    assert len(quote("\\u0041" * 999)) == 999
    assert len(quote("\\u0041" * 1_001)) == 1_000


def test_words_in_an_object_are_a_speech_though_their_lines_are_broken() -> None:
    text = '{"speech": "One.\nTwo.", "note": "Three."}'
    found = catalogue.form("speech").read(text, AnswerTerms())

    assert found.unreadable == ""
    assert [text[end:begin] for (_, end), (begin, _) in pairwise(found.cuts)] == ["One.\nTwo.", "Three."]


@pytest.mark.parametrize(
    ("answer", "cautions"), [("Kafka", ()), ("NATS", ("inconsistent",)), ("Redis", ("inconsistent",))]
)
def test_an_answer_that_is_not_the_likeliest_is_noticed(answer: str, cautions: tuple[str, ...]) -> None:
    written = json.dumps({"answer": answer, "Kafka": 0.5, "NATS": 0.3, "Redis": 0.2})

    assert read_answer(written, ("Kafka", "NATS", "Redis")).cautions == cautions


@pytest.mark.parametrize(
    ("said", "option"),
    [
        ("OPTION 2: it scales", "NATS"),
        ("2. it\nscales", "NATS"),
        ("ANSWER B. it\nscales", "NATS"),
        ("(b)", "NATS"),
        ("#3", None),
        ("0", None),
    ],
)
def test_an_option_is_named_by_its_place_in_any_case_and_whatever_follows(said: str, option: str | None) -> None:
    assert choose_option(said, ("Kafka", "NATS")) == option


@pytest.mark.parametrize("within", [{"outcome": "MAYBE"}, {"outcome": "YES", "confidence": "much"}])
def test_a_flawed_finding_within_what_another_marked_is_not_this_seats(within: dict[str, object]) -> None:
    mine, theirs = "5eed5eed5eed", "0f0f0f0f0f0f"
    flawed = {"mark": mine, "confidence": 0.5, **within}
    terms = AnswerTerms(mark=mine, options=("YES", "NO"))

    for written in ({"mark": theirs, "a": flawed}, {"mark": theirs, "a": flawed, "b": flawed}):
        assert catalogue.form("finding").read(json.dumps(written), terms).unreadable == "other_mark"


@pytest.mark.parametrize(
    ("written", "sure"),
    [
        ("1", Fraction(1)), ("1.5", Fraction(3, 200)), ("2", Fraction(1, 50)), ("1%", Fraction(1, 100)), ("101", None),
        ("0.9", Fraction(9, 10)), ("100", Fraction(1)), ("0", Fraction(0)), ("high", None),
    ],
)  # fmt: skip
def test_how_sure_an_answer_is_may_be_a_share_or_a_percentage(written: str, sure: Fraction | None) -> None:
    ballot = read_answer(json.dumps({"answer": "Kafka", "confidence": written})).ballot

    assert ballot is not None
    assert ballot.confidence == sure


def test_a_finding_is_no_source_of_its_own_and_its_sources_come_in_order() -> None:
    sources = [{"url": f"https://a.example/{at}", "more": {"title": f"within {at}"}} for at in range(3)]
    told = {"outcome": "YES", "reasoning": "so", "title": "Mine", "url": "https://b.example/", "evidence": sources}
    ballot = read("finding", told, ("YES", "NO")).ballot

    assert ballot is not None
    assert [one.url or one.title for one in ballot.evidence] == [
        text for at in range(3) for text in (f"https://a.example/{at}", f"within {at}")
    ]


def test_so_many_sources_of_a_file_are_read_and_no_more() -> None:
    def sources(many: int) -> int:
        ballot = handed("finding", {"outcome": "YES", "evidence": [{"url": "u"}] * many}, ("YES", "NO")).ballot
        assert ballot is not None
        return len(ballot.evidence)

    assert [sources(many) for many in (0, 1, 5_000, 5_001)] == [0, 1, 5_000, 5_000]


def test_what_a_source_of_a_file_does_not_say_in_words_it_does_not_say() -> None:
    sources: list[object] = [{"url": "u", "title": None, "quote": ["q"], "date": True}, {"url": None}, "u", ["u"]]
    ballot = handed("finding", {"outcome": "YES", "evidence": sources}, ("YES", "NO")).ballot

    assert ballot is not None
    assert [(one.url, one.title, one.quote, one.date) for one in ballot.evidence] == [("u", "", "", "")]


@pytest.mark.parametrize("listed", ['[{"seat": "a"}, 1]', '[1, {"seat": "a"}]', '{"seat": "a"}', "1", "[[]]"])
def test_a_file_is_a_list_of_objects_and_of_nothing_else(listed: str) -> None:
    with pytest.raises(BadSetting, match="must be a list of objects"):
        read_file(listed, "", rounds=False)


def test_only_what_is_bracketed_at_both_ends_is_a_placeholder() -> None:
    for claim in ("[1] says so", "so says [1]", "<b>it</b> works"):
        assert read("argument", {"claims": [claim], "evidence": []}).unreadable == ""
    for claim in ("[claim]", "<claim>", "<claim]"):
        assert read("argument", {"claims": [claim], "evidence": []}).unreadable == "placeholder"


def test_words_between_two_ballots_in_one_object_are_shown_and_words_within_them_are_not() -> None:
    ballot = {"decision": "ACT", "note": "hidden"}
    text = json.dumps({"a": "first", "b": ballot, "c": "second", "d": ballot, "e": "third"})
    cuts = catalogue.form("speech").read(text, AnswerTerms()).cuts

    assert [text[end:begin] for (_, end), (begin, _) in pairwise(cuts)] == ["first", "second", "third"]


@BOTH
@pytest.mark.parametrize(
    ("form", "stated"),
    [("vote", {"option": "abstain"}), ("approval", {"approved": "abstain"}), ("ranking", {"ranking": "abstain"})],
)
def test_who_abstains_is_contradicted_by_nothing(given: Given, form: str, stated: dict[str, object]) -> None:
    for beside in ({"abstain": True}, {"veto": True}, {"vote": "NATS", "proceed": False}):
        ballot = given(form, {**stated, **beside}, ("Kafka", "NATS")).ballot

        assert ballot is not None
        assert ballot.abstain


def test_where_an_option_is_a_letter_no_other_is_named_by_one() -> None:
    assert choose_option("B", ("A", "Kafka")) is None
    assert choose_option("(A) since it is", ("A", "Kafka")) == "A"
    assert choose_option("B", ("Kafka", "NATS")) == "NATS"


def test_what_a_file_hands_over_is_kept_and_a_case_without_a_claim_is_none() -> None:
    finding = handed("finding", {"outcome": "YES", "confidence": 0.7}, ("YES", "NO")).ballot

    assert finding is not None
    assert finding.confidence == Fraction(7, 10)
    assert handed("argument", {"claims": []}).unreadable == "no_claim"


def test_an_assessment_tells_of_no_points_where_there_are_none() -> None:
    ballot = read("assessment", {"agreed": [], "open": ["The cost"], "leaning": "for"}).ballot

    assert ballot is not None
    assert ballot.rationale == "Open: The cost"


def test_the_first_option_is_named_by_its_letter_or_number_too() -> None:
    assert {choose_option(said, ("Kafka", "NATS")) for said in ("A.", "(a)", "1.", "option 1: so")} == {"Kafka"}


@pytest.mark.parametrize(
    ("form", "path"),
    [("vote", ["option"]), ("approval", ["approved", "items"]), ("ranking", ["ranking", "items", "items"])],
)
def test_a_provider_may_hold_options_to_a_list_and_only_to_one(form: str, path: list[str]) -> None:
    def option(options: tuple[str, ...]) -> object:
        part: object = catalogue.form(form).schema(AnswerTerms(options=options))["properties"]
        for name in path:
            part = part[name]  # type: ignore[index]
        return part

    assert option(("Kafka", "NATS")) == {"type": "string", "enum": ["1", "2"]}
    assert option(()) == {"type": "string"}


@pytest.mark.parametrize("options", [(), ("Kafka", "NATS")])
def test_a_provider_may_hold_an_outcome_to_the_list_or_to_the_three_there_are_without_one(
    options: tuple[str, ...],
) -> None:
    properties = catalogue.form("finding").schema(AnswerTerms(options=options))["properties"]

    outcome = {"type": "string", "enum": [*(options or ("YES", "NO", "UNDETERMINED"))]}
    assert properties["outcome"] == outcome  # type: ignore[index]
