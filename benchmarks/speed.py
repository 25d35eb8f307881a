"""Deliberations by `deliberate()` beside a bare loop that sends and parses the same bytes, in turn.

Wall time, CPU per call, many at once; the ledger is on.
"""

import asyncio
import gc
import json
import os
import resource
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from aiohttp import ClientSession

from benchmarks.bare import Bodies, bare_conference, bare_session, bare_tribunal
from benchmarks.table import Row
from quorate import Question, deliberate
from quorate.engine.collector import tuned_collector
from quorate.model import Asked, Decided, Event
from quorate.panelists.http.client import Http, HttpResponse, Route
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.presets import panel

__all__ = [
    "TRIBUNAL",
    "Sides",
    "Sizes",
    "Spent",
    "at_home",
    "both",
    "compared",
    "conference",
    "crowd",
    "spent",
    "tribunal",
]

QUESTION: Final = Question(text="Should we delete the staging database?")
PLENTY: Final = 10_000
"""Asks in flight: nobody waits for a turn, as in the bare loop."""

Run = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is held: its panel and settings, the calls it makes, and the bare loop that makes the same."""

    name: str
    settings: Mapping[str, str]
    calls: int
    bare: Callable[[ClientSession, str, Bodies], Awaitable[object]]


TRIBUNAL: Final = Kind("tribunal", {}, 12, bare_tribunal)
# Texts are compared by their words: what a better backend costs is measured by the bench of grouping.
CONFERENCE: Final = Kind("conference", {"similarity": "overlap"}, 6, bare_conference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How often to measure: single tribunals, crowds, and how many a crowd is."""

    runs: int
    crowds: int
    crowd: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the clock, and seconds of CPU of the whole process, all threads."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Limit:
    """What a figure is to be: the goal, and the bound that fails the bench."""

    goal: float
    bound: float


@dataclass(frozen=True, slots=True)
class Sides:
    """The same work both ways."""

    ours: Run
    bare: Run


def tribunal(url: str, folder: Path, sizes: Sizes) -> Sequence[Row]:
    """One tribunal alone."""
    took = asyncio.run(_alone(TRIBUNAL, url, folder, sizes.runs))
    return _rows(TRIBUNAL, took, wall=Limit(1.06, 1.10), cpu=Limit(2.8, 3.5))


def conference(url: str, folder: Path, sizes: Sizes) -> Sequence[Row]:
    """One conference alone."""
    took = asyncio.run(_alone(CONFERENCE, url, folder, sizes.runs))
    return _rows(CONFERENCE, took, wall=Limit(1.10, 1.15), cpu=Limit(3.5, 4.5))


