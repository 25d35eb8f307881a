"""What is due is brought up to date entry by entry, and is what a run of the protocol on the whole record gives."""

import random
from collections.abc import Mapping, Sequence

import pytest

from quorate import catalogue, chair
from quorate.model import Admitted, Ask, AskKey, ErrandKey, Event, Found, Hear, Heard, Reply, Seat, Speech, Spoken, Step
from quorate.model.ask import Errand
from quorate.model.heard import Watch
from tests.play import convened, has_setting, play, words
from tests.protocols.test_every_protocol import panel
from tests.tribunal import PANEL, panel_of

PROTOCOLS = catalogue.names("protocol")
SEATS = (1, 2, 3, 4, 7)


def from_the_start(events: Sequence[Event]) -> chair.State:
    """Folded without anybody ever having asked what was due."""
    state = chair.State.open(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        state = state.after(event)
    return state


def settings(name: str, chance: random.Random) -> tuple[tuple[str, str], ...]:
    drawn = {
        "veto": ("final", "immediate"),
        "final_vote": ("locked", "asked"),
        "summary": ("", panel(name, 4).seats[0].name),
        "options": ("open", "nominated"),
    }
    return tuple((one, chance.choice(values)) for one, values in drawn.items() if has_setting(name, one))


def troubled(chance: random.Random) -> "tuple[object, object]":
    """Answers that come, fail, cannot be read once or twice, or veto; and errands that bring something or nothing."""

    def answer(ask: Ask) -> Reply | str:
        kind = chance.choice(("words", "words", "words", "silent", "garbage", "veto"))
        if kind == "silent":
            return "timeout"
        if kind == "garbage":
            return Reply(text="{")
        return words(ask, "VETO" if kind == "veto" and "veto" in ask.seat.powers else "ACT")

    def find(errand: Errand) -> Found:
        why = chance.choice(("", "away"))
        return Found(kind=errand.kind, round=errand.round, seat=errand.seat, about=errand.about, why=why)

    return answer, find


@pytest.mark.slow
@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("times", [4, pytest.param(12, marks=pytest.mark.promise)])
def test_entry_by_entry_and_all_at_once_are_the_same_after_every_entry(name: str, times: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        answer, find = troubled(chance)
        begin = convened(panel(name, chance.choice(SEATS)), name, settings(name, chance))
        events = play(begin, answer, chance, find)  # type: ignore[arg-type]
        state, before = chair.State.open(begin), list[tuple[chair.State, Mapping[AskKey | ErrandKey, Step]]]()
        for number, event in enumerate(events[1:], 2):
            asked = chance.random() < 0.9
            if asked and state.admitted:
                before.append((state, dict(state.agenda.due)))
            state = state.after(event)
            again = from_the_start(events[:number])
            assert not state.admitted or state.agenda.due == again.agenda.due, (name, seed, number)
            assert chair.steps(state) == chair.steps(again) or set(chair.steps(state)) == set(chair.steps(again))
        for old, due in before:
            assert dict(old.agenda.due) == due, "an earlier state has forgotten what was due then"


def test_whoever_acts_on_changes_alone_does_all_that_is_due(seed: int) -> None:
    chance = random.Random(seed)
    for name in PROTOCOLS:
        state, seen, due = chair.State.open(convened(panel(name, 4), name)), 0, dict[object, Step]()
        state = state.after(Admitted())
        while state.closed is None:
            changes = state.agenda.changes[seen:]
            seen += len(changes)
            ordered = chair.changed_steps(state, changes)
            due |= {step.ask.key: step for step in ordered if isinstance(step, Hear)}
            assert {key for key in state.agenda.due if isinstance(key, AskKey)} == set(due)
            writes = [step for step in ordered if not isinstance(step, Hear)]
            if writes:
                for step in writes:
                    event = getattr(step, "event", None) or _found(step.errand)  # type: ignore[union-attr]
                    state = state.after(event)
                continue
            hears = [step for step in due.values() if isinstance(step, Hear)]
            ask = state.put(chance.choice(hears).ask)
            del due[ask.key]
            state = state.after(chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=words(ask))))


def _found(errand: Errand) -> Found:
    return Found(kind=errand.kind, round=errand.round, seat=errand.seat, about=errand.about, why="none")


def test_two_futures_of_one_state_know_nothing_of_each_other() -> None:
    state = chair.State.open(convened(PANEL)).after(Admitted())
    asks = [state.put(step.ask) for step in chair.steps(state) if isinstance(step, Hear)]
    one, other = (
        state.after(chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=words(ask)))) for ask in asks[:2]
    )

    assert [key.seat for key in one.agenda.due] == ["Accuracy", "Safety"]
    assert [key.seat for key in other.agenda.due] == ["Utility", "Safety"]
    assert len(state.agenda.due) == len(asks) == 3
    assert (len(one.heard.words), len(other.heard.words), len(state.heard.words)) == (1, 1, 0)


@pytest.mark.parametrize("seats", [5, 9])
def test_the_protocol_is_run_when_a_seat_opens_and_when_one_has_all_its_challenges_and_no_more(seats: int) -> None:
    runs = 0
    begun = chair.State.open(convened(panel_of(seats))).after(Admitted())
    asked = begun.play

    def counted(brief: object, heard: Heard) -> object:
        nonlocal runs
        runs += 1
        return asked(brief, heard)  # type: ignore[arg-type]

    state = begun
    state.__dict__["play"] = counted
    while hears := [step for step in chair.steps(state) if isinstance(step, Hear)]:
        ask = state.put(hears[0].ask)
        state = state.after(chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=words(ask))))

    assert runs == 1 + seats + seats


def test_of_those_waited_for_together_only_the_last_makes_a_difference() -> None:
    seats = [Seat(name=name) for name in "abc"]
    watch = Watch()
    heard = Heard(panel_of(3)).watched(watch)
    said = Speech(seat="a", round="1", about="", prose="words")

    assert not heard.settled("1", *seats)
    assert [watch.came(("1", name, ""), said) for name in "abc"] == [False, False, True]
    assert not watch.came(("2", "a", ""), said)
    assert heard.speech("2", seats[0]) is None
    assert watch.came(("2", "a", ""), said)
    assert list(heard.words) == []
    assert watch.came(("9", "z", ""), said), "who looked at all of it is told of everything"
