"""Arguments as weighed: by the stated measures or a judge's marks, and only where both main sides made a case."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from quorate.analysis.debate_course import DebateSettings
from quorate.analysis.judge_marks import AB, BA
from quorate.counting.strength import count
from quorate.model import Argument, Ballot, Brief, Choice, Heard, Panel, Seat, Silence, Speech, Tally
from tests.debate import ADVOCATE, CRITIC, MODERATOR, OPPONENT, PROPONENT, QUESTION, REFINER, SIX, THREE

OUTCOMES = ("SUPPORT", "UNCERTAIN", "OPPOSE")
SIDES = {PROPONENT: "pro", ADVOCATE: "pro", OPPONENT: "con", CRITIC: "con"}
Words = tuple[str, str, Speech | Silence]


def argued(seat: Seat, number: int, claim: str = "", evidence: Sequence[str] = ()) -> Words:
    """A case of a side; unless told otherwise one that nobody else makes."""
    case = Argument(
        side=SIDES[seat],  # type: ignore[arg-type]
        claims=(claim or f"{seat.name} holds this much in {number}",),
        evidence=tuple(evidence),
        confidence=Fraction(4, 5),
    )
    return str(number), "", Speech(seat=seat.name, round=str(number), about="", argument=case)


def gone(seat: Seat, number: int, why: str = "timeout") -> Words:
    return str(number), "", Silence(seat=seat.name, why=why)


def closed(number: int) -> Words:
    return str(number), "", Speech(seat=MODERATOR.name, round=str(number), about="")


def judged(round_: str, *marks: str) -> Words:
    """A's evidence and logic, then B's."""
    names = ("a_evidence", "a_logic", "b_evidence", "b_logic")
    shares = tuple((name, Fraction(mark)) for name, mark in zip(names, marks, strict=True))
    return (
        round_,
        "",
        Speech(seat=MODERATOR.name, round=round_, about="", ballot=Ballot(vote=Choice(""), shares=shares)),
    )


def tally(words: Sequence[Words], panel: Panel = THREE, **terms: str | bool | int) -> Tally:
    brief = Brief(question=QUESTION, panel=panel)
    settings = DebateSettings(**{"max_rounds": 3, **terms})  # type: ignore[arg-type]
    return count(brief, Heard.of(panel, *words), OUTCOMES, terms=settings)


BOTH = [argued(PROPONENT, 1), argued(OPPONENT, 1), closed(1)]
PRO_ALONE = [argued(PROPONENT, 2), gone(OPPONENT, 2), closed(2)]


def test_an_argument_weighs_its_confidence_times_what_it_brings_and_how_it_hangs_together() -> None:
    quote = 'The bill: "staging costs 300 euros a month"'
    counted = tally([argued(PROPONENT, 1, "It saves money", [quote, "So it is"]), argued(OPPONENT, 1), closed(1)])
    first, second = counted.voices

    assert (first.seat, first.option, first.round) == ("Proponent", "SUPPORT", "1")
    assert (first.reason, first.quotes, first.evidence) == ("It saves money", ("It saves money",), 2)
    assert first.quality == Fraction(11, 20), "a passage that is found, and an assertion that is not"
    assert first.weight == Fraction(4, 5) * Fraction(11, 20) * (first.consistency or 0) > 0
    assert (second.seat, second.option) == ("Opponent", "OPPOSE")
    assert second.quality == second.weight == 0
    assert (counted.eligible, counted.options, counted.sides) == (("Proponent", "Opponent"), OUTCOMES, True)


def test_a_case_that_the_other_main_side_left_alone_is_shown_and_weighs_nothing() -> None:
    counted = tally([*BOTH, *PRO_ALONE])

    assert [(voice.seat, voice.round) for voice in counted.voices] == [
        ("Proponent", "1"), ("Opponent", "1"), ("Proponent", "2"),
    ]  # fmt: skip
    alone = counted.voices[2]
    assert (alone.weight, alone.quality, alone.consistency) == (Fraction(0), None, None)
    assert None not in {voice.consistency for voice in counted.voices[:2]}
    assert [(one.name, one.text) for one in counted.cautions] == [
        ("round_not_counted", "round 2 does not count: Opponent made no case in it")
    ]


def test_every_round_that_does_not_count_is_told_and_every_one_that_does_is_not() -> None:
    none = [gone(PROPONENT, 1), gone(OPPONENT, 1)]
    counted = tally([*none, *PRO_ALONE, argued(PROPONENT, 3), argued(OPPONENT, 3), closed(3)])

    assert [one.text for one in counted.cautions] == [
        "round 1 does not count: Proponent and Opponent made no case in it",
        "round 2 does not count: Opponent made no case in it",
    ]
    assert counted.course.rounds == ("1", "2", "3")


def test_a_round_that_is_not_over_is_neither_weighed_nor_told() -> None:
    counted = tally([*BOTH, argued(PROPONENT, 2), argued(OPPONENT, 2)])

    assert [voice.round for voice in counted.voices] == ["1", "1"]
    assert counted.cautions == tally([*BOTH, argued(PROPONENT, 2)]).cautions == ()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([gone(OPPONENT, 1, "refusal"), gone(OPPONENT, 2, "deadline")], "deadline"),
        ([gone(OPPONENT, 1, "refusal"), ("2", "", Speech(seat="Opponent", round="2", about=""))], "refusal"),
        ([("1", "", Speech(seat="Opponent", round="1", about="")), gone(OPPONENT, 2, "deadline")], "deadline"),
        ([], "not_asked"),
    ],
)
def test_who_made_no_case_at_all_is_silent_with_its_latest_reason(words: Sequence[Words], why: str) -> None:
    held = [argued(PROPONENT, 1), closed(1), argued(PROPONENT, 2), closed(2)]
    counted = tally([*held, *words])

    assert [(silence.seat, silence.why) for silence in counted.silent if silence.seat == "Opponent"] == [
        ("Opponent", why)
    ]
    assert [silence.seat for silence in tally(BOTH).silent] == []


@pytest.mark.parametrize(("allies", "counting"), [(False, 2), (True, 4)])
def test_allies_count_for_their_side_only_where_that_was_asked_for(allies: bool, counting: int) -> None:
    words = [argued(seat, 1) for seat in (PROPONENT, OPPONENT, ADVOCATE, CRITIC)]
    rest = [closed(1), ("1", "", Speech(seat=REFINER.name, round="1", about=""))]
    counted = tally([*words, *rest], SIX, form="extended", allies=allies)

    assert [(voice.seat, voice.option) for voice in counted.voices] == [
        ("Proponent", "SUPPORT"), ("Opponent", "OPPOSE"), ("Advocate", "SUPPORT"), ("Critic", "OPPOSE"),
    ][:counting]  # fmt: skip
    assert len(counted.eligible) == counting


JUDGED = [judged(AB, "0.9", "0.8", "0.3", "0.2"), judged(BA, "0.1", "0.4", "0.7", "0.6")]
MARKS = [(Fraction(4, 5), Fraction(7, 10)), (Fraction(1, 5), Fraction(3, 10))]


@pytest.mark.parametrize(
    ("judge", "marks", "judged_by", "cautions", "figures"),
    [
        ("decides", JUDGED, True, ["judged_by_model"], ()),
        ("decides", JUDGED[:1], False, ["judge_silent"], (("unjudged", Fraction(1)),)),
        ("beside", JUDGED, False, [], ()),
        ("beside", JUDGED[1:], False, ["judge_silent"], ()),
        ("off", JUDGED, False, [], ()),
    ],
)
def test_a_judges_marks_count_only_where_it_decides_and_was_read_in_both_orders(
    judge: str, marks: list[Words], judged_by: bool, cautions: list[str], figures: tuple[tuple[str, Fraction], ...]
) -> None:
    counted = tally([*BOTH, *marks], judge=judge)
    shown = [(voice.quality, voice.consistency) for voice in counted.voices]

    assert (shown == MARKS) is judged_by
    assert [(one.name, one.seat) for one in counted.cautions] == [(name, "Moderator") for name in cautions]
    assert counted.figures == figures


def test_of_a_judge_nothing_is_said_where_no_round_counts_and_no_case_gets_its_marks() -> None:
    counted = tally([argued(PROPONENT, 1), gone(OPPONENT, 1), closed(1), *JUDGED], judge="decides")

    assert [one.name for one in counted.cautions] == ["round_not_counted"]
    assert ([voice.quality for voice in counted.voices], counted.figures) == ([None], ())
    assert tally([argued(PROPONENT, 1), gone(OPPONENT, 1), closed(1)], judge="decides").figures == ()
