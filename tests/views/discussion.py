"""Plays a conference whose seats vote as written, with texts compared by the smallest backend."""

import asyncio
import json
from collections.abc import Mapping

from quorate import chair, presets
from quorate.model import Adjourn, Ask, Errand, Event, Found, Hear, Reply, Run, Silent, Spoken, Write
from quorate.similarity.backend_choice import choose
from quorate.similarity.errand_compare import comparer
from quorate.views import Record
from tests.play import convened

Vote = tuple[str, float, bool] | str
"""Option, confidence and whether to go on; or a reply without a vote; or a word why there is none, after a `!`."""

STRUCTURED = "Comprehensive logging with structured format"
SELECTIVE = "Selective logging with feature flags"
PRIVATE = "Comprehensive logging with PII protection"

WORKED: Mapping[tuple[str, str], Vote] = {
    ("Alpha", "1"): (STRUCTURED, 0.80, True),
    ("Beta", "1"): (SELECTIVE, 0.75, True),
    ("Gamma", "1"): (PRIVATE, 0.70, True),
    ("Alpha", "2"): (SELECTIVE, 0.90, False),
    ("Beta", "2"): (SELECTIVE, 0.85, False),
    ("Gamma", "2"): (SELECTIVE, 0.88, False),
}
"""AI Counsel's worked example."""


def discussed(votes: Mapping[tuple[str, str], Vote], *settings: tuple[str, str]) -> Record:
    """Play it to its end; a seat and round that are not there keep silent."""
    events: list[Event] = [convened(presets.panel("conference").panel, "conference", settings)]
    state = chair.replay(events)
    while (step := chair.steps(state)[0]) != Adjourn():
        match step:
            case Write(event=event):
                noted: Event = event
            case Run(errand=errand):
                noted = asyncio.run(_compared(errand))
            case Hear(ask=ask):
                noted = _answered(state.put(ask), votes.get((ask.seat.name, ask.round), "!timeout"))
            case _:
                break
        events.append(noted)
        state = state.after(noted)
    return Record(id="c" * 26, events=events, seconds=2.5)


async def _compared(errand: Errand) -> Found:
    return await comparer(choose("overlap"))(errand)


def _answered(ask: Ask, vote: Vote) -> Event:
    where = ask.key._asdict()
    if isinstance(vote, str) and vote.startswith("!"):
        return Silent(**where, why=vote[1:])
    return chair.heard_reply(ask, Spoken(**where, reply=Reply(text=_said(ask, vote))))


def _said(ask: Ask, vote: Vote) -> str:
    if isinstance(vote, str):
        return vote
    option, confidence, goes_on = vote
    stated = {"mark": ask.mark, "option": option, "confidence": confidence, "rationale": f"{ask.seat.name} says so"}
    return f"We should choose this.\n\nVOTE: {json.dumps(stated | {'continue_debate': goes_on})}"
