"""A worker: takes deliberations from the queue, holds many at once, takes over from the dead, and leaves in order.

DBOS hands a deliberation to one worker at a time and knows when it has ended. It records nothing inside: every answer
is in our ledger, whose lease says who may write. So a deliberation that is handed out twice is still held once.
"""

import asyncio
import logging
import os
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field, replace
from fnmatch import fnmatchcase
from functools import partial
from secrets import token_hex
from typing import Any, Final

from quorate.chair import State
from quorate.engine.hosts.cluster.queue_tables import create_tables
from quorate.engine.hosts.cluster.work_queue import QUEUE, WORKFLOW, WorkQueue
from quorate.engine.hosts.cluster.worker_rows import WorkerRow
from quorate.engine.hosts.follow import is_finished
from quorate.engine.runner import Watch
from quorate.engine.shared_runner import RunnerSettings, shared_runner
from quorate.engine.verify import record_of
from quorate.errors import BadSetting, LedgerError, LedgerUnwritable, OwnerLost, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Entry, Ledger
from quorate.ledger.lease import myself
from quorate.middleware.rate_limit import Paces
from quorate.model import Asked, Convened, Event, Routed, Spoken
from quorate.model.panel import is_person
from quorate.settings.consent import Consent
from quorate.settings.effects import of_models
from quorate.settings.settings import Settings
from quorate.settings.table import CONCURRENCY
from quorate.views import Record
from quorate.views.result import state_of

__all__ = ["Hold", "RecordHolder", "Worker", "WorkerCounts", "WorkerTerms"]

BEAT: Final = 1.0
"""Seconds between two signs of life; others take over after `work_queue.ALIVE`, at once if they see that it is gone."""
SWEEP: Final = 30.0
"""Seconds between two looks at what was begun and never queued, and at lines that nobody needs any more."""
POLL: Final = 0.1
"""Seconds between two looks at the queue."""
AGAIN: Final = 0.5
"""Seconds until a deliberation is tried again that another process holds, or whose server is away."""
STOPPING: Final = 3600
"""Seconds for which DBOS would wait for what is under way; what is to end it sooner is our own limit."""
CONNECTIONS: Final = 4
"""That DBOS may have to the server."""
GENERATION: Final = "1"
"""What a line of the queue means. Workers take those of their own generation, whatever version they are of."""