def crowd(url: str, folder: Path, sizes: Sizes) -> Sequence[Row]:
    """Many tribunals at once, ours as a host holds them: with its own setting of the garbage collector.

    The bare loop has Python's own, and once more ours, so that everybody can see what that gives.
    """
    ours, bare, tuned = asyncio.run(_crowd(url, folder, sizes))
    name, calls = f"{sizes.crowd} tribunals at once:", sizes.crowd * TRIBUNAL.calls
    share = bare.wall / ours.wall
    return (
        Row(name=f"{name} rate, the bare loop's", measured=sizes.crowd / bare.wall, unit="per s"),
        Row(name=f"{name} rate, ours", measured=sizes.crowd / ours.wall, unit="per s"),
        Row(name=f"{name} rate, ours / bare", measured=share, unit="×", bound=0.35, goal=0.45, least=True),
        Row(name=f"{name} CPU per call, the bare loop's", measured=bare.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, the bare loop's, tuned", measured=tuned.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, ours", measured=ours.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, ours / bare", measured=ours.cpu / bare.cpu, unit="×", bound=2.8, goal=2.2),
    )


async def _alone(kind: Kind, url: str, folder: Path, runs: int) -> tuple[Spent, Spent]:
    async with both(kind, url, folder) as (one, _):
        await compared(one, 10)  # until what is compiled when it is used often has been
        return await compared(one, runs)


async def _crowd(url: str, folder: Path, sizes: Sizes) -> tuple[Spent, Spent, Spent]:
    """Ours, the bare loop, and the bare loop with our setting of the collector."""
    took: tuple[list[Spent], ...] = ([], [], [])
    async with both(TRIBUNAL, url, folder) as (one, _):
        await compared(Sides(lambda: _at_once(one.ours, sizes.crowd), lambda: _at_once(one.bare, sizes.crowd)), 1)
        for _ in range(sizes.crowds):
            took[1].append(await spent(lambda: _at_once(one.bare, sizes.crowd)))
            with tuned_collector():
                took[2].append(await spent(lambda: _at_once(one.bare, sizes.crowd)))
                took[0].append(await spent(lambda: _at_once(one.ours, sizes.crowd)))
    ours, bare, tuned = map(_median, took)
    return ours, bare, tuned


def _rows(kind: Kind, took: tuple[Spent, Spent], *, wall: Limit, cpu: Limit) -> Sequence[Row]:
    (ours, bare), name, calls = took, f"one {kind.name}:", kind.calls
    longer, more = ours.wall / bare.wall, ours.cpu / bare.cpu
    return (
        Row(name=f"{name} wall time, the bare loop's", measured=bare.wall * 1000, unit="ms"),
        Row(name=f"{name} wall time, ours", measured=ours.wall * 1000, unit="ms"),
        Row(name=f"{name} wall time, ours / bare", measured=longer, unit="×", bound=wall.bound, goal=wall.goal),
        Row(name=f"{name} CPU per model call, the bare loop's", measured=bare.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per model call, ours", measured=ours.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per model call, ours / bare", measured=more, unit="×", bound=cpu.bound, goal=cpu.goal),
    )


@contextmanager
def at_home(folder: Path) -> Generator[None]:
    """A home without keys, settings or records of the user's, while it is measured."""
    before = dict(os.environ)
    kept = {name: value for name, value in before.items() if not name.startswith(("QUORATE_", "XDG_"))}
    os.environ.clear()
    os.environ.update({**kept, "HOME": str(folder), "XDG_DATA_HOME": str(folder)})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@asynccontextmanager
async def both(kind: Kind, url: str, folder: Path) -> AsyncGenerator[tuple[Sides, Bodies]]:
    """Both sides with their connections open, ours with its ledger on disk; and what is sent."""

    async def ours() -> None:
        held = await deliberate(
            QUESTION,
            panel=kind.name,
            settings=kind.settings,
            model=f"openai:mock@{url}",
            ledger=folder / "ledger.db",
            concurrency=PLENTY,
        )
        _check_whole(kind, held.events)

    with at_home(folder):
        bodies = await _recorded(kind, url)
        async with bare_session() as session:
            yield Sides(ours, lambda: kind.bare(session, url, bodies)), bodies


def _check_whole(kind: Kind, events: Sequence[Event]) -> None:
    """What is measured must be what was meant: so many asks, a decision, no repair."""
    if sum(isinstance(event, Asked) for event in events) != kind.calls or not isinstance(events[-1], Decided):
        raise AssertionError(f"the {kind.name} did not go as planned; its times would mean nothing")


class _Recorder(Http):
    """Notes what is sent, by the prompt in it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, Mapping[str, object]] = {}

    async def post(self, route: Route, body: bytes, line: Callable[[bytes], bool] | None = None) -> HttpResponse:
        wanted: dict[str, Any] = json.loads(body)
        self.sent[wanted["messages"][0]["content"]] = wanted
        return await super().post(route, body, line)


async def _recorded(kind: Kind, url: str) -> Bodies:
    """What a deliberation sends, for the bare loop to send again."""
    async with _Recorder() as http:
        panelist = OpenAI(Endpoint(url=url, model="mock"), http)
        seats = dict.fromkeys((seat.name for seat in panel(kind.name).panel), panelist)
        held = await deliberate(
            QUESTION, panel=kind.name, settings=kind.settings, panelists=seats, ledger=":memory:", concurrency=PLENTY
        )
    _check_whole(kind, held.events)
    asked = (event for event in held.events if isinstance(event, Asked))
    return {(event.round, event.seat, event.about): http.sent[event.prompt] for event in asked}


async def _at_once(run: Run, crowd: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(crowd):
            group.create_task(_done(run))


async def _done(run: Run) -> None:
    await run()


async def compared(sides: Sides, runs: int) -> tuple[Spent, Spent]:
    """The medians of both, measured in turn: whatever else the machine does, it does to both."""
    ours: list[Spent] = []
    bare: list[Spent] = []
    for _ in range(runs):
        bare.append(await spent(sides.bare))
        ours.append(await spent(sides.ours))
    return _median(ours), _median(bare)


async def spent(run: Run) -> Spent:
    gc.collect()
    # Whatever the side before left to do in the background is over by then, and not on this side's bill.
    await asyncio.sleep(0.02)
    busy, began = _cpu(), perf_counter()
    await run()
    return Spent(perf_counter() - began, _cpu() - busy)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _median(took: Sequence[Spent]) -> Spent:
    return Spent(median(one.wall for one in took), median(one.cpu for one in took))
