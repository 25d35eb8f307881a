"""Which ways to vote are tried before a count is called settled, and what each of them looks like."""

from fractions import Fraction

import pytest

from quorate.analysis.settled_count import OpenBallots, Part, is_settled
from quorate.model import Approval, Silence, Tally, Verdict, Voice

OPTIONS = ("ACT", "WARN", "REFUSE")
SEATS = ("a", "b", "c", "d")


class Watching:
    """Decides the same of every tally, or another thing of those it is told of, and keeps what it was shown."""

    def __init__(self, *odd: str) -> None:
        self.shown: list[Tally] = []
        self.odd = odd

    def __call__(self, tally: Tally) -> Verdict:
        self.shown.append(tally)
        odd = any(voice.option in self.odd for voice in tally.voices)
        return Verdict(outcome="WARN", decided=not odd, rule="watching", because="")

    @property
    def ways(self) -> list[Tally]:
        """What was tried after the end in which nobody says more."""
        return self.shown[1:]


def tally(seats: tuple[str, ...] = SEATS, guardians: tuple[str, ...] = (), voices: tuple[Voice, ...] = ()) -> Tally:
    return Tally(eligible=seats, options=OPTIONS, guardians=guardians, voices=voices)


@pytest.mark.parametrize(
    ("still", "guardians", "part", "one_by_one", "ways"),
    [
        # Three options, sure or not, silence and abstention are 8 ballots; of two seats alike, 36 pairs.
        (OpenBallots(seats=("a", "b"), options=OPTIONS), (), "all", 0, 36),
        (OpenBallots(seats=("a", "b"), options=OPTIONS, may_abstain=False), (), "all", 0, 28),
        (OpenBallots(seats=("a", "b"), options=OPTIONS), (), "extremes", 36, 36),
        (OpenBallots(seats=("a", "b"), options=OPTIONS), (), "extremes", 35, 8),
        # All sure or nobody: 5 ballots each way, 15 pairs of them.
        (OpenBallots(seats=("a", "b"), options=OPTIONS), (), "mixes", 35, 30),
        # Who may veto has two ballots more, and is told apart.
        (OpenBallots(seats=("a", "b", "c"), options=OPTIONS), ("a",), "all", 0, 360),
        (OpenBallots(seats=("a", "b", "c"), options=OPTIONS), ("a", "d"), "extremes", 359, 80),
        (OpenBallots(seats=("a", "b", "c"), options=OPTIONS), ("a", "b"), "extremes", 799, 80),
        (OpenBallots(seats=("a", "b", "c"), options=OPTIONS), ("a", "b"), "extremes", 800, 800),
        (OpenBallots(seats=("a", "b", "c"), options=OPTIONS), ("a",), "mixes", 359, 300),
        # Approvals: each option, all but it, all and none, sure or not. Nobody vetoes with one, and without options.
        (OpenBallots(seats=("a",), options=OPTIONS, approves=True), ("a",), "all", 0, 18),
        (OpenBallots(seats=("a",), options=()), ("a",), "all", 0, 2),
    ],
)
def test_so_many_ways_are_tried(
    still: OpenBallots, guardians: tuple[str, ...], part: Part, one_by_one: int, ways: int
) -> None:
    watching = Watching()

    assert is_settled(tally(guardians=guardians), still, watching, part=part, one_by_one=one_by_one)
    assert len(watching.ways) == ways


@pytest.mark.parametrize(
    ("open_", "part", "said"),
    [(7, "all", True), (8, "all", False), (12, "mixes", True), (13, "mixes", False), (13, "extremes", True)],
)
def test_of_more_ways_than_can_be_tried_nothing_is_said(open_: int, part: Part, said: bool) -> None:
    seats = tuple(f"s{at}" for at in range(open_))

    assert is_settled(tally(seats), OpenBallots(seats=seats, options=OPTIONS), Watching(), part=part) is said


def test_up_to_400_ways_are_gone_through_one_by_one_and_4000_are_tried_at_most() -> None:
    """Without options a seat is silent or abstains, so that 400 seats vote in 401 ways."""
    seats = tuple(f"s{at}" for at in range(4000))
    some, every = OpenBallots(seats=seats[:400], options=()), OpenBallots(seats=seats, options=())
    watching = Watching()

    assert is_settled(tally(seats[:400]), some, watching, part="extremes")
    assert len(watching.ways) == 2, "all silent, or all abstain"
    assert not is_settled(tally(seats), every, Watching())


