"""A researcher's finding as models write it."""

import json
from fractions import Fraction

import pytest

from quorate.model.ask import AnswerTerms
from quorate.model.evidence import Evidence
from quorate.reading import finding, probability, quantity
from quorate.reading.text.finding_form import MOST, evidence_of, share_of
from tests.reading.files import handed

MARK = "a1b2c3d4e5f6"


def stated(**changes: object) -> str:
    cited = [{"url": "https://a.example/", "title": "A", "quote": 'it is "so"', "category": "news", "relevance": 0.9}]
    found = {"mark": MARK, "outcome": "YES", "confidence": 0.8, "reasoning": "because", "evidence": cited}
    return json.dumps({**found, **changes})


@pytest.mark.parametrize(
    "text",
    [
        f"I looked.\n\nFINDING {stated()}",
        stated(),
        f"```json\n{stated()}\n```",
        f"<think>hm</think>{stated(outcome='yes')}",
        f"**FINDING** {stated(confidence='80%')}",
        f"FINDING {stated(confidence=80)}",
        f"FINDING {stated()[:-1]},}}",
    ],
)
def test_a_finding_is_read_as_models_write_it(text: str) -> None:
    found = finding.SPEC.read(text, AnswerTerms(mark=MARK))

    assert found.ballot is not None
    assert (found.ballot.choice, found.ballot.confidence) == ("YES", Fraction(4, 5))
    assert [(one.url, one.quote, one.category) for one in found.ballot.evidence] == [
        ("https://a.example/", 'it is "so"', "news")
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (stated(outcome="MAYBE"), "bad_decision"),
        (stated(outcome="INVALID"), "bad_decision"),
        (stated(outcome=""), "no_option"),
        (stated(outcome="<outcome>"), "placeholder"),
        (stated(confidence=101), "bad_number"),
        (stated(confidence=True), "bad_number"),
        (stated(confidence="NaN"), "bad_number"),
        (stated(mark="0" * 12), "other_mark"),
        (stated()[:-20], "cut_short"),
        (stated().replace('"outcome": "YES"', '"outcome": "YES", "outcome": "NO"'), "duplicate"),
        (stated().replace('"outcome": "YES", ', ""), "no_ballot"),
        ("", "empty"),
        ("It is so, I think.", "no_ballot"),
    ],
)
def test_what_is_no_finding_says_why(text: str, why: str) -> None:
    found = finding.SPEC.read(text, AnswerTerms(mark=MARK))

    assert found.ballot is None
    assert found.unreadable == why
    assert MARK in finding.SPEC.repair(why, AnswerTerms(mark=MARK))


def test_the_pattern_echoed_is_no_finding() -> None:
    assert finding.SPEC.read(finding.SPEC.instructions(AnswerTerms(mark=MARK)), AnswerTerms(mark=MARK)).ballot is None


def test_a_list_of_sources_without_end_is_bounded_in_a_clear_sentence() -> None:
    source = {"url": "https://a.example/", "quote": "word " * 20}
    huge = finding.SPEC.read(stated(evidence=[source] * 80_000), AnswerTerms(mark=MARK))
    many = finding.SPEC.read(
        stated(evidence=[{**source, "url": f"https://a.example/{at}"} for at in range(300)]), AnswerTerms(mark=MARK)
    )

    assert (huge.ballot, huge.unreadable) == (None, "overfull")
    assert f"cite the {MOST} best" in finding.SPEC.repair("overfull", AnswerTerms())
    assert many.ballot is not None
    assert len(many.ballot.evidence) == MOST
    assert "many_sources" in many.cautions


def test_named_options_are_the_only_outcomes_where_they_are_given() -> None:
    options = ("Paris", "Rome", "UNDETERMINED")

    assert finding.SPEC.read(stated(outcome="rome"), AnswerTerms(options=options)).ballot.choice == "Rome"  # type: ignore[union-attr]
    assert finding.SPEC.read(stated(outcome="YES"), AnswerTerms(options=options)).unreadable == "bad_decision"


@pytest.mark.parametrize(
    ("text", "read"), [("1,250,000.5", "1250000.5"), ("-3", "-3"), ("undetermined", "UNDETERMINED")]
)
def test_a_number_is_read_from_its_digits(text: str, read: str) -> None:
    assert quantity.SPEC.read(stated(outcome=text)).ballot.choice == read  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["about ten", "1,25", "1e999", "9" * 50])
def test_what_is_no_number_is_none(text: str) -> None:
    assert quantity.SPEC.read(stated(outcome=text)).unreadable == "bad_number"


@pytest.mark.parametrize(("text", "read"), [("0.73", "0.73"), ("73 %", "73e-2"), ("1", "1")])
def test_a_probability_is_a_share_or_bears_its_sign(text: str, read: str) -> None:
    assert probability.SPEC.read(stated(outcome=text)).ballot.choice == read  # type: ignore[union-attr]
    assert probability.SPEC.read(stated(outcome="73")).unreadable == "bad_number"