Hold = Callable[[str, Watch], Awaitable[Record]]
"""Goes on with the deliberation of an id, to its end or until it waits for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerTerms:
    """How a worker works: deliberations at once, and how many seconds it has to finish them when it is told to stop."""

    room: int = 64
    drain: float = 20.0


@dataclass(slots=True)
class WorkerCounts:
    """What this worker has done since it began; the last four as it is now."""

    started: int = 0
    ended: Counter[str] = field(default_factory=Counter[str])
    failed: int = 0
    returned: int = 0
    taken_over: int = 0
    entries: int = 0
    calls: int = 0
    tokens: int = 0
    running: int = 0
    waiting: int = 0
    workers: int = 0
    is_reachable: bool = False

    def watch(self, entry: Entry, _: State) -> None:
        """Count an entry that was written here, and the call or the tokens in it."""
        self.entries += 1
        if isinstance(entry.event, Asked) and not is_person(entry.event.model):
            self.calls += 1
        if isinstance(entry.event, Spoken):
            self.tokens += entry.event.reply.usage.credible.tokens or 0


def _connection_error() -> type[Exception]:
    """What DBOS raises when its server is away."""
    from sqlalchemy.exc import OperationalError  # noqa: PLC0415  it comes with DBOS

    return OperationalError


class Worker:
    """One process that takes from the queue; there is one in a process, because there is one DBOS in it."""

    def __init__(self, ledger: Ledger, queue: WorkQueue, hold: Hold, terms: WorkerTerms) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{token_hex(3)}"
        self.counts = WorkerCounts()
        self.is_draining = False
        self._ledger = ledger
        self._queue = queue
        self._hold = hold
        self._terms = terms
        self._row = WorkerRow(queue.database, self.name, myself(os.getpid()).to_json(), terms.room)
        self._held: dict[str, asyncio.Task[Record]] = {}
        """What is held now, by the name of its line in the queue."""

    async def run(self, stop: asyncio.Event, ready: Callable[[], None]) -> int:
        """Work until told to stop, then finish or give back; how many were given back.

        Raises:
            BadSetting: DBOS is not installed.
        """
        dbos = await self._launched()
        self.counts.is_reachable = True
        ready()
        tasks = [asyncio.create_task(work()) for work in (self._live, self._sweep)]
        try:
            await stop.wait()
            return await self._drain(dbos)
        finally:
            for task in tasks:
                task.cancel()

    async def _launched(self) -> Any:  # noqa: ANN401  DBOS's own class, which is an extra
        """DBOS at work; if the server goes away meanwhile, begin again once it is back."""
        while True:
            dbos = self._configure()
            try:
                await create_tables(self._queue.database)
                dbos.launch()
                await dbos.register_queue_async(QUEUE, worker_concurrency=self._terms.room, polling_interval_sec=POLL)
                await self._row.beat(0, draining=False)
            except (_connection_error(), LedgerUnwritable):
                with ThreadPoolExecutor(1) as thread:
                    await asyncio.get_running_loop().run_in_executor(thread, dbos.destroy)
                asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
            else:
                return dbos
            await asyncio.sleep(AGAIN)

    def _configure(self) -> Any:  # noqa: ANN401  the same
        try:
            from dbos import DBOS, DBOSPortableJSONSerializer  # noqa: PLC0415  an extra, and a second to load
        except ModuleNotFoundError as missing:
            raise BadSetting("a worker needs dbos; pip install 'quorate[cluster]'") from missing
        logging.getLogger("dbos").setLevel(logging.CRITICAL)
        settings: Mapping[str, Any] = {
            "name": "quorate",
            "system_database_url": self._queue.database.url,
            "dbos_system_schema": self._queue.database.engine_schema,
            "application_version": GENERATION,
            "executor_id": self.name,
            "serializer": DBOSPortableJSONSerializer(),
            "sys_db_pool_size": CONNECTIONS,
            "log_level": "CRITICAL",
        }
        DBOS(config=settings)  # type: ignore[arg-type]  # a mapping of just these

        async def deliberation(id_: str) -> str:
            return await self._work(str(DBOS.workflow_id), id_)

        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(deliberation)
        DBOS.listen_queues([QUEUE])
        return DBOS

    async def _work(self, name: str, id_: str) -> str:
        """What a line in the queue means: hold this deliberation to its end, whatever was written of it before."""
        self.counts.started += 1
        task = self._held[name] = asyncio.create_task(self._to_the_end(id_))
        self.counts.running = len(self._held)
        try:
            # If it is cancelled here, DBOS leaves its line as it is: it is given back, or was cancelled there.
            ended = state_of((await task).events)
        except QuorateError as wrong:
            ended = "failed"
            self.counts.failed += 1
            await self._row.fail(id_, str(wrong))
        finally:
            self._held.pop(name, None)
            self.counts.running = len(self._held)
        self.counts.ended[ended] += 1
        return ended

    async def _to_the_end(self, id_: str) -> Record:
        """Hold it; wait while another process does, or while the server is away."""
        while True:
            try:
                return await self._hold(id_, self.counts.watch)
            except OwnerLost:
                with suppress(LedgerError):
                    record = record_of(id_, await self._ledger.read(id_))
                    if is_finished(record.state):
                        return record
            except LedgerUnwritable:
                self.counts.is_reachable = False
            await asyncio.sleep(AGAIN)

    async def _live(self) -> None:
        """Say that we live, look who does not, and let go of what was cancelled."""
        while True:
            try:
                await self._row.beat(len(self._held), draining=self.is_draining)
                if not self.is_draining:
                    self.counts.taken_over += await self._row.take_over()
                    self.counts.taken_over += await self._row.release_strays(tuple(self._held))
                for name in await self._row.cancelled(tuple(self._held)):
                    self._held[name].cancel()
                self.counts.workers, self.counts.waiting = len(await self._queue.alive()), await self._queue.waiting()
                self.counts.is_reachable = True
            except LedgerError:
                self.counts.is_reachable = False
            await asyncio.sleep(BEAT)

    async def _sweep(self) -> None:
        """Queue what was begun and never queued, because whoever began it was killed; tidy up."""
        while True:
            with suppress(QuorateError):
                for id_ in await self._queue.absent(tuple(dict.fromkeys(await self._ledger.open_claims()))):
                    if await self._ledger.read(id_):
                        await self._queue.put(id_)
                await self._row.sweep()
            await asyncio.sleep(SWEEP)

    async def _drain(self, dbos: Any) -> int:  # noqa: ANN401  the same
        """Take nothing more; finish what can be finished in time, and give the rest back."""
        self.is_draining = True
        loop = asyncio.get_running_loop()
        # DBOS waits for what is under way, in a thread that is not its own: those it closes.
        with ThreadPoolExecutor(1) as thread:
            stopping = loop.run_in_executor(thread, partial(dbos.destroy, workflow_completion_timeout_sec=STOPPING))
            if self._held:
                await asyncio.wait(self._held.values(), timeout=self._terms.drain)
            for task in self._held.values():
                task.cancel()
            await stopping
        loop.set_default_executor(ThreadPoolExecutor())
        with suppress(LedgerError):
            self.counts.returned = await self._row.leave()
        return self.counts.returned


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHolder:
    """Holds what is on record. Whoever can write to the queue can name anything there, so it may only ask providers.

    A model that runs a command or has an address is asked if the operator named it by one of `models`, patterns such as
    `cli:*`, or allowed it as `quorate resume` would have it.
    """

    ledger: Ledger
    settings: Settings
    models: tuple[str, ...] = ()
    paces: Paces | None = None

    async def __call__(self, id_: str, watch: Watch) -> Record:
        """Go on with the deliberation of an id.

        Raises:
            LedgerError: the record cannot be read or kept, or another process is at it.
            NotTrusted: it names what would act, and the operator has not allowed that.
            QuorateError: it cannot be held here.
        """
        events = [entry.event for entry in await self.ledger.read(id_)]
        consent = self.settings.consent
        terms = RunnerSettings(
            concurrency=self.settings[CONCURRENCY],
            provider_limits=self.settings.provider_limits,
            consent=consent and self._with_models(consent, events),
            paces=self.paces,
        )
        env: Mapping[str, str] = {} if consent is None else consent.environment(id_, events)
        async with shared_runner(self.ledger, env, terms) as runner:
            return await runner.resume(id_, watch=watch)

    def _with_models(self, consent: Consent, events: Sequence[Event]) -> Consent:
        allowed = [model for model in _models(events) if any(fnmatchcase(model, one) for one in self.models)]
        return replace(consent, own=consent.own | {*of_models(allowed, consent.env)}) if allowed else consent


def _models(events: Sequence[Event]) -> Iterator[str]:
    """Every model that a record would have asked."""
    for event in events:
        seated = event.seated if isinstance(event, Convened) else (event.seated,) if isinstance(event, Routed) else ()
        for sat in seated:
            yield from (sat.model, *sat.fallbacks)
