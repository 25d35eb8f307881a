"""How cost grows with the work: more seats, more rounds, many deliberations in one process, a long record to verify.

Panelists answer in process and briefly, so that what is measured is ours. `python -m benchmarks.growth FOLDER COUNT`
holds so many deliberations in a process of its own and prints as JSON what they took.
"""

import asyncio
import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import linear_regression, median
from time import perf_counter, process_time
from typing import Final

from benchmarks.speed import at_home
from benchmarks.table import Row
from quorate import Charter, Deliberation, Panel, Question, Seat, deliberate
from quorate.engine.verify import verify_record
from quorate.ledger import open_ledger
from quorate.model import Ask, Asked, Reply
from quorate.offline.attest import stored_record
from quorate.panelists import WordListener, ignore_words
from quorate.testing import ballot, vote

__all__ = ["GrowthSizes", "deliberations", "exponent", "growth", "verification"]

OPTIONS: Final = ("Kafka", "NATS", "none")
STEEPEST: Final = 1.15
AT_ONCE: Final = 64
PARTS: Final = 10
"""So often it is looked how long it has taken, on the way to the last deliberation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthSizes:
    """How much to grow: seats, rounds, deliberations in one process, and the seats of the record that is verified."""

    seats: tuple[int, ...]
    rounds: tuple[int, ...]
    deliberations: int
    verified: int
    runs: int


class BriefPanelist:
    """Answers at once, in a line, and is never content to end."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        del overheard
        if ask.wants == "decision":
            return Reply(text=ballot(ask, "WARN"))
        if ask.wants == "vote":
            option = OPTIONS[len(ask.round) % 2]
            return Reply(text=f"In round {ask.round} I say {option}.\n{vote(ask, option)}")
        return Reply(text="Show me the numbers.")


def growth(folder: Path, sizes: GrowthSizes) -> Sequence[Row]:
    """CPU beside the calls made, as seats or rounds grow; the exponent is 1 where twice the calls cost double."""
    with at_home(folder):
        found = asyncio.run(_measured(folder, sizes))
    ends = {"seats": f"{sizes.seats[0]} → {sizes.seats[-1]}", "rounds": f"{sizes.rounds[0]} → {sizes.rounds[-1]}"}
    return tuple(
        Row(
            name=f"exponent of CPU in calls: {protocol}, {ends[what]} {what}",
            measured=exponent(points),
            unit="",
            goal=STEEPEST,
        )
        for (protocol, what), points in found.items()
    )


async def _measured(folder: Path, sizes: GrowthSizes) -> Mapping[tuple[str, str], Sequence[tuple[float, float]]]:
    three, two = sizes.seats[0], sizes.rounds[0]
    kinds = {
        ("tribunal", "seats"): [("tribunal", seats, two) for seats in sizes.seats],
        ("conference", "seats"): [("conference", seats, two) for seats in sizes.seats],
        ("conference", "rounds"): [("conference", three, rounds) for rounds in sizes.rounds],
    }
    path, spent = folder / "growth.db", dict[tuple[str, int, int], list[tuple[float, float]]]()
    for _ in range(sizes.runs + 1):
        for one in dict.fromkeys(size for row in kinds.values() for size in row):
            spent.setdefault(one, []).append(await _cost(path, *one))
    return {kind: [_middle(spent[size][1:]) for size in row] for kind, row in kinds.items()}


def _middle(costs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return costs[0][0], median(cpu for _, cpu in costs)


async def _cost(path: Path, protocol: str, seats: int, rounds: int) -> tuple[float, float]:
    """How many calls one deliberation makes, and its seconds of CPU."""
    began = process_time()
    held = await _held(path, protocol, seats, rounds)
    spent = process_time() - began
    return sum(isinstance(event, Asked) for event in held.events), spent


async def _held(path: Path, protocol: str, seats: int, rounds: int = 2) -> Deliberation:
    panel = Panel(seats=tuple(Seat(name=f"Seat{number}") for number in range(1, seats + 1)))
    is_talk = protocol == "conference"
    talk = {"min_rounds": str(rounds), "max_rounds": str(rounds), "options": "given", "similarity": "overlap"}
    return await deliberate(
        Question("Which queue should we use?", options=OPTIONS if is_talk else ()),
        panel=Charter(panel=panel, protocol=protocol),
        panelists=dict.fromkeys((seat.name for seat in panel), BriefPanelist()),
        settings=talk if is_talk else {},
        ledger=path,
        concurrency=10_000,
    )


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """How steeply cost grows with size, both as logarithms: the slope of the line through all points."""
    sizes, costs = zip(*((log(size), log(cost)) for size, cost in points), strict=True)
    return linear_regression(sizes, costs).slope


def deliberations(folder: Path, count: int) -> Sequence[Row]:
    """So many deliberations in one process: what it holds at the end, and how time grows with their number."""
    words = [sys.executable, "-m", __name__, str(folder), str(count)]
    told = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    name = f"{count:,} deliberations in one process:"
    points = [(number, seconds) for number, seconds in told["took"] if seconds > 0]
    return (
        Row(name=f"{name} memory at its most", measured=told["memory"], unit="MB", goal=500),
        Row(name=f"{name} each", measured=told["took"][-1][1] / count * 1000, unit="ms"),
        Row(name=f"{name} exponent of time in their number", measured=exponent(points), unit="", goal=STEEPEST),
    )


async def _many(folder: Path, count: int) -> Mapping[str, object]:
    took: list[tuple[int, float]] = []
    await _held(folder / "many.db", "tribunal", 3)
    began = perf_counter()
    for part in range(1, PARTS + 1):
        for first in range(count * (part - 1) // PARTS, count * part // PARTS, AT_ONCE):
            last = min(first + AT_ONCE, count * part // PARTS)
            await asyncio.gather(*(_held(folder / "many.db", "tribunal", 3) for _ in range(first, last)))
        took.append((count * part // PARTS, perf_counter() - began))
    return {"took": took, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def verification(folder: Path, seats: int, runs: int) -> Sequence[Row]:
    """A tribunal of so many seats, read from its ledger, its chain checked and judged again from its words."""
    with at_home(folder):
        events, seconds = asyncio.run(_verified(folder / "long.db", seats, runs))
    return (Row(name=f"verify a record of {events:,} events", measured=seconds, unit="s", goal=5),)


async def _verified(path: Path, seats: int, runs: int) -> tuple[int, float]:
    held = await _held(path, "tribunal", seats)
    ledger = open_ledger(path)
    took: list[float] = []
    try:
        for _ in range(runs):
            began = perf_counter()
            whole = await stored_record(ledger, held.id)
            if verify_record(whole.record).state != "holds":
                raise AssertionError("the record does not hold; its time would mean nothing")
            took.append(perf_counter() - began)
    finally:
        await ledger.close()
    return len(held.events), median(took)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with at_home(place):
        print(json.dumps(asyncio.run(_many(place, int(sys.argv[2])))))
