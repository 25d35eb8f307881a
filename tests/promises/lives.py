"""Deliberations held in forked children that may be killed, and what is found afterwards.

A run is one deliberation on a ledger of its own; each process that works on it is a life. What a life
acknowledges leaves it through a pipe at that moment, so that it counts even if the life ends with it.
"""

import asyncio
import gc
import importlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import apsw
import psycopg

from quorate import presets
from quorate.chair import State, replay, steps, verdict_of
from quorate.engine.runner import Runner
from quorate.errors import NotRecorded, QuorateError
from quorate.ledger import Entry, new_id, open_ledger
from quorate.ledger.chain import open_row, seal, verify_chain
from quorate.ledger.serde import decode, load_object, plain
from quorate.model import Convened, Decided, Event, Hear, Limits, Question, Spoken
from quorate.model.charter import Charter
from quorate.settings.convene import convene
from tests.postgres import ledger_on
from tests.promises.calls import Calls, Strike
from tests.promises.provider import Model

PATIENCE: Final = 60.0
"""Seconds after which a life that was not to be killed counts as hung."""

PHASES: Final = ("before the first ask", "analysis", "challenge", "revision", "deciding", "after the verdict")
SEATS: Final = ("Utility", "Accuracy", "Safety")

AskName = tuple[str, str, str, int]
NO_LIMITS: Final = Limits()

