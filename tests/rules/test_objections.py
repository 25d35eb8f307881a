"""Seats that warn, refuse or give no ballot hold ACT back, in the panels that gate what an agent does."""

import json
from dataclasses import replace
from itertools import product

import pytest

from quorate import presets
from quorate.engine.recompute import judge
from quorate.model import Ask, Ballot, Decided, Event, PartRef, Reply, Silence, Spoken, Tally, Verdict, Voice
from quorate.model.ballot import NOT_NEEDED
from quorate.offline.decide import decide_text
from quorate.offline.prove import prove, subject_of
from quorate.rules import decide
from quorate.settings.rulebook_file import amend_rulebook
from quorate.testing import ballot as written
from tests.play import convened, play, verdict
from tests.tribunal import ballot, tally_of

ACT, WARN, REFUSE, VETO = (ballot(choice) for choice in ("ACT", "WARN", "REFUSE", "VETO"))
THREE, FIVE = (presets.panel(name) for name in ("gate", "gate-five"))


def by_three(*votes: Ballot | None) -> Verdict:
    return decide(tally_of(votes, THREE.panel), presets.rulebook("gate"))


def by_five(*votes: Ballot | None) -> Verdict:
    return decide(tally_of(votes, FIVE.panel), presets.rulebook("gate-five"))


@pytest.mark.parametrize(
    ("votes", "outcome", "rule"),
    [
        ((ACT, ACT, ACT), "ACT", "unanimous"),
        ((ACT, WARN, ACT), "WARN", "objections"),
        ((REFUSE, ACT, ACT), "WARN", "objections"),
        ((ACT, None, ACT), "WARN", "objections"),
        ((ACT, ACT, None), "WARN", "veto_seat_silent"),
        ((REFUSE, REFUSE, ACT), "REFUSE", "supermajority"),
        ((ACT, ACT, VETO), "REFUSE", "veto"),
        ((None, None, None), "REFUSE", "all_silent"),
    ],
)
def test_a_gate_of_three_acts_only_if_all_three_do(votes: tuple[Ballot | None, ...], outcome: str, rule: str) -> None:
    verdict = by_three(*votes)

    assert (verdict.outcome, verdict.rule) == (outcome, rule)
    assert verdict.decided == (rule not in {"objections", "veto_seat_silent", "all_silent"})


@pytest.mark.parametrize(
    ("votes", "outcome", "rule"),
    [
        ((ACT, ACT, ACT, ACT, ACT), "ACT", "unanimous"),
        ((ACT, ACT, ACT, ACT, REFUSE), "ACT", "supermajority"),
        ((ACT, None, ACT, ACT, ACT), "ACT", "supermajority"),
        ((ACT, ACT, None, ACT, ACT), "WARN", "veto_seat_silent"),
        ((ACT, ACT, VETO, ACT, ACT), "REFUSE", "veto"),
        ((ACT, ACT, ACT, WARN, WARN), "WARN", "hold"),
        ((ACT, ACT, ACT, None, None), "WARN", "hold"),
        ((REFUSE, REFUSE, REFUSE, REFUSE, ACT), "REFUSE", "supermajority"),
    ],
)
def test_a_gate_of_five_needs_four_stated_approvals_and_a_ballot_from_safety(
    votes: tuple[Ballot | None, ...], outcome: str, rule: str
) -> None:
    verdict = by_five(*votes)

    assert (verdict.outcome, verdict.rule) == (outcome, rule)


@pytest.mark.parametrize("name", ["gate", "gate-five"])
def test_a_gate_never_acts_with_fewer_stated_approvals_than_it_promises(name: str) -> None:
    charter = presets.panel(name)
    seats, needed = len(charter.panel), {"gate": 3, "gate-five": 4}[name]
    for votes in product((ACT, WARN, REFUSE, VETO, None), repeat=seats):
        verdict = decide(tally_of(votes, charter.panel), presets.rulebook(name))
        enough = votes.count(ACT) >= needed and votes[2] not in (None, VETO)
        assert (verdict.outcome == "ACT") == enough, votes


