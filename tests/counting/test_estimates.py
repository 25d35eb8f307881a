"""Estimates as counted: the latest of each seat, carried with a caution, and how far they lie apart."""

from fractions import Fraction

from quorate.counting.estimates import count
from quorate.model import Heard
from tests.delphi import brief_for, counted, told


def test_the_latest_estimate_counts_and_is_carried_with_a_caution() -> None:
    tally = counted((10, 20, 30, None), (12, None, 30, None))

    assert [(voice.seat, voice.option, voice.carried_from) for voice in tally.voices] == [
        ("s0", "12", ""), ("s1", "20", "1"), ("s2", "30", ""),
    ]  # fmt: skip
    assert [(caution.name, caution.seat) for caution in tally.cautions] == [("carried", "s1")]
    assert tally.cautions[0].text == "s1 was silent in the last round; its estimate from round 1 counts"
    assert [gone.seat for gone in tally.silent] == ["s3"]
    part = tally.participation
    assert (part.received, part.carried, part.failed) == (2, 1, 1)


def test_the_figures_are_exact() -> None:
    tally = counted((10, 11, 12, 14))

    assert dict(tally.figures) == {
        "median": Fraction(23, 2),
        "lowest": 10,
        "highest": 14,
        "lower_quartile": Fraction(43, 4),
        "upper_quartile": Fraction(50, 4),
        "interquartile_range": Fraction(7, 4),
    }


def test_the_course_tells_the_rounds_and_why_it_stopped() -> None:
    assert counted((10, 20, 30), (10, 20, 30)).course.stop == "diminishing"
    assert counted((10, 20, 30), (10, 20, 30)).course.rounds == ("1", "2")
    assert counted((10, 20, 30)).course.stop == "complete"


def test_what_was_said_before_anybody_saw_anything_is_kept_beside_it() -> None:
    tally = counted((10, 20, 30), (20, 20, 30))

    assert tally.sealed is not None
    assert [voice.value for voice in tally.sealed.voices] == [10, 20, 30]
    assert [(change.seat, change.was, change.now) for change in tally.changes] == [("s0", "10", "20")]


def test_nobody_is_counted_who_said_nothing() -> None:
    tally = counted((None, None))

    assert (tally.voices, tally.figures) == ((), ())
    assert len(tally.silent) == 2


def test_who_changed_is_told_with_everybody_else_who_spoke_at_first() -> None:
    tally = counted((10, 20, None, 30), (11, 20, 40, 30))

    assert [(change.seat, change.heard) for change in tally.changes] == [("s0", ("s1", "s3"))]


def test_silence_is_told_with_the_reason_of_the_last_round() -> None:
    heard = told((10, None), (11, None))
    unheard = Heard(heard.panel)

    assert [(gone.seat, gone.why) for gone in counted((10, None), (11, None)).silent] == [("s1", "timeout")]
    assert [gone.why for gone in count(brief_for(unheard), unheard, ()).silent] == ["not_asked", "not_asked"]
