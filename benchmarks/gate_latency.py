"""How long a hook's call waits, on the real chair and a clock that is not: replies take log-normal times.

The median reply takes 1.2 s and one in twenty 10 s or longer. The same seat takes equally long for the same call under
every panel. What the program itself takes is measured on a real process.
"""

import asyncio
import heapq
import json
import math
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from statistics import median, quantiles
from time import perf_counter
from typing import Final

from quorate import chair, presets
from quorate.model import Ask, AskKey, Convened, Hear, Question, Reply, SeatModel, Spoken, Write
from quorate.testing import ballot

__all__ = ["latency_lines"]

MEDIAN, P95 = 1.2, 10.0
SIGMA: Final = math.log(P95 / MEDIAN) / 1.6449
"""The 95th percentile of a normal distribution is so many standard deviations above its mean."""
LIMIT: Final = 40.5
"""Seconds after which a seat that has not answered is silent: nine tenths of a hook's 45."""
SEATS: Final = tuple(seat.name for seat in presets.panel("gate-five").panel)
MOODS: Final = (("all approve", 0.8), ("one warns", 0.1), ("all refuse", 0.1))
"""What seats say of a call, and how often."""
STARTS: Final = 7
"""Processes that are started to measure what the program itself takes."""


async def latency_lines(calls: int) -> list[str]:
    """A table: one model, the panels for gates, the tribunal."""
    waits = {name: [wait(name, seed) for seed in range(calls)] for name in ("gate", "gate-five", "tribunal")}
    waits = {"one model": [took(seed, "Utility", "analysis", "") for seed in range(calls)], **waits}
    own = await own_times()
    moods = ", ".join(f"{mood} {share:.0%}" for mood, share in MOODS)
    return [
        f"{calls} calls; replies log-normal, median {MEDIAN} s, p95 {P95:g} s; {moods}",
        f"  {'panel':<12} {'median':>8} {'p95':>8}",
        *(f"  {name:<12} {median(waited):>6.1f} s {quantiles(waited, n=20)[-1]:>6.1f} s"
          for name, waited in waits.items()),
        f"  the program itself, when its list decides: {median(own):.2f} s (median of {len(own)} processes)",
    ]  # fmt: skip


def wait(panel: str, seed: int) -> float:
    """When the verdict on one call is there."""
    state = chair.replay([_convened(panel)])
    flights: list[tuple[float, AskKey, Ask]] = []
    asked: set[AskKey] = set()
    now = 0.0
    while state.closed is None:
        for step in chair.steps(state):
            if isinstance(step, Write):
                state = state.after(step.event)
            elif isinstance(step, Hear) and step.ask.key not in asked:
                asked.add(step.ask.key)
                took_so_long = took(seed, step.ask.seat.name, step.ask.round, _about(step.ask))
                heapq.heappush(flights, (now + took_so_long, step.ask.key, state.put(step.ask)))
        if state.closed is None and flights:
            now, _, ask = heapq.heappop(flights)
            if now >= LIMIT:
                return LIMIT
            state = state.after(_spoken(ask, seed))
    return now


def took(seed: int, seat: str, round_: str, about: str) -> float:
    return min(LIMIT, random.Random(f"{seed} {seat} {round_} {about}").lognormvariate(math.log(MEDIAN), SIGMA))


def _about(ask: Ask) -> str:
    return ask.about.name if ask.about else ""


def _spoken(ask: Ask, seed: int) -> Spoken:
    text = "Show me the numbers." if ask.wants == "speech" else ballot(ask, _vote(ask.seat.name, seed), 90, 10)
    reply = Reply(text=text)
    spoken = Spoken(round=ask.round, seat=ask.seat.name, about=_about(ask), attempt=ask.attempt, reply=reply)
    return chair.heard_reply(ask, spoken)


def _vote(seat: str, seed: int) -> str:
    chance = random.Random(f"vote {seed}")
    mood = chance.choices([name for name, _ in MOODS], [share for _, share in MOODS])[0]
    warns = chance.choice(SEATS[:3])
    if mood == "all refuse":
        return "REFUSE"
    return "WARN" if mood == "one warns" and seat == warns else "ACT"


def _convened(name: str) -> Convened:
    charter = presets.panel(name)
    return Convened(
        question=Question(text="May the agent make this call?"),
        panel=charter.panel,
        protocol=charter.protocol,
        rulebook=charter.rulebook or presets.rulebook(charter.protocol),
        settings=charter.settings,
        seated=tuple(SeatModel(seat=seat.name, model="mock", domain=seat.name) for seat in charter.panel),
        seed="5eed" * 16,
    )


async def own_times() -> Sequence[float]:
    """What a real process takes from its start to its answer, for a call that the list allows."""
    with tempfile.TemporaryDirectory(prefix="quorate-gate-") as folder:
        event = json.dumps(
            {
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_input": {"command": "ls -la | wc -l"},
                "cwd": folder,
            }
        )
        return [await _one_process(event) for _ in range(STARTS)]


async def _one_process(event: str) -> float:
    began = perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "quorate", "hook", "claude-code"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    out, _ = await process.communicate(event.encode())
    if b'"allow"' not in out:
        raise SystemExit(f"the list was to allow this: {out!r}")
    return perf_counter() - began
