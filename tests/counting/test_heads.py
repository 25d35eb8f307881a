"""Final ballots as counted: who stands where, who was where before, and what a reader should know."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from quorate.counting.heads import AGREED, count
from quorate.model import Ballot, Brief, Caution, Change, Heard, Panel, Question, Seat, Silence, Speech, Tally
from tests.tribunal import OUTCOMES, ballot, said, silent, tally_of

ANN, BEN, GUARD = SEATS = (Seat(name="Ann"), Seat(name="Ben"), Seat(name="Guard", powers=("vote", "veto")))
PANEL = Panel(seats=SEATS)
Words = tuple[str, str, Speech | Silence]


def row(round_: str, *casts: str) -> list[Words]:
    """What each seat casts in a round; "-" is silence, "?" somebody who was not asked."""
    return [
        silent(seat, round_) if cast == "-" else said(seat, round_, one(cast))
        for seat, cast in zip(PANEL, casts, strict=True)
        if cast != "?"
    ]


def one(cast: str) -> Ballot:
    return replace(ballot("WARN"), abstain=True) if cast == "ABSTAIN" else ballot(cast)


def tally(words: Sequence[Words], panel: Panel = PANEL, **settings: str) -> Tally:
    brief = Brief(question=Question(text="Shall we?"), panel=panel)
    told = {"final": "last", "sealed": "first", **settings}
    return count(brief, Heard.of(panel, *words), OUTCOMES, **told)  # type: ignore[arg-type]


def options(counted: Tally | None) -> dict[str, str]:
    assert counted is not None
    return {voice.seat: voice.option for voice in counted.voices}


def named(counted: Tally, name: str) -> list[Caution]:
    return [caution for caution in counted.cautions if caution.name == name]


def test_who_ended_elsewhere_than_its_sealed_ballot_is_named_with_whom_it_heard() -> None:
    about: list[Words] = [
        said(GUARD, "talk", about=ANN),
        said(BEN, "talk", about=ANN),
        said(ANN, "talk", about=BEN),
        silent(GUARD, "talk", about=BEN),
    ]
    counted = tally([*row("first", "ACT", "WARN", "ACT"), *about, *row("last", "WARN", "ACT", "ACT")])

    assert counted.changes == (
        Change(seat="Ann", was="ACT", now="WARN", heard=("Ben", "Guard")),
        Change(seat="Ben", was="WARN", now="ACT", heard=("Ann",)),
    )


@pytest.mark.parametrize(
    ("first", "last", "changes"),
    [
        (("ACT", "ACT", "VETO"), ("ACT", "ACT", "REFUSE"), [("Guard", "VETO", "REFUSE")]),
        (("ACT", "ACT", "REFUSE"), ("ACT", "ACT", "VETO"), [("Guard", "REFUSE", "VETO")]),
        (("-", "ABSTAIN", "ACT"), ("ACT", "ACT", "ACT"), []),
        (("ACT", "WARN", "ACT"), ("-", "ABSTAIN", "ACT"), []),
    ],
)
def test_a_veto_is_a_word_of_its_own_and_silence_is_no_change(
    first: Sequence[str], last: Sequence[str], changes: list[tuple[str, str, str]]
) -> None:
    counted = tally([*row("first", *first), *row("last", *last)])

    assert [(change.seat, change.was, change.now) for change in counted.changes] == changes


def test_ballots_silences_and_abstentions_are_told_apart_in_the_end_and_before() -> None:
    counted = tally([*row("first", "-", "ABSTAIN", "WARN"), *row("last", "ACT", "-", "ABSTAIN")])

    assert (options(counted), counted.abstained) == ({"Ann": "ACT"}, ("Guard",))
    assert [(gone.seat, gone.why) for gone in counted.silent] == [("Ben", "timeout")]
    assert counted.sealed is not None
    assert (options(counted.sealed), counted.sealed.abstained) == ({"Guard": "WARN"}, ("Ben",))
    assert [gone.seat for gone in counted.sealed.silent] == ["Ann"]
    assert (counted.eligible, counted.guardians) == (("Ann", "Ben", "Guard"), ("Guard",))


def test_the_round_that_repeats_the_final_ballots_counts_where_it_was_held() -> None:
    held = [*row("first", "ACT", "ACT", "ACT"), *row("last", "WARN", "WARN", "WARN")]

    assert options(tally(held, confirmed="again")) == dict.fromkeys(("Ann", "Ben", "Guard"), "WARN")
    assert options(tally([*held, *row("again", "REFUSE", "?", "?")], confirmed="again")) == {"Ann": "REFUSE"}


def test_sealed_ballots_that_agree_are_final_where_only_a_split_is_discussed() -> None:
    agreed = row("first", "ACT", "ACT", "ACT")
    split = [*row("first", "ACT", "ACT", "WARN"), *row("last", "WARN", "WARN", "WARN")]
    short, long = tally(agreed, debate="when_split"), tally(split, debate="when_split")

    assert (short.course.rounds, short.course.stop, short.course.why) == (("first",), "agreed", AGREED)
    assert set(options(short).values()) == {"ACT"}
    assert (long.course.rounds, long.course.stop, long.course.why) == (("first", "last"), "complete", "")
    assert set(options(long).values()) == {"WARN"}
    assert tally(agreed).course.stop == "complete", "always discussed unless told otherwise"
    assert tally(agreed).voices == ()


@pytest.mark.parametrize(
    ("first", "last", "stop", "counts"),
    [
        (("ACT", "ACT", "VETO"), ("?", "?", "?"), "veto", {"Guard": "REFUSE"}),
        (("ACT", "ACT", "VETO"), ("ACT", "ACT", "VETO"), "complete", {"Ann": "ACT", "Ben": "ACT", "Guard": "REFUSE"}),
        (("ACT", "ACT", "VETO"), ("ACT", "ACT", "-"), "complete", {"Ann": "ACT", "Ben": "ACT"}),
        (("VETO", "ACT", "ACT"), ("?", "ACT", "ACT"), "complete", {"Ben": "ACT", "Guard": "ACT"}),
        (("ACT", "ACT", "REFUSE"), ("ACT", "ACT", "?"), "complete", {"Ann": "ACT", "Ben": "ACT"}),
    ],
)
def test_an_opening_veto_is_final_only_from_a_guardian_who_was_not_asked_again(
    first: Sequence[str], last: Sequence[str], stop: str, counts: dict[str, str]
) -> None:
    counted = tally([*row("first", *first), *row("last", *last)])

    assert (counted.course.stop, options(counted)) == (stop, counts)
    assert [voice.seat for voice in counted.vetoes] == ["Guard"] * ("REFUSE" in counts.values())


def test_a_veto_without_the_right_to_it_is_told_and_is_none() -> None:
    counted = tally(row("last", "VETO", "ACT", "VETO"))

    assert [(voice.seat, voice.veto) for voice in counted.voices] == [("Ann", False), ("Ben", False), ("Guard", True)]
    assert [(one.seat, one.text) for one in named(counted, "veto_without_power")] == [
        ("Ann", "Ann cast a veto without having that right; it counts as the most cautious vote")
    ]


def test_a_share_read_as_a_percentage_is_told_of_the_seat_that_wrote_one() -> None:
    round_, about, speech = said(ANN, "last", ballot("ACT"))
    counted = tally([(round_, about, replace(speech, cautions=("scale",))), *row("last", "?", "ACT", "ACT")])

    assert [(one.seat, one.text) for one in named(counted, "scale")] == [
        ("Ann", "a number between 0 and 1 was read as a share, 0.85 as 85 %")
    ]


def test_silence_is_told_with_the_reason_of_the_last_round_and_else_of_the_first() -> None:
    words = [silent(ANN, "first", "refusal"), silent(ANN, "last", "deadline"), silent(BEN, "first", "refusal")]

    assert [gone.why for gone in tally(words).silent] == ["deadline", "refusal", "not_asked"]
    assert [gone.why for gone in tally(words, sealed="").silent] == ["deadline", "refusal", "not_asked"]


def test_without_a_sealed_round_nothing_was_before_and_nobody_changed() -> None:
    counted = tally_of([ballot("ACT"), ballot("WARN")])

    assert (counted.sealed, counted.changes) == (None, ())


def test_bold_ballots_at_a_high_risk_are_told_by_the_first_outcome() -> None:
    counted = tally_of([ballot("ACT", risk=80), ballot("WARN", risk=80)])

    assert [(one.name, one.seat) for one in counted.cautions] == [
        ("high_risk", "s0"), ("inconsistent", "s0"), ("high_risk", "last"), ("inconsistent", "last"),
    ]  # fmt: skip
