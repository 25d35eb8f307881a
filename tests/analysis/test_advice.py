"""A verdict that says less than it seems to comes with what to do about it."""

from fractions import Fraction

import pytest

from quorate import presets
from quorate.analysis.ballot_cautions import USUAL, cautions_on, confidence_band
from quorate.model import Ballot, Brief, Panel, Question, Ranking, Seat, Silence, Tally, Voice
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
        ((("A", 40), ("A", 40), ("A", 40)), {"low_confidence", "weak_consensus", "equal_confidences"}),
        ((("A", 65), ("A", 69), ("A", 60)), {"weak_consensus"}),
        ((("A", 80), ("A", 85), ("B", 95)), {"surer_minority"}),
        ((("A", 80), ("A", 85), ("B", 70)), set()),
        ((("A", 80), ("B", 85), ("C", 90)), {"many_options"}),
    ],
)
def test_each_weakness_is_told_and_nothing_else(cast: tuple[tuple[str, int], ...], names: set[str]) -> None:
    assert voted(*cast) == names


def counted(*votes: tuple[str, int | None], silent: int = 0) -> Tally:
    """Votes of so many seats, each this sure or silent about it, and beside them seats that gave none."""
    voices = tuple(
        Voice(seat=f"s{at}", option=option, confidence=None if sure is None else Fraction(sure, 100))
        for at, (option, sure) in enumerate(votes)
    )
    gone = tuple(Silence(seat=f"gone{at}", why="timeout") for at in range(silent))
    seats = (*(voice.seat for voice in voices), *(silence.seat for silence in gone))
    return Tally(eligible=seats, options=(), voices=voices, silent=gone)


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (counted(("A", 65), ("A", 65)), "all agree and none is 70 % sure"),
        (counted(("A", 65), ("A", 65), silent=1), "all who voted agree and none is 70 % sure"),
        (counted(("A", 65), ("A", None), ("A", 65)), ""),
        (counted(("A", 65), ("A", 65), ("B", None)), ""),
        (counted(("A", 65), ("A", 65), ("B", 65)), ""),
    ],
)
def test_all_are_said_to_agree_only_if_all_do(tally: Tally, words: str) -> None:
    verdict = decide(tally, presets.rulebook("plurality"))
    told = [caution.text.partition(":")[0] for caution in verdict.cautions if caution.name == "weak_consensus"]

    assert verdict.outcome == "A"
    assert told == ([words] if words else [])


def test_whoever_said_nothing_is_not_said_to_have_said_something() -> None:
    verdict = decide(counted(silent=2), presets.rulebook("plurality"))

    assert [caution.text for caution in verdict.cautions] == [
        "nobody voted: see what each seat said, or why it said nothing, and ask for a choice between named options"
    ]


@pytest.mark.parametrize(
    ("cast", "told"),
    [
        (
            (ballot("ACT", 97), ballot("ACT", 97), ballot("ACT", 97)),
            ["all 3 seats are equally sure", "all seats agree"],
        ),
        ((ballot("ACT", 96), ballot("ACT", 97), ballot("ACT", 98)), ["all seats agree"]),
        ((ballot("ACT", 97), ballot("WARN", 97), ballot("ACT", 97)), ["all 3 seats are equally sure"]),
        ((ballot("ACT", 97), ballot("ACT", 97), None), []),
    ],
)
def test_confidences_that_are_too_even_are_told(cast: tuple[Ballot | None, ...], told: list[str]) -> None:
    told_of = decide(tally_of(cast), presets.rulebook("tribunal")).cautions
    named = [note for note in told_of if note.name in {"equal_confidences", "even_consensus"}]

    assert {note.text.partition(":")[0].partition(",")[0] for note in named} == set(told)


def test_seats_that_gave_no_ballot_are_not_among_those_that_agree() -> None:
    seats = tuple(Seat(name=name) for name in ("a", "b", "c", "d"))
    brief = Brief(question=Question(text="Ship it?"), panel=Panel(seats=seats))
    voices = tuple(Voice(seat=name, option="ACT", confidence=Fraction(97, 100)) for name in ("a", "b", "c"))

    tally = Tally(eligible=("a", "b", "c", "d"), options=("ACT", "WARN", "REFUSE"), voices=voices)
    advised = {note.name: note.text for note in decide(tally, presets.rulebook("tribunal")).cautions}

    assert [note.text for note in cautions_on(brief, voices, "ACT", USUAL)] == [
        "all seats that voted agree, each more than 95 % sure",
    ]
    assert advised["equal_confidences"] == "all 3 seats that voted are equally sure: 97 %"


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

    assert told["nobody_voted"] == "nobody voted: see what each seat said, or why it said nothing"
