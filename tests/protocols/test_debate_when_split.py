"""Sealed ballots that agree and are sure stand without a challenge, and nothing less does."""

import random
from dataclasses import replace

import pytest

from quorate import chair, presets
from quorate.engine.recompute import judge
from quorate.model import Ask, Ballot, Decided, Event, Heard, Panel, Reply, Spoken
from quorate.protocols.tribunal import protocol
from quorate.testing import ballot as written
from tests.play import convened, play, verdict
from tests.tribunal import BRIEF, PANEL, ballot, said, silent

GATE = presets.panel("gate")
AGREED = (ballot("ACT", 80, 10), ballot("ACT", 70, 50), ballot("ACT", 75, 0))


def goes_on(*cast: Ballot | None) -> bool:
    """Whether anybody is asked for more than an opening, once these are in."""
    openings = (
        said(seat, "analysis", one) if one else silent(seat, "analysis") for seat, one in zip(PANEL, cast, strict=True)
    )
    asked = protocol(BRIEF, Heard.of(PANEL, *openings), debate="when_split")
    return any(isinstance(ask, Ask) and ask.round != "analysis" for ask in asked)


def test_agreement_that_is_sure_and_sees_little_risk_needs_no_challenge() -> None:
    assert not goes_on(*AGREED)
    assert not goes_on(*(ballot("REFUSE", 90, 20),) * 3)


@pytest.mark.parametrize(
    "odd",
    [
        ballot("WARN", 100, 0),
        ballot("ACT", 69, 10),
        ballot("ACT", 100, 51),
        ballot("VETO", 100, 0),
        replace(AGREED[0], confidence=None),
        replace(AGREED[0], risk=None),
        replace(AGREED[0], abstain=True),
    ],
    ids=["another choice", "unsure", "risk", "veto", "no confidence", "no risk", "abstains"],
)
@pytest.mark.parametrize("place", range(3))
def test_anything_less_is_discussed_in_full(odd: Ballot, place: int) -> None:
    cast = list(AGREED)
    cast[place] = odd

    assert goes_on(*cast)


@pytest.mark.parametrize("place", range(3))
def test_with_a_seat_silent_the_others_go_on(place: int) -> None:
    assert goes_on(*(None if number == place else cast for number, cast in enumerate(AGREED)))


def test_nobody_is_challenged_before_all_have_sealed() -> None:
    two = [said(seat, "analysis", ballot("WARN")) for seat in PANEL.seats[:2]]

    assert [ask.round for ask in protocol(BRIEF, Heard.of(PANEL, *two), debate="when_split")] == ["analysis"]


def held(choices: dict[str, str], settings: tuple[tuple[str, str], ...] = GATE.settings) -> list[Event]:
    def answer(ask: Ask) -> Reply:
        return Reply(text=written(ask, choices[ask.seat.name], 90, 10) if ask.wants == "decision" else "Why so?")

    return play(convened(PANEL, settings=settings), answer)


def test_a_gate_that_agrees_costs_three_calls_and_says_that_nobody_challenged() -> None:
    events = held(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT"))
    ended = verdict(events).verdict
    state = chair.replay(events)

    assert sum(isinstance(event, Spoken) for event in events) == 3
    assert (ended.outcome, ended.decided, ended.rule) == ("ACT", True, "unanimous")
    assert "no challenge round was held, because all seats agreed at once and were sure" in ended.because
    assert chair.tally_of(state).course.stop == "agreed"
    assert judge(events).wrong == ""


def test_a_gate_that_is_split_is_the_tribunal_it_would_have_been() -> None:
    choices = {"Utility": "ACT", "Accuracy": "ACT", "Safety": "REFUSE"}
    gate, tribunal = held(choices), held(choices, ())

    assert sum(isinstance(event, Spoken) for event in gate) == 12
    assert verdict(gate) == verdict(tribunal)
    assert "no challenge" not in verdict(gate).verdict.because


def test_the_tribunal_challenges_whatever_was_sealed() -> None:
    events = held(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT"), ())

    assert sum(isinstance(event, Spoken) for event in events) == 12


def test_a_panel_that_only_listens_has_nothing_to_agree_on(seed: int) -> None:
    chance = random.Random(seed)
    watching = Panel(seats=tuple(replace(seat, powers=()) for seat in PANEL))

    def answer(ask: Ask) -> Reply:
        return Reply(text=written(ask, chance.choice(("ACT", "REFUSE")), 90, 10))

    ended = play(convened(watching, settings=GATE.settings), answer)[-1]

    assert isinstance(ended, Decided)
    assert not ended.verdict.decided
