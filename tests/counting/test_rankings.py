"""Rankings as counted: the latest of each seat, complete over every option, and carried if it is silent later."""

from collections.abc import Sequence

import pytest

from quorate.counting.rankings import count
from quorate.model import Ballot, Brief, Heard, Panel, Question, Ranking, Seat, Silence, Speech, Tally
from tests.rankings import order

PANEL = Panel(seats=tuple(Seat(name=name) for name in ("Ann", "Ben", "Cleo")))


def word(seat: str, number: int, written: str) -> Speech | Silence:
    """A ranking; "-" is silence, "" words without a ballot, "!" words whose ballot could not be read."""
    if written == "-":
        return Silence(seat=seat, why="timeout")
    if written in {"", "!"}:
        return Speech(seat=seat, round=str(number), about="", cautions=("bad_ballot",) if written else ())
    cast = Ballot(vote=Ranking(() if written == "ABSTAIN" else order(written)), abstain=written == "ABSTAIN")
    return Speech(seat=seat, round=str(number), about="", ballot=cast)


def tally(*rounds: Sequence[str]) -> Tally:
    words = [
        (str(number), "", word(seat.name, number, written))
        for number, row in enumerate(rounds, 1)
        for seat, written in zip(PANEL, row, strict=True)
    ]
    return count(Brief(question=Question(text="Which?"), panel=PANEL), Heard.of(PANEL, *words), ())


def choices(counted: Tally | None) -> list[str]:
    assert counted is not None
    return [voice.choice for voice in counted.voices]


def test_an_option_bears_the_name_it_was_given_last_in_every_round() -> None:
    counted = tally(("use kafka > NATS", "NATS > use kafka", "NATS"), ("Use Kafka > NATS", "NATS", "nats"))

    assert choices(counted) == ["Use Kafka > NATS", "NATS > Use Kafka", "NATS > Use Kafka"]
    assert choices(counted.sealed) == ["Use Kafka > NATS", "NATS > Use Kafka", "NATS > Use Kafka"]
    assert counted.changes == ()


def test_options_of_earlier_rounds_are_ranked_last_by_who_left_them_out() -> None:
    counted = tally(("A > B", "C", "C"), ("A", "A", "A"))

    assert choices(counted) == ["A > B = C"] * 3
    assert choices(counted.sealed) == ["A > B > C", "C > A = B", "C > A = B"]


def test_who_ranks_otherwise_than_at_first_is_told_with_whom_it_heard() -> None:
    counted = tally(("A = B > C", "A > B > C", "-"), ("B = A > C", "B > A > C", "A"))

    assert [(one.seat, one.was, one.now, one.heard) for one in counted.changes] == [
        ("Ben", "A > B > C", "B > A > C", ("Ann",))
    ]


@pytest.mark.parametrize(("last", "why"), [("-", "timeout"), ("!", "bad_ballot"), ("", "no_ballot")])
def test_who_never_ranked_is_silent_for_the_reason_of_the_last_round(last: str, why: str) -> None:
    counted = tally(("A > B", "-", "ABSTAIN"), ("A > B", last, "ABSTAIN"))

    assert [(gone.seat, gone.why) for gone in counted.silent] == [("Ben", why)]
    assert (counted.abstained, choices(counted)) == (("Cleo",), ["A > B"])


def test_a_ranking_is_carried_with_a_caution_and_a_shared_first_place_is_no_head() -> None:
    counted = tally(("A > B", "A = B", "B > A"), ("-", "A = B", "B > A"))

    assert [(voice.option, voice.carried_from) for voice in counted.voices] == [("A", "1"), ("", ""), ("B", "")]
    assert [(one.seat, one.text) for one in counted.cautions] == [
        ("Ann", "Ann was silent in the last round; its ranking from round 1 counts")
    ]
    assert counted.sealed is not None
    assert (counted.sealed.cautions, counted.course.rounds) == ((), ("1", "2"))


def test_before_a_round_is_over_nothing_is_ranked() -> None:
    assert [gone.why for gone in tally().silent] == ["no_ballot"] * 3
    assert (tally().course.rounds, tally().voices) == ((), ())