Say = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a deliberation may use, and the manner of its provider."""

    limits: Limits = NO_LIMITS
    manner: str = "plain"


UNBOUND: Final = Bounds()
ALLOWED: Final = {"QUORATE_ALLOW_KEYS": "openai@127.0.0.1"}
"""The provider on loopback tells lives apart by their key, so the key must reach it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One deliberation and where it is kept."""

    name: str
    folder: Path
    port: int
    spool: bool = True
    primed: bool = False
    """Whether the ledger is in use already, so that a new deliberation is taken with its first entries only."""
    server: str = ""
    """The database it is kept in; in a file of its folder if there is none."""
    convened: Convened

    @property
    def ledger(self) -> str:
        if not self.server:
            return str(self.folder / "ledger.db")
        return ledger_on(self.server, self.folder / "spool", self.schema)

    @property
    def schema(self) -> str:
        return f"run_{self.name.replace('-', '_')}"

    @property
    def spool_files(self) -> Iterator[Path]:
        return (self.folder / "spool").rglob("*.spool") if self.server else Path(f"{self.ledger}.spool").glob("*")

    def stored(self) -> list[tuple[str, bytes, bytes]]:
        """The hash, the public form and the words of every committed entry, as anybody finds them."""
        columns = "SELECT hash, public, words FROM {}entries ORDER BY number"
        if not self.server:
            return _stored_in_file(Path(self.ledger), columns.format(""))
        with psycopg.connect(self.server) as db, suppress(psycopg.errors.UndefinedTable):
            return list(db.execute(columns.format(f"{self.schema}.").encode()))
        return []


def _stored_in_file(file: Path, sql: str) -> list[tuple[str, bytes, bytes]]:
    """From a copy, so that looking changes nothing."""
    rows: list[tuple[str, bytes, bytes]] = []
    with tempfile.TemporaryDirectory(dir=file.parent) as copy:
        for name in (file.name, f"{file.name}-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(file.parent / name, Path(copy) / name)
        if (Path(copy) / file.name).exists():
            db = apsw.Connection(str(Path(copy) / file.name))
            with suppress(apsw.SQLError):  # it has no tables yet
                rows = list(db.execute(sql))
            db.close()
    return rows


def new_run(name: str, root: Path, port: int, *, spool: bool = True, bounds: Bounds = UNBOUND) -> Run:
    """A deliberation about to begin, in a folder of its own, put to the provider at that port."""
    folder = root / name
    folder.mkdir()
    seated = (replace(sat, model=Model(name, sat.seat, bounds.manner).at(port)) for sat in tribunal_at(port).seated)
    convened = replace(
        tribunal_at(port), seated=tuple(seated), seed=f"{random.getrandbits(256):064x}", limits=bounds.limits
    )
    return Run(name=name, folder=folder, port=port, spool=spool, convened=convened)


@cache
def tribunal_at(port: int) -> Convened:
    models = tuple((seat, Model("any", seat).at(port)) for seat in SEATS)
    charter = Charter(panel=presets.panel("tribunal").panel, models=models)
    return convene(Question(text="Should we delete the staging database before the weekend?"), charter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """How a life ends if not by itself: after so many seconds, or as the calls it makes are struck."""

    seconds: float | None = None
    strike: Strike | None = None
    before: Callable[[], None] | None = None
    """Done in the child before anything else."""


BY_ITSELF: Final = Death()


@dataclass(slots=True, kw_only=True)
class Life:
    """What is known of a life: what it said before it ended, and how that was."""

    how: str = "by itself"
    lasted: float = 0.0
    id: str = ""
    acked: list[tuple[int, str]] = field(default_factory=list)
    verdict: dict[str, Any] | None = None
    recorded: dict[str, Any] | None = None
    hashes: list[str] = field(default_factory=list)
    calls: int = 0
    error: str = ""
    sentence: str = ""

    def take(self, said: dict[str, Any]) -> None:
        for name, value in said.items():
            if name == "ack":
                self.acked.append((value[0], value[1]))
            else:
                setattr(self, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """What lies on the disk after a death: the hashes of committed entries, and all events, spooled ones at the end."""

    hashes: frozenset[str]
    events: list[dict[str, Any]]

    @property
    def answered(self) -> set[AskName]:
        return self._asks("Spoken")

    @property
    def under_way(self) -> set[AskName]:
        return self._asks("Asked") - self._asks("Spoken", "Silent", "Withdrawn")

    def _asks(self, *kinds: str) -> set[AskName]:
        some = [event for event in self.events if event["event"] in kinds]
        return {(event["round"], event["seat"], event.get("about", ""), event.get("attempt", 1)) for event in some}

    @property
    def decided(self) -> bool:
        """Whether the verdict is committed; in the spool alone it is not."""
        return any(event["event"] == "Decided" for event in self.events[: len(self.hashes)])

    @property
    def phase(self) -> str:
        asked = {event["round"] for event in self.events if event["event"] == "Asked"}
        revised = sum(round_ == "revision" for round_, *_ in self.answered)
        if self.decided:
            return PHASES[5]
        if revised == len(SEATS):
            return PHASES[4]
        return next((round_ for round_ in ("revision", "challenge", "analysis") if round_ in asked), PHASES[0])


def live(run: Run, number: int, id_: str = "", death: Death = BY_ITSELF) -> Life:
    """Fork a life: it holds the deliberation, or resumes it if it has an id, until it is done or dead."""
    reading, writing = os.pipe()
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _be(run, number, id_, death, writing)
    os.close(writing)
    life = Life(how=_await(pid, death.seconds))
    life.lasted = time.monotonic() - began
    with os.fdopen(reading, "rb") as pipe:
        for line in pipe.read().split(b"\n")[:-1]:
            life.take(json.loads(line))
    return life


def _await(pid: int, seconds: float | None) -> str:
    """Wait for a child, for so long at most, then kill it; says how it ended."""
    watched = os.pidfd_open(pid)
    ended, _, _ = select.select([watched], [], [], PATIENCE if seconds is None else seconds)
    os.close(watched)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "hung" if seconds is None and not ended else "killed"
    return "by itself" if status == 0 else f"status {status}"


def _be(run: Run, number: int, id_: str, death: Death, pipe: int) -> None:
    """What a child does, from its first moment to its last."""
    write, status = os.write, 1

    def say(said: dict[str, Any]) -> None:
        write(pipe, json.dumps(said).encode() + b"\n")

    try:
        if death.before is not None:
            death.before()
        counting = Calls(death.strike, pipe).install() if death.strike else None
        asyncio.run(_told(run, number, id_, say, look=death is BY_ITSELF))
        if counting is not None:
            say({"calls": counting.made})
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


async def _told(run: Run, number: int, id_: str, say: Say, *, look: bool = False) -> None:
    """Hold or resume, and say each thing as it is acknowledged; who ends by itself looks back at the record."""
    ledger = open_ledger(run.ledger, spool=run.spool)

    def watch(entry: Entry, _: State) -> None:
        say({"ack": [entry.number, entry.hash]})

    try:
        async with Runner(ledger, env={"OPENAI_API_KEY": f"life-{number}", **ALLOWED}) as runner:
            if run.primed and not id_:
                async with ledger.own(new_id()):
                    pass
            if id_:
                record = await runner.resume(id_, watch=watch)
            else:
                record = await runner.hold(run.convened, watch=watch, begun=lambda begun: say({"id": begun}))
        closing = record.events[-1]
        say({"id": record.id, "verdict": plain(closing) if isinstance(closing, Decided) else None})
        if look:
            say(await _looked(run, record.id))
    except QuorateError as error:
        say({"error": type(error).__name__, "sentence": str(error)})
    finally:
        await ledger.close()


async def _looked(run: Run, id_: str) -> dict[str, Any]:
    """Read the record anew: is the chain whole, does it fold, does no answer stand twice?"""
    ledger = open_ledger(run.ledger)
    rows = await ledger.rows(id_)
    await ledger.close()
    verify_chain(id_, rows)
    events = [open_row(row).event for row in rows]
    closed = replay(events).closed
    keys = [event.key for event in events if isinstance(event, Spoken)]
    twice = len(keys) - len(set(keys))
    return {
        "hashes": [row.hash for row in rows],
        "recorded": plain(closed) if isinstance(closed, Decided) else None,
        "error": f"{twice} answers stand twice" if twice else "",
    }


def remains(run: Run) -> Remains:
    """Look at what a death has left."""
    rows = run.stored()
    hashes = frozenset(hash_ for hash_, _, _ in rows)
    events = [public for _, public, _ in rows] + [line["event"] for line in _spooled(run) if line["hash"] not in hashes]
    return Remains(hashes=hashes, events=[json.loads(one) if isinstance(one, bytes) else one for one in events])


def _spooled(run: Run) -> Iterator[dict[str, Any]]:
    """Every whole row of the spools, in the order of their numbers; the last may be torn. Read without quorate."""
    found: list[dict[str, Any]] = []
    for file in run.spool_files:
        for record in file.read_bytes().split(b"\x1espool1\x1e"):
            line = record[record.find(b"{") :].partition(b"\n")[0]
            with suppress(ValueError):
                found.append(json.loads(line))
    yield from sorted(found, key=lambda row: int(row["number"]))


def begin_again(run: Run, number: int, id_: str, death: Death = BY_ITSELF) -> Life:
    """Resume as a user would: by the id if it was told, else the last there is; if there is none, hold it anew."""
    life = live(run, number, id_ or "last", death)
    if not id_ and life.error == NotRecorded.__name__:
        return live(run, number, "", death)
    return life


def warm(run: Run) -> None:
    """Load here what a life will load, and fill what it will keep, so that each child begins warm."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(_told(run, 0, "", lambda _said: None))
            with os.fdopen(writing, "wb") as pipe:
                pipe.write("\n".join(sys.modules).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        names = pipe.read().decode().split()
    os.waitpid(pid, 0)
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    _rehearse([decode(public, load_object(words)) for _, public, words in run.stored()])
    gc.collect()
    gc.freeze()


def _rehearse(events: list[Event]) -> None:
    """Go through a whole record without a loop, a thread or a file."""
    for number, event in enumerate(events, 1):
        seal(event, number, "", "")
        state = replay(events[:number])
        for step in steps(state):
            if isinstance(step, Hear):
                state.put(step.ask)
        if isinstance(event, Decided):
            verdict_of(replace(state, closed=None))
