"""What the wrappers around a panelist cost: many deliberations' asks at once, bare and through all of them."""

import asyncio
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from benchmarks.speed import Sides, compared
from benchmarks.table import Row
from quorate.middleware.budget import Budget
from quorate.middleware.circuit_breaker import Circuit
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.rate_limit import RateWindow
from quorate.middleware.stack import ModelCandidate, ProviderLine, SharedLimits, in_turn
from quorate.model import Ask, Limits, Prompt, Seat
from quorate.panelists import Panelist
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.settings.provider_settings import BreakerLimits, Rate

__all__ = ["wrappers"]

SEATS: Final = tuple(Seat(name=name) for name in ("Utility", "Accuracy", "Safety"))
ROUNDS: Final = 4
WORDS: Final = "Should we delete the staging database? " * 50
PLENTY: Final = 10**9


async def wrappers(url: str, crowd: int, runs: int) -> Sequence[Row]:
    """CPU per call of so many deliberations at once, each of three seats that are asked four times in turn."""
    async with Http() as http:
        panelist = OpenAI(Endpoint(url=url, model="mock"), http)
        line = ProviderLine(circuit=Circuit(BreakerLimits()), pace=RateWindow(Rate(requests=PLENTY, tokens=PLENTY)))

        async def bare() -> None:
            await _crowd(crowd, dict.fromkeys((seat.name for seat in SEATS), panelist))

        async def ours() -> None:
            async with asyncio.TaskGroup() as group:
                for _ in range(crowd):
                    group.create_task(_deliberation(_wrapped(panelist, line)))

        sides = Sides(ours, bare)
        await compared(sides, 1)
        through, alone = await compared(sides, runs)
    calls = crowd * len(SEATS) * ROUNDS
    name = f"{crowd} deliberations through the wrappers:"
    return (
        Row(name=f"{name} CPU per call, the bare panelist's", measured=alone.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, ours", measured=through.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, ours / bare", measured=through.cpu / alone.cpu, unit="×", bound=1.5),
    )


def _wrapped(panelist: Panelist, line: ProviderLine) -> dict[str, Panelist]:
    """The seats of one deliberation, each with a fallback, behind every wrapper but the cache: that asks nobody."""
    limits = Limits(calls=PLENTY, tokens=PLENTY, deadline=Fraction(600), patience=Fraction(120))
    conditions = SharedLimits(
        budget=Budget(limits),
        stepper=asyncio.Semaphore(PLENTY),
        patience=TimeLimit.of(limits, asyncio.get_running_loop().time()),
    )
    models = tuple(ModelCandidate(model=model, panelist=panelist, line=line) for model in ("mock", "spare"))
    return {seat.name: in_turn(models, conditions) for seat in SEATS}


async def _crowd(crowd: int, panelists: dict[str, Panelist]) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(crowd):
            group.create_task(_deliberation(panelists))


async def _deliberation(panelists: dict[str, Panelist]) -> None:
    async with asyncio.TaskGroup() as group:
        for seat in SEATS:
            group.create_task(_asked(seat, panelists[seat.name]))


async def _asked(seat: Seat, panelist: Panelist) -> None:
    for number in range(ROUNDS):
        await panelist.answer(Ask(seat, str(number), Prompt(WORDS), mark="5eed"))
