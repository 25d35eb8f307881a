"""Deliberations beside a bare loop that sends and parses the same bytes: wall time, CPU per call, many at once."""

import asyncio
import gc
import json
import resource
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from aiohttp import ClientSession

from benchmarks.bare import Bodies, bare_conference, bare_session, bare_tribunal
from benchmarks.table import Row
from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Asked, Decided, Question
from quorate.panelists.http.client import Http, HttpResponse, Route
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.settings.convene import convene
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import LEDGER

__all__ = ["Sides", "Sizes", "Spent", "compared", "speed"]

QUESTION: Final = Question(text="Should we delete the staging database?")

Run = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is held: its panel and settings, the calls it makes, and the bare loop that makes the same."""

    name: str
    settings: tuple[str, ...]
    calls: int
    bare: Callable[[ClientSession, str, Bodies], Awaitable[object]]


TRIBUNAL: Final = Kind("tribunal", (), 12, bare_tribunal)
# Texts are compared by their words: what a better backend costs is measured by the bench of grouping.
CONFERENCE: Final = Kind("conference", ("similarity=overlap",), 6, bare_conference)


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
class Sides:
    """The same work both ways."""

    ours: Run
    bare: Run


async def speed(url: str, folder: Path, sizes: Sizes) -> Sequence[Row]:
    """Measure one of each kind and a crowd of tribunals, both sides in turn; `folder` is the XDG data folder."""
    async with _both(CONFERENCE, url, folder) as one:
        await compared(one, 2)
        conference = await compared(one, sizes.runs)
    async with _both(TRIBUNAL, url, folder) as one:
        await compared(one, 2)
        tribunal = await compared(one, sizes.runs)
        many = Sides(lambda: _at_once(one.ours, sizes.crowd), lambda: _at_once(one.bare, sizes.crowd))
        await compared(many, 1)
        crowd = await compared(many, sizes.crowds)
    return (*_alone(TRIBUNAL, *tribunal), *_alone(CONFERENCE, *conference), *_crowd(*crowd, sizes.crowd))


def _alone(kind: Kind, ours: Spent, bare: Spent) -> Sequence[Row]:
    name, calls = f"one {kind.name}:", kind.calls
    return (
        Row(name=f"{name} wall time, the bare loop's", measured=bare.wall * 1000, unit="ms"),
        Row(name=f"{name} wall time, ours", measured=ours.wall * 1000, unit="ms"),
        Row(name=f"{name} wall time, ours / bare", measured=ours.wall / bare.wall, unit="×", bound=1.10),
        Row(name=f"{name} CPU per model call, the bare loop's", measured=bare.cpu / calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per model call, ours", measured=ours.cpu / calls * 1000, unit="ms", bound=1.5),
        Row(name=f"{name} CPU per model call, ours / bare", measured=ours.cpu / bare.cpu, unit="×", bound=4, goal=2.5),
    )


def _crowd(ours: Spent, bare: Spent, crowd: int) -> Sequence[Row]:
    name = f"{crowd} tribunals at once:"
    return (
        Row(name=f"{name} rate, the bare loop's", measured=crowd / bare.wall, unit="per s"),
        Row(name=f"{name} rate, ours", measured=crowd / ours.wall, unit="per s"),
        Row(name=f"{name} rate, ours / bare", measured=bare.wall / ours.wall, unit="×", goal=0.6, least=True),
        Row(name=f"{name} CPU per call, ours", measured=ours.cpu / crowd / TRIBUNAL.calls * 1000, unit="ms"),
        Row(name=f"{name} CPU per call, ours / bare", measured=ours.cpu / bare.cpu, unit="×", goal=2.5),
    )


@asynccontextmanager
async def _both(kind: Kind, url: str, folder: Path) -> AsyncGenerator[Sides]:
    """Both sides with their connections open; ours with its ledger on disk and nobody waiting for a turn."""
    env = {"XDG_DATA_HOME": str(folder)}
    flags = {"model": f"openai:mock@{url}", "panel": kind.name, "settings": kind.settings}
    found = resolve(flags, env, folder)
    async with AsyncExitStack() as open_:
        ledger = open_ledger(found[LEDGER])
        open_.push_async_callback(ledger.close)
        runner = await open_.enter_async_context(Runner(ledger, env=env, concurrency=10_000))
        bodies = await _recorded(kind, runner, url, found)
        session = await open_.enter_async_context(bare_session())

        async def ours() -> None:
            record = await runner.hold(convene(QUESTION, found.charter, env))
            _check_whole(kind, record.events)

        yield Sides(ours, lambda: kind.bare(session, url, bodies))


def _check_whole(kind: Kind, events: Sequence[object]) -> None:
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


async def _recorded(kind: Kind, runner: Runner, url: str, found: Settings) -> Bodies:
    """What a deliberation sends, for the bare loop to send again."""
    async with _Recorder() as http:
        panelist = OpenAI(Endpoint(url=url, model="mock"), http)
        convened = convene(QUESTION, found.charter)
        record = await runner.hold(convened, panelists=dict.fromkeys((seat.name for seat in convened.panel), panelist))
    _check_whole(kind, record.events)
    asked = (event for event in record.events if isinstance(event, Asked))
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
        bare.append(await _spent(sides.bare))
        ours.append(await _spent(sides.ours))
    return _median(ours), _median(bare)


async def _spent(run: Run) -> Spent:
    gc.collect()
    # Whatever the side before left to do in the background is over by then, and not on this side's bill.
    await asyncio.sleep(0.02)
    busy, began = _cpu(), perf_counter()
    await run()
    return Spent(perf_counter() - began, _cpu() - busy)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _median(spent: Sequence[Spent]) -> Spent:
    return Spent(median(one.wall for one in spent), median(one.cpu for one in spent))
