"""Plays a whole deliberation through the chair, without engine, clock or network."""

import random
from collections.abc import Callable, Sequence

from quorate import chair, presets
from quorate.catalogue import load
from quorate.model import (
    Adjourn,
    Ask,
    Convened,
    Decided,
    Errand,
    Event,
    Found,
    Hear,
    Panel,
    Question,
    Reply,
    Run,
    Seated,
    Silent,
    Spoken,
    Step,
    Withdrawn,
    Write,
)
from quorate.testing import argument, assessment, finding, judgement, vote

Answer = Callable[[Ask], Reply | str]
"""A reply, or a word why there is none."""

Find = Callable[[Errand], Found]
"""What an errand brings."""


def nothing(errand: Errand) -> Found:
    """No backend: nothing is found."""
    return Found(kind=errand.kind, round=errand.round, seat=errand.seat, about=errand.about, why="none here")


def convened(panel: Panel, protocol: str = "tribunal", settings: tuple[tuple[str, str], ...] = ()) -> Convened:
    """A deliberation about to begin."""
    return Convened(
        question=Question(text="Should we delete the staging database before the weekend?"),
        panel=panel,
        protocol=protocol,
        rulebook=presets.rulebook(load("protocol", protocol).RULEBOOK),
        settings=settings,
        seated=tuple(Seated(seat=seat.name, model="test:scripted", domain=seat.name) for seat in panel),
        seed="5eed" * 16,
    )


def play(begin: Convened, answer: Answer, order: random.Random | None = None, find: Find = nothing) -> list[Event]:
    """Answer one ask after another, in any order the given chance picks, until the chair adjourns."""
    return play_on([begin], answer, order, find)


def play_on(
    written: Sequence[Event], answer: Answer, order: random.Random | None = None, find: Find = nothing
) -> list[Event]:
    """Go on from a record, whole or cut."""
    docket, events = chair.replay(written), list(written)
    while (steps := chair.steps(docket)) != (Adjourn(),):
        step = next((step for step in steps if isinstance(step, Write)), None) or _pick(steps, order)
        event = step.event if isinstance(step, Write) else _done(docket, step, answer, find)
        events.append(event)
        docket = docket.after(event)
    return events


def _pick(steps: Sequence[Step], order: random.Random | None) -> Step:
    return steps[0] if order is None else order.choice(steps)


def _done(docket: chair.Docket, step: Step, answer: Answer, find: Find) -> Event:
    if isinstance(step, Run):
        return find(step.errand)
    assert isinstance(step, Hear)
    ask = docket.put(step.ask)
    where = ask.key._asdict()
    reply = answer(ask)
    if isinstance(reply, str):
        return Silent(**where, why=reply)
    return chair.heard_reply(ask, Spoken(**where, reply=reply))


def words(ask: Ask, decision: str = "WARN", confidence: int = 70, risk: int = 30) -> Reply:
    """A readable answer to any ask."""
    if ask.wants == "speech":
        return Reply(text=f"{ask.seat.name} challenges {ask.key.about}: show me the numbers.")
    if ask.wants == "vote":
        return Reply(text=f"{ask.seat.name} in {ask.round}.\n\n{vote(ask, '1' if ask.options else decision)}")
    if ask.wants in {"finding", "quantity", "probability"}:
        return Reply(text=f"{ask.seat.name} has looked.\n\n{finding(ask, ask.options[-1] if ask.options else '0.4')}")
    if ask.wants in {"argument", "assessment", "judgement"}:
        return Reply(text=f"{ask.seat.name} in {ask.round}.\n\n{_in_debate(ask)}")
    ballot = f'"decision": "{decision}", "confidence": {confidence}, "risk": {risk}, "reasoning": "as said"'
    return Reply(text=f'{ask.seat.name} in {ask.round}.\n\nBALLOT {{"mark": "{ask.mark}", {ballot}}}')


def _in_debate(ask: Ask) -> str:
    match ask.wants:
        case "argument":
            return argument(ask, [f"{ask.seat.name} claims something in {ask.round}"], ["It took 3 hours"])
        case "assessment":
            return assessment(ask, 0.5)
        case _:
            return judgement(ask, (0.5, 0.5), (0.5, 0.5))


def verdict(events: Sequence[Event]) -> Decided:
    """How it ended."""
    last = events[-1]
    assert isinstance(last, Decided)
    return last


def withdrawn(events: Sequence[Event]) -> list[Withdrawn]:
    return [event for event in events if isinstance(event, Withdrawn)]