@pytest.mark.parametrize(
    "outcome", ["YES" + " " * 1_200 + "would be wrong", "Y\x01ES", "Y\x00ES", "Y\u200bES", "\uff39ES", "YES " * 400]
)
def test_a_piece_of_an_outcome_is_not_the_outcome(outcome: str) -> None:
    found = finding.SPEC.read(stated(outcome=outcome), AnswerTerms(mark=MARK))

    assert (found.ballot, found.unreadable) == (None, "bad_decision")


@pytest.mark.parametrize("number", ["5" + " " * 80 + "million", "1" * 61, "1" * 30 + "." + "1" * 50, "5 " * 60])
def test_a_piece_of_a_number_is_not_the_number(number: str) -> None:
    assert quantity.SPEC.read(stated(outcome=number), AnswerTerms(mark=MARK)).unreadable == "bad_number"


@pytest.mark.parametrize("chance", ["9e1%", "1e2 %", "9e1e-2", "0.5e%"])
def test_a_percentage_has_no_exponent(chance: str) -> None:
    assert probability.SPEC.read(stated(outcome=chance), AnswerTerms(mark=MARK)).unreadable == "bad_number"


def test_an_object_with_two_marks_or_a_finding_within_a_guess_is_nobodys() -> None:
    twice = stated().replace(f'"mark": "{MARK}"', f'"mark": "{MARK}", "mark": "0123456789ab"')
    swallowed = stated(reasoning="X").replace('"X"', f'"he said "so", see {stated(outcome="NO", confidence=0.1)}"')

    assert finding.SPEC.read(twice, AnswerTerms(mark=MARK)).unreadable == "other_mark"
    assert finding.SPEC.read(swallowed, AnswerTerms(mark=MARK)).ballot is None


def test_what_a_source_does_not_say_has_its_default_and_what_is_too_long_is_cut() -> None:
    (bare,) = evidence_of({"url": " https://a.example "})
    (full,) = evidence_of(
        {
            "source": "u" * 1_001, "title": "t" * 1_001, "excerpt": "q" * 1_001, "category": "Fact Check",
            "relevance": "40 %", "credibility": "0.9", "date": "d" * 81,
        }
    )  # fmt: skip

    assert bare == Evidence(url="https://a.example", relevance=Fraction(1), credibility=Fraction(1, 2))
    assert full == Evidence(
        url="u" * 1_000, title="t" * 1_000, quote="q" * 1_001, category="fact_check",
        relevance=Fraction(2, 5), credibility=Fraction(9, 10), date="d" * 80,
    )  # fmt: skip
    assert [*evidence_of({"title": "A", "category": "gossip"})] == [
        Evidence(url="", title="A", category="domain_specific")
    ]
    assert [*evidence_of({"category": "news", "url": ""})] == []


@pytest.mark.parametrize(("number", "kept", "cautions"), [(200, 200, ()), (201, 200, ("many_sources",))])
def test_two_hundred_sources_are_read_and_of_more_it_is_told(number: int, kept: int, cautions: tuple[str, ...]) -> None:
    cited = [{"url": f"https://a.example/{at}"} for at in range(number)]
    found = finding.SPEC.read(stated(evidence=cited), AnswerTerms(mark=MARK))

    assert found.ballot is not None
    assert (len(found.ballot.evidence), found.cautions) == (kept, cautions)
    assert found.ballot.evidence[0].url == "https://a.example/0"


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("0.85", (Fraction(85, 100), False)),
        ("85", (Fraction(85, 100), True)),
        ("85 %", (Fraction(85, 100), False)),
        ("0.5%", (Fraction(1, 200), False)),
        ("1", (Fraction(1), False)),
        ("1.5", (Fraction(15, 1000), True)),
        ("0", (Fraction(0), False)),
        ("100", (Fraction(1), True)),
        ("100.1", None),
        ("-0.1", None),
        ("\u0665", None),
        ("0." + "1" * 79, None),
        ("", None),
    ],
)
def test_a_share_is_written_as_one_or_as_a_percentage(written: str, share: tuple[Fraction, bool] | None) -> None:
    assert share_of(written) == share


def test_sources_of_a_file_are_read_as_far_as_each_is_an_object_with_an_address() -> None:
    cited: list[object] = [{"url": "https://a.example", "relevance": 1}, "b", {"category": "news"}, {"quote": "so"}]
    fields = {"outcome": "YES", "confidence": "0.5", "reason": "so"}
    ballots = [
        handed(finding.SPEC, {**fields, name: value}, AnswerTerms()).ballot
        for name, value in (("evidence", cited), ("sources", cited), ("sources", "a"), ("evidence", []))
    ]

    assert [[one.url or one.quote for one in ballot.evidence] if ballot else None for ballot in ballots] == [
        ["https://a.example", "so"], ["https://a.example", "so"], [], [],
    ]  # fmt: skip


def test_the_example_of_a_file_bears_an_outcome_of_its_form() -> None:
    examples = [json.loads(form.SPEC.example)[0] for form in (finding, probability, quantity)]

    assert [(one["seat"], one["outcome"], one["evidence"]) for one in examples] == [
        ("Broad", "YES", [{"url": "…"}]), ("Broad", "0.7", [{"url": "…"}]), ("Broad", "1200", [{"url": "…"}]),
    ]  # fmt: skip
