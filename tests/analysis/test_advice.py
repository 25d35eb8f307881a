"""A verdict that says less than it seems to comes with what to do about it."""

from fractions import Fraction

import pytest

from quorate import presets
from quorate.analysis.ballot_cautions import confidence_band
from quorate.model import Ranking, Silence, Tally, Voice
from quorate.rules import decide
from tests.tribunal import PANEL, ballot, tally_of


def voted(*cast: tuple[str, int], listed: int = 0, domains: str = "") -> set[str]:
    """The names of the cautions on a conference in which seats voted so, this sure."""
    seats = tuple(f"s{at}" for at in range(len(cast)))
    voices = (
        Voice(seat=seat, option=option, confidence=Fraction(sure, 100))
        for seat, (option, sure) in zip(seats, cast, strict=True)
    )
    tally = Tally(
        eligible=seats,
        options=(),
        voices=tuple(voices),
        listed=tuple(f"option {at}" for at in range(listed)),
        domains=tuple(zip(seats, domains, strict=True)) if domains else (),
    )
    return {caution.name for caution in decide(tally, presets.rulebook("plurality")).cautions}


@pytest.mark.parametrize(
    ("cast", "names"),
    [
        ((("A", 85), ("A", 90), ("A", 80)), set()),
        ((("A", 40), ("A", 40), ("A", 40)), {"low_confidence", "weak_consensus"}),
        ((("A", 65), ("A", 69), ("A", 60)), {"weak_consensus"}),
        ((("A", 80), ("A", 85), ("B", 95)), {"surer_minority"}),
        ((("A", 80), ("A", 85), ("B", 70)), set()),
        ((("A", 80), ("B", 85), ("C", 90)), {"many_options"}),
    ],
)
def test_each_weakness_is_told_and_nothing_else(cast: tuple[tuple[str, int], ...], names: set[str]) -> None:
    assert voted(*cast) == names


def test_five_options_for_three_seats_and_one_provider_for_all_are_told() -> None:
    sure = (("A", 85), ("A", 90), ("A", 80))

    assert voted(*sure, listed=5) == {"many_options"}
    assert voted(*sure, domains="xxx") == {"one_provider"}
    assert voted(*sure, domains="xxy") == set()


def test_nobody_voted_is_told_with_what_happened() -> None:
    gone = tuple(Silence(seat=seat, why=why) for seat, why in (("a", "budget"), ("b", "budget"), ("c", "timeout")))
    verdict = decide(Tally(eligible=("a", "b", "c"), options=(), silent=gone), presets.rulebook("plurality"))

    assert verdict.because == "none of the 3 seats gave a ballot: 2 out of budget, 1 gave no answer in time"
    assert "nobody_voted" in {caution.name for caution in verdict.cautions}


def test_sealed_ballots_are_told_where_the_discussion_could_not_be_finished() -> None:
    tally = tally_of([None, None, None], PANEL, [ballot("ACT"), ballot("ACT"), ballot("WARN")])
    verdict = decide(tally, presets.rulebook("tribunal"))

    assert (verdict.outcome, verdict.rule, verdict.decided) == ("REFUSE", "all_silent", False)
    assert verdict.because.startswith(
        "none of the 3 seats gave a final ballot: 3 gave no answer in time; "
        "the votes before the discussion were 2 ACT, 1 WARN"
    )


def test_confidence_is_high_moderate_or_low() -> None:
    bands = [confidence_band(Fraction(sure, 100)) for sure in (100, 80, 79, 60, 59, 0)]

    assert bands == ["high", "high", "moderate", "moderate", "low", "low"]


def test_who_ranks_every_option_is_not_told_that_each_gets_one_vote() -> None:
    orders = ("ABC", "BCA", "CAB")
    voices = tuple(
        Voice(seat=f"s{at}", option=order[0], vote=Ranking(tuple((one,) for one in order)))
        for at, order in enumerate(orders)
    )
    tally = Tally(eligible=("s0", "s1", "s2"), options=(), voices=voices, listed=("A", "B", "C"))

    assert "many_options" not in {caution.name for caution in decide(tally, presets.rulebook("condorcet")).cautions}


def test_a_tribunal_in_which_nobody_voted_is_not_told_to_name_options() -> None:
    gone = tuple(Silence(seat=seat, why="timeout") for seat in ("a", "b"))
    tally = Tally(eligible=("a", "b"), options=("ACT", "WARN", "REFUSE"), silent=gone)

    told = {caution.name: caution.text for caution in decide(tally, presets.rulebook("tribunal")).cautions}

    assert told["nobody_voted"] == "nobody voted: see what each seat said"
