"""Plays a whole deliberation through the chair, without engine, clock or network."""

import random
from collections.abc import Callable, Sequence

from quorate import catalogue, chair
from quorate.model import (
    Adjourn,
    Ask,
    Asked,
    Choice,
    Convened,
    Decided,
    Errand,
    Estimate,
    Event,
    Found,
    Hear,
    Panel,
    Question,
    Reply,
    Run,
    SeatModel,
    Silent,
    Spoken,
    Step,
    Withdrawn,
    Write,
)
from quorate.testing import ballot

Answer = Callable[[Ask], Reply | str]
"""A reply, or a word why there is none."""

Find = Callable[[Errand], Found]
"""What an errand brings."""


def has_setting(protocol: str, name: str) -> bool:
    """Whether a protocol takes a setting of that name."""
    return name in {setting.name for setting in catalogue.settings(catalogue.protocol(protocol).protocol)}


def nothing(errand: Errand) -> Found:
    """No backend: nothing is found."""
    return Found(**errand.key._asdict(), why="none here")


OPTIONS = ("Delete it", "Keep it", "Archive it first")


def question_for(protocol: str) -> Question:
    """A question, with a list of options where the vote is more than one of them."""
    vote = catalogue.form(catalogue.protocol(protocol).form).vote
    options = () if vote in (None, Choice, Estimate) else OPTIONS
    return Question(text="Should we delete the staging database before the weekend?", options=options)


def convened(panel: Panel, protocol: str = "tribunal", settings: tuple[tuple[str, str], ...] = ()) -> Convened:
    """A deliberation about to begin."""
    return Convened(
        question=question_for(protocol),
        panel=panel,
        protocol=protocol,
        rulebook=catalogue.protocol(protocol).rulebook,
        settings=settings,
        seated=tuple(SeatModel(seat=seat.name, model="test:scripted", domain=seat.name) for seat in panel),
        seed="5eed" * 16,
    )


def play(begin: Convened, answer: Answer, order: random.Random | None = None, find: Find = nothing) -> list[Event]:
    """Answer one ask after another, in any order the given chance picks, until the chair adjourns."""
    return play_on([begin], answer, order, find)


def play_on(
    written: Sequence[Event], answer: Answer, order: random.Random | None = None, find: Find = nothing
) -> list[Event]:
    """Go on from a record, whole or cut."""
    state, events = chair.replay(written), list(written)
    while (steps := chair.steps(state)) != (Adjourn(),):
        step = next((step for step in steps if isinstance(step, Write)), None) or _pick(steps, order)
        event = step.event if isinstance(step, Write) else _done(state, step, answer, find)
        events.append(event)
        state = state.after(event)
    return events


def gone_on_with(protocol: str, order: random.Random) -> list[Event]:
    """A record on which nobody could be asked at first; then everybody could, and answers."""
    panel = catalogue.protocol(protocol).panel
    assert panel is not None
    failed = play(convened(panel, protocol), lambda _: "wrong_key")
    state = chair.replay(failed).reopened()
    match chair.steps(state)[0]:
        case Hear(ask=ask):
            put = state.put(ask)
            again: Event = Asked(**put.key._asdict(), prompt=put.prompt.template)
        case step:
            assert isinstance(step, Run)
            again = nothing(step.errand)
    return play_on([*failed, again], words, order)


def _pick(steps: Sequence[Step], order: random.Random | None) -> Step:
    return steps[0] if order is None else order.choice(steps)


def _done(state: chair.State, step: Step, answer: Answer, find: Find) -> Event:
    if isinstance(step, Run):
        return find(step.errand)
    assert isinstance(step, Hear)
    ask = state.put(step.ask)
    where = ask.key._asdict()
    reply = answer(ask)
    if isinstance(reply, str):
        return Silent(**where, why=reply)
    return chair.heard_reply(ask, Spoken(**where, reply=reply))


def words(ask: Ask, decision: str = "WARN", confidence: int = 70, risk: int = 30) -> Reply:
    """A readable answer to any ask: a decision as it is given here, anything else as its form writes a sample."""
    sample = catalogue.form(ask.wants).sample(ask.terms(ask.mark))
    if ask.wants == "decision":
        sample = ballot(ask, decision, confidence, risk)
    who = f"{ask.seat.name} challenges {ask.key.about}" if ask.about else f"{ask.seat.name} in {ask.round}"
    return Reply(text=f"{who}.\n\n{sample}")


def verdict(events: Sequence[Event]) -> Decided:
    """How it ended."""
    last = events[-1]
    assert isinstance(last, Decided)
    return last


def withdrawn(events: Sequence[Event]) -> list[Withdrawn]:
    return [event for event in events if isinstance(event, Withdrawn)]