def test_of_just_as_many_mixes_as_may_be_tried_all_are() -> None:
    """Three guardians with five ballots each; of the others 0 to 15 choose the only option, all sure or nobody."""
    seats = tuple(f"s{at}" for at in range(18))
    still, watching = OpenBallots(seats=seats, options=("ACT",), may_abstain=False), Watching()

    assert is_settled(tally(seats, guardians=seats[:3]), still, watching, part="mixes")
    assert len(watching.ways) == 5**3 * 16 * 2 == 4000


def test_one_way_that_ends_otherwise_unsettles_it() -> None:
    still = OpenBallots(seats=("a", "b"), options=OPTIONS)

    assert not is_settled(tally(), still, Watching("ACT"))
    assert is_settled(tally(), OpenBallots(seats=("a", "b"), options=OPTIONS[1:]), Watching("ACT"))


def test_every_ballot_there_is_is_among_them() -> None:
    watching = Watching()
    is_settled(tally(("a",), ("a",)), OpenBallots(seats=("a",), options=OPTIONS), watching)
    cast = [voice for way in watching.ways for voice in way.voices]

    assert {(voice.seat, voice.option, voice.veto, voice.confidence, voice.risk) for voice in cast} == {
        *(("a", option, False, Fraction(sure), Fraction(1 - sure)) for option in OPTIONS for sure in (1, 0)),
        ("a", "REFUSE", True, Fraction(1), Fraction(1)),
        ("a", "REFUSE", True, Fraction(1), Fraction(0)),
    }
    assert {voice.vote for voice in cast} == {None}
    assert [way.abstained for way in watching.ways if way.abstained] == [("a",)]
    assert [[gone.why for gone in way.silent] for way in watching.ways if way.silent] == [["timeout"]]


def test_of_mixes_everybody_is_sure_or_nobody() -> None:
    watching = Watching()
    is_settled(tally(), OpenBallots(seats=("a", "b"), options=OPTIONS), watching, part="mixes", one_by_one=0)

    moods = {frozenset((voice.confidence, voice.risk) for voice in way.voices) for way in watching.ways}

    sure, unsure = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    assert moods == {frozenset(), frozenset({sure}), frozenset({unsure})}


def test_every_approval_there_is_is_among_them() -> None:
    watching = Watching()
    is_settled(tally(("a",)), OpenBallots(seats=("a",), options=OPTIONS, approves=True), watching)
    votes = [(voice.vote.approved, voice.option) for way in watching.ways for voice in way.voices
             if isinstance(voice.vote, Approval)]  # fmt: skip

    assert set(votes) == {
        *(((option,), option) for option in OPTIONS),
        *((pair, "") for pair in (("WARN", "REFUSE"), ("ACT", "REFUSE"), ("ACT", "WARN"))),
        (OPTIONS, ""),
        ((), ""),
    }


def test_what_is_known_stays_and_who_is_quiet_holds_nothing() -> None:
    known = Voice(seat="c", option="ACT"), Voice(seat="b", option="WARN")
    gone = Silence(seat="d", why="refusal")
    watching = Watching()
    held = Tally(eligible=SEATS, options=OPTIONS, voices=known, silent=(gone,), abstained=("a",))

    is_settled(held, OpenBallots(seats=("b",), options=("REFUSE",)), watching)

    quiet, *ways = watching.shown
    assert [voice.seat for voice in quiet.voices] == ["c"]
    assert quiet.not_needed == ("b",)
    assert [(one.seat, one.why) for one in quiet.silent] == [("d", "refusal")]
    assert [(one.seat, one.why) for one in ways[2].silent] == [("b", "timeout"), ("d", "refusal")]
    assert [[(voice.seat, voice.option) for voice in way.voices] for way in ways if len(way.voices) == 2] == [
        [("b", "REFUSE"), ("c", "ACT")], [("b", "REFUSE"), ("c", "ACT")],
    ]  # fmt: skip
    assert [way.abstained for way in ways] == [("a",), ("a",), ("a",), ("a", "b")]
    assert all(gone in way.silent for way in ways)
