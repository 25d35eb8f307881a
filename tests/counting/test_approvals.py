"""Approvals as counted: an option bears the name it was first given, whoever writes it how."""

from quorate.counting.approvals import count
from quorate.model import Approval, Ballot, Brief, Choice, Heard, Panel, Question, Seat, Silence, Speech

PANEL = Panel(seats=tuple(Seat(name=name) for name in ("Ann", "Ben", "Cleo", "Dan", "Eve")))


def said(seat: str, round_: str, cast: Ballot | None) -> tuple[str, str, Speech]:
    return round_, "", Speech(seat=seat, round=round_, about="", ballot=cast)


def test_the_last_round_counts_and_an_option_written_in_two_ways_is_one() -> None:
    heard = Heard.of(
        PANEL,
        said("Ann", "1", Ballot(vote=Approval(("C",)))),
        said("Ann", "2", Ballot(vote=Approval(("Use Kafka", "use kafka", "NATS")))),
        said("Ben", "2", Ballot(vote=Approval(("nats",)))),
        said("Cleo", "2", Ballot(vote=Choice("NATS"))),
        ("2", "", Silence(seat="Dan", why="timeout")),
        said("Eve", "2", Ballot(vote=Approval(()), abstain=True)),
    )
    tally = count(Brief(question=Question(text="Which?"), panel=PANEL), heard, (), final="2")

    assert [(voice.seat, voice.vote) for voice in tally.voices] == [
        ("Ann", Approval(("Use Kafka", "NATS"))), ("Ben", Approval(("NATS",))),
    ]  # fmt: skip
    assert [(gone.seat, gone.why) for gone in tally.silent] == [("Cleo", "not_asked"), ("Dan", "timeout")]
    assert (tally.abstained, len(tally.eligible), tally.course.rounds) == (("Eve",), 5, ("1", "2"))
