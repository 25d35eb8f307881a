"""What a verdict rests on: short quotes of those who voted, word for word."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import presets
from quorate.analysis.points import LONGEST, MOST, WHOLE, first_sentence
from quorate.model import Approval, Point, Tally, Voice
from quorate.rules import decide

GATE = ("ACT", "WARN", "REFUSE")
CHOICES = st.sampled_from([*GATE, "VETO", "A", "B", "C"])


def voice(seat: str, choice: str, reason: str = "", sure: int = 80) -> Voice:
    option = "REFUSE" if choice == "VETO" else choice
    return Voice(seat=seat, option=option, veto=choice == "VETO", reason=reason, confidence=Fraction(sure, 100))


def points(*voices: Voice, book: str = "tribunal", options: tuple[str, ...] = GATE) -> tuple[Point, ...]:
    tally = Tally(eligible=tuple(voice.seat for voice in voices), options=options, voices=voices)
    return decide(tally, presets.rulebook(book)).points


def told(*voices: Voice, book: str = "tribunal", options: tuple[str, ...] = GATE) -> list[tuple[str, str]]:
    return [(point.seat, point.kind) for point in points(*voices, book=book, options=options)]


def test_conditions_are_whole_and_the_same_one_is_told_once_with_all_who_ask_for_it() -> None:
    long = "Restore the Thursday backup once on a scratch host. " * 7
    unlike = replace(voice("u", "WARN", "Risky. Test it first."), conditions=(long, "It runs before noon"))
    alike = replace(voice("a", "WARN", "Risky.", 90), conditions=('"it runs before noon."', "Somebody is named"))

    assert [(one.seats, one.kind, one.text) for one in points(unlike, alike)] == [
        (("a", "u"), "condition", '"it runs before noon."'),
        (("a",), "condition", "Somebody is named"),
        (("u",), "condition", long.strip()),
    ]


def test_no_condition_is_left_out_however_many_there_are() -> None:
    seats = [
        replace(voice(name, "WARN", "why"), conditions=tuple(f"{name}{at} holds" for at in range(4))) for name in "abc"
    ]

    assert len([one for one in points(*seats) if one.kind == "condition"]) == 12


def test_who_warns_without_conditions_is_quoted_with_the_whole_reason() -> None:
    reason = "It is late. " * 40

    (told,) = points(voice("u", "WARN", reason), voice("a", "WARN"))
    assert (told.kind, told.text) == ("reason", ("It is late. " * 33).strip())
    assert len(told.text) <= WHOLE


def test_a_refusal_says_why_and_a_veto_goes_first() -> None:
    assert told(voice("u", "REFUSE", "no use", 99), voice("s", "VETO", "harm", 50)) == [
        ("s", "reason"), ("u", "reason"),
    ]  # fmt: skip


def test_go_ahead_is_the_strongest_reason_and_everybody_who_sees_it_otherwise() -> None:
    voices = (voice("u", "ACT", "cheap", 70), voice("a", "ACT", "proven", 90), voice("s", "WARN", "untested"))

    assert told(*voices) == [("a", "reason"), ("s", "dissent")]


def test_of_open_options_the_winner_and_the_largest_minority_speak_and_each_side_of_a_tie() -> None:
    won = (
        voice("a", "A", "one", 60),
        voice("b", "A", "two", 90),
        voice("c", "B", "three"),
        voice("d", "C", "four", 20),
    )
    tied = (voice("a", "A", "one"), voice("b", "B", "two"))

    assert told(*won, book="plurality", options=()) == [("b", "reason"), ("c", "dissent")]
    assert told(*tied, book="plurality", options=()) == [("a", "reason"), ("b", "reason")]


def test_of_a_debate_each_side_has_its_best_claim_and_of_research_its_sources() -> None:
    sides = (
        Voice(seat="p", option="SUPPORT", weight=Fraction(1), quality=Fraction(1), quotes=("It pays. At once.", "b")),
        Voice(seat="p", option="SUPPORT", weight=Fraction(2), quality=Fraction(1), quotes=("It lasts.",), round="2"),
        Voice(seat="o", option="OPPOSE", weight=Fraction(1), quality=Fraction(1), quotes=("It leaks.",)),
    )
    debate = Tally(eligible=("p", "o"), options=("SUPPORT", "UNCERTAIN", "OPPOSE"), voices=sides, sides=True)
    found = tuple(
        Voice(seat=seat, option="YES", confidence=Fraction(4, 5), quotes=(f"The gazette of {seat} says so.",))
        for seat in ("a", "b", "c")
    )
    research = Tally(eligible=("a", "b", "c"), options=("YES", "UNDETERMINED", "NO"), voices=found)

    assert [one.text for one in decide(debate, presets.rulebook("debate")).points] == ["It lasts.", "It leaks."]
    assert {(one.kind, one.text) for one in decide(research, presets.rulebook("oracle")).points} == {
        ("source", f"The gazette of {seat} says so.") for seat in ("a", "b", "c")
    }


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Yes. And no.", "Yes. And no."),
        ("It costs 3.5 million. Not less.", "It costs 3.5 million."),
        ('  He said "never again." Then he left.', 'He said "never again."'),
        ("これは危険です。やめてください。", "これは危険です。やめてください。"),
        ("これはとても危険なことです。やめてください。", "これはとても危険なことです。"),
        ("no end mark", "no end mark"),
        ("two lines of it\nare two", "two lines of it"),
        ("", ""),
    ],
)
def test_the_first_sentence_ends_where_a_reader_would_end_it(text: str, first: str) -> None:
    assert first_sentence(text) == first


@pytest.mark.promise
@given(
    st.lists(st.tuples(CHOICES, st.text(max_size=600), st.integers(0, 100)), min_size=1, max_size=7),
    st.sampled_from(sorted(set(presets.rulebooks()) - {"debate", "debate_evidence", "debate_rounds"})),
)
def test_every_point_stands_word_for_word_in_what_its_seat_said(cast: list[tuple[str, str, int]], book: str) -> None:
    voices = [voice(f"s{at}", choice, reason, sure) for at, (choice, reason, sure) in enumerate(cast)]
    if book == "approval":
        voices = [
            Voice(seat=one.seat, option=one.option, reason=one.reason, vote=Approval((one.option,))) for one in voices
        ]
    said = {one.seat: one.reason for one in voices}
    found = points(*voices, book=book, options=GATE if book in {"tribunal", "strict"} else ())

    assert len(found) <= MOST
    assert all(0 < len(point.text) <= LONGEST and point.text in said[point.seat] for point in found)
