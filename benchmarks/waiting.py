"""How much waiting is saved by asking as soon as the ingredients are there: the real chair, on a clock that is not."""

import heapq
import random
from collections.abc import Sequence
from typing import Final

from benchmarks.table import Row
from quorate import chair, presets
from quorate.model import Ask, AskKey, Convened, Hear, Question, Reply, SeatModel, Spoken, Write

__all__ = ["elapsed", "waiting"]

SIGMAS: Final = (0.6, 0.9)
LEAST: Final = 0.04


def waiting(seeds: int) -> Sequence[Row]:
    """Overlapping beside round barriers, over equal seeds of log-normal reply times."""
    return tuple(
        Row(
            name=f"waiting saved by overlapping, sigma {sigma}, {seeds} seeds",
            measured=100 * saved(sigma, seeds),
            unit="%",
            bound=100 * LEAST,
            least=True,
        )
        for sigma in SIGMAS
    )


def saved(sigma: float, seeds: int) -> float:
    """The share of the time with barriers that is not waited without them."""
    overlapping = sum(elapsed(sigma, seed, barriers=False) for seed in range(seeds))
    return 1 - overlapping / sum(elapsed(sigma, seed, barriers=True) for seed in range(seeds))


def elapsed(sigma: float, seed: int, *, barriers: bool) -> float:
    """When a tribunal is over if every reply takes as long as the seed says, whenever it is asked for."""
    state = chair.replay([_convened()])
    flights: list[tuple[float, AskKey, Ask]] = []
    flown: set[AskKey] = set()
    now = 0.0
    while state.closed is None:
        for step in () if barriers and flights else chair.steps(state):
            if isinstance(step, Write):
                state = state.after(step.event)
            elif isinstance(step, Hear) and step.ask.key not in flown:
                flown.add(step.ask.key)
                heapq.heappush(flights, (now + _took(sigma, seed, step.ask.key), step.ask.key, state.put(step.ask)))
        if flights:
            now, _, ask = heapq.heappop(flights)
            state = state.after(_spoken(ask))
    return now


def _took(sigma: float, seed: int, key: AskKey) -> float:
    return random.Random(f"{seed} {key}").lognormvariate(0.0, sigma)


def _spoken(ask: Ask) -> Spoken:
    ballot = f'{{"mark": "{ask.mark}", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "as said"}}'
    text = "Show me the numbers." if ask.wants == "speech" else f"As said.\n\nBALLOT {ballot}"
    about = ask.about.name if ask.about else ""
    spoken = Spoken(round=ask.round, seat=ask.seat.name, about=about, attempt=ask.attempt, reply=Reply(text=text))
    return chair.heard_reply(ask, spoken)


def _convened() -> Convened:
    panel = presets.panel("tribunal").panel
    return Convened(
        question=Question(text="Should we delete the staging database?"),
        panel=panel,
        protocol="tribunal",
        rulebook=presets.rulebook("tribunal"),
        seated=tuple(SeatModel(seat=seat.name, model="mock", domain=seat.name) for seat in panel),
        seed="5eed" * 16,
    )