def test_a_seat_that_is_not_needed_or_abstains_approves_nothing() -> None:
    names = tuple(f"seat {at}" for at in range(4))
    three = Tally(
        eligible=names,
        options=("ACT", "WARN", "REFUSE"),
        voices=tuple(Voice(seat=name, option="ACT") for name in names[:3]),
        silent=(Silence(seat=names[3], why=NOT_NEEDED),),
    )
    abstains = replace(three, silent=(), abstained=names[3:])

    for tally in (three, abstains):
        assert decide(tally, presets.rulebook("gate")).outcome == "WARN"
        assert decide(tally, presets.rulebook("gate-five")).outcome == "ACT"


def test_the_reason_names_what_the_others_did_and_how_many_are_enough() -> None:
    book = amend_rulebook(presets.rulebook("gate-five"), (("supermajority.at_least", "1/2"),))
    because = decide(tally_of((ACT, ACT, ACT, ACT, WARN, None, REFUSE)), book).because

    assert (
        "3 of 7 seats did not choose ACT (1 REFUSE, 1 WARN, 1 no ballot), and 2 are enough to hold it back" in because
    )


def test_two_of_fourteen_hold_back_what_twelve_approve() -> None:
    tribunal = presets.rulebook("tribunal")
    cautious = replace(tribunal, unless=(*tribunal.unless, PartRef("objections", (("at_least", "2"),))))
    votes = tally_of((*[ACT] * 12, WARN, REFUSE))

    assert decide(votes, tribunal).outcome == "ACT"
    assert decide(votes, cautious).outcome == "WARN"


def held(panel: str, choices: dict[str, str]) -> list[Event]:
    charter = presets.panel(panel)

    def answer(ask: Ask) -> Reply:
        return Reply(text=written(ask, choices[ask.seat.name], 90, 10) if ask.wants == "decision" else "Why so?")

    begun = replace(convened(charter.panel, settings=charter.settings), rulebook=presets.rulebook(panel))
    return play(begun, answer)


SEATS = tuple(seat.name for seat in FIVE.panel)


@pytest.mark.parametrize("objectors", [(), ("Accuracy",), ("Utility", "Operations"), SEATS])
def test_five_are_asked_in_one_wave_and_their_sealed_ballots_decide(objectors: tuple[str, ...]) -> None:
    events = held("gate-five", {seat: "WARN" if seat in objectors else "ACT" for seat in SEATS})
    spoken = [event for event in events if isinstance(event, Spoken)]

    assert {event.round for event in spoken} == {"analysis"}
    assert len(spoken) <= 5
    assert verdict(events).verdict.outcome == ("ACT" if len(objectors) < 2 else "WARN")
    assert judge(events).wrong == ""


@pytest.mark.parametrize(("objections", "outcome"), [(1, "ACT"), (2, "WARN")])
def test_ballots_of_a_file_are_counted_by_the_panel_that_never_discusses(objections: int, outcome: str) -> None:
    choices = ["WARN"] * objections + ["ACT"] * (5 - objections)
    ballots = [
        {"seat": seat, "decision": choice, "confidence": 90, "risk": 10}
        for seat, choice in zip(reversed(SEATS), choices, strict=True)
    ]

    assert decide_text(json.dumps(ballots), charter=FIVE).verdict.outcome == outcome


@pytest.mark.parametrize("name", ["gate", "gate-five"])
def test_every_way_to_vote_keeps_what_the_panel_promises(name: str) -> None:
    proof = prove(subject_of(presets.panel(name), None), most=4)

    assert not proof.refuted
    assert "ACT" in proof.outcomes


def test_three_that_are_split_discuss_before_they_decide() -> None:
    events = held("gate", {"Utility": "ACT", "Accuracy": "WARN", "Safety": "ACT"})
    ended = events[-1]

    assert {event.round for event in events if isinstance(event, Spoken)} == {
        "analysis", "challenge", "revision",
    }  # fmt: skip
    assert isinstance(ended, Decided)
    assert (ended.verdict.outcome, ended.verdict.rule) == ("WARN", "objections")
