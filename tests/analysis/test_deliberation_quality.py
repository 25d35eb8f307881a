"""Five figures of how a deliberation went, over speeches made up by hand."""

from fractions import Fraction

import pytest

from quorate.analysis.deliberation_quality import Quality, depth, quality
from quorate.model import Brief, Caution, Heard, Panel, Question, Seat, Silence, Speech, Tally, Verdict, Voice

ANN, BEN = Seat(name="Ann"), Seat(name="Ben")
PANEL = Panel(seats=(ANN, BEN))
BRIEF = Brief(question=Question(text="Shall we?", context="The backup of 2026 holds 40 tables."), panel=PANEL)
VERDICT = Verdict(
    outcome="ACT", decided=True, rule="unanimous", because="", agreement=Fraction(1), confidence=Fraction(4, 5)
)


def heard(*said: tuple[Seat, str]) -> Heard:
    return Heard.of(PANEL, *(("1", "", Speech(seat=seat.name, round="1", about="", prose=text)) for seat, text in said))


def measured(words: Heard, tally: Tally | None = None, verdict: Verdict = VERDICT) -> Quality:
    return quality(BRIEF, words, tally or Tally(eligible=("Ann", "Ben"), options=("ACT",)), verdict)


def test_who_says_the_same_adds_nothing() -> None:
    same = measured(heard((ANN, "The backup holds every table."), (BEN, "The backup holds every table.")))
    apart = measured(heard((ANN, "The backup holds every table."), (BEN, "Nobody wrote down who owns this.")))

    assert same.argument_diversity == 0
    assert apart.argument_diversity == 1


def test_one_voice_alone_has_no_diversity_and_none_is_made_up() -> None:
    assert measured(heard((ANN, "The backup holds every table."))).argument_diversity is None


def test_who_contradicts_himself_is_less_consistent() -> None:
    torn = measured(heard((ANN, "The backup holds every table. The backup does not hold every table.")))

    assert measured(heard((ANN, "The backup holds every table."))).logical_consistency == 1
    assert torn.logical_consistency == Fraction(1, 2)


def test_a_ballot_against_its_own_numbers_is_not_consistent_at_all() -> None:
    caution = Caution(name="inconsistent", seat="Ann", text="ACT at 20 %")
    tally = Tally(eligible=("Ann", "Ben"), options=("ACT",), cautions=(caution,))
    words = heard((ANN, "The backup holds every table."), (BEN, "Nobody wrote that down."))

    assert measured(words, tally).logical_consistency == Fraction(1, 2)


def test_what_stands_in_the_material_is_better_evidence() -> None:
    found = measured(heard((ANN, "The backup holds 40 tables."))).evidence_quality
    claimed = measured(heard((ANN, "The backup holds 41 tables."))).evidence_quality

    assert found is not None
    assert claimed is not None
    assert found > claimed > Fraction(1, 10)


def test_the_marks_of_arguments_are_taken_where_there_are_arguments() -> None:
    voice = Voice(seat="Ann", option="ACT", quality=Fraction(3, 4), consistency=Fraction(1, 3))
    found = measured(heard((ANN, "So it is.")), Tally(eligible=("Ann",), options=("ACT",), voices=(voice,)))

    assert (found.evidence_quality, found.logical_consistency) == (Fraction(3, 4), Fraction(1, 3))


@pytest.mark.parametrize(
    ("decided", "agreement", "expected"),
    [(True, Fraction(2, 3), Fraction(2, 3)), (False, Fraction(2, 3), Fraction(1, 3)), (True, None, None)],
)
def test_a_consensus_that_decided_nothing_is_worth_half(
    *, decided: bool, agreement: Fraction | None, expected: Fraction | None
) -> None:
    verdict = Verdict(outcome="ACT", decided=decided, rule="", because="", agreement=agreement)

    assert measured(heard(), verdict=verdict).consensus_quality == expected


def test_what_cannot_be_measured_takes_no_part_in_the_mean() -> None:
    found = measured(heard())

    assert (found.logical_consistency, found.evidence_quality, found.argument_diversity) == (None, None, None)
    assert found.overall == Fraction(9, 10)


def test_silence_says_nothing() -> None:
    quiet = Heard.of(PANEL, ("1", "", Silence(seat="Ann", why="timeout")))

    assert depth(quiet) == 0
    assert depth(heard((ANN, "The backup, the backup!"))) == 1


def test_a_debate_that_was_held_has_a_consensus_quality_though_no_heads_are_counted() -> None:
    sides = (
        Voice(seat="Ann", option="SUPPORT", weight=Fraction(3)),
        Voice(seat="Ben", option="OPPOSE", weight=Fraction(1)),
    )
    held = Tally(eligible=("Ann", "Ben"), options=("SUPPORT", "UNCERTAIN", "OPPOSE"), voices=sides, sides=True)

    for decided, expected in ((True, Fraction(3, 4)), (False, Fraction(3, 8))):
        verdict = Verdict(outcome="SUPPORT", decided=decided, rule="", because="")
        found = quality(Brief(question=Question(text="?"), panel=PANEL), heard(), held, verdict)
        assert found.consensus_quality == expected
