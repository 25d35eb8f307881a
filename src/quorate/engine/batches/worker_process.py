"""A worker of a batch in a process of its own: it is handed questions through a pipe and hands results back.

It ends when its standard input does, however whoever started it has ended; what it was asking is gone on with by the
next run. If it dies itself, another one is started and handed what it had.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import orjson

from quorate import errors
from quorate.engine.batches.batch_worker import BatchJob, BatchWorker
from quorate.engine.batches.result_lines import BatchResult
from quorate.engine.collector import tuned_collector
from quorate.engine.hosts.detached_host import HostTerms
from quorate.engine.shared_runner import RunnerSettings
from quorate.errors import QuorateError
from quorate.ledger import open_ledger
from quorate.ledger.serde import decode, encode
from quorate.model import Convened
from quorate.settings.consent import admit_settings
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import ALLOW_KEYS, CONCURRENCY, LEDGER, PANEL

__all__ = ["WorkerProcess", "runner_settings"]

MODULE: Final = "quorate.engine.batches.worker_process"
LONGEST: Final = 1 << 28
"""Bytes of a message: a question with its context, twice escaped."""
LIVES: Final = 3
"""Processes that one question may cost before the batch gives up on it."""
PATIENCE: Final = 10.0
"""Seconds that a worker has to end by itself."""


def runner_settings(resolved: Settings) -> RunnerSettings:
    """How a worker holds deliberations under these settings."""
    return RunnerSettings(
        concurrency=resolved[CONCURRENCY], provider_limits=resolved.provider_limits, consent=resolved.consent
    )


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """`async with WorkerProcess(terms) as worker`: answers like a `BatchWorker`, elsewhere."""

    terms: HostTerms
    _process: asyncio.subprocess.Process | None = None
    _reader: "asyncio.Task[None] | None" = None
    _waiting: "dict[int, asyncio.Future[BatchResult]]" = field(default_factory=dict)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), PATIENCE)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._reader is not None:
            self._reader.cancel()

    async def answer(self, job: BatchJob) -> BatchResult:
        """What a question comes to; if the process dies meanwhile, another one goes on with it.

        Raises:
            QuorateError: nothing can be asked or recorded there, or it dies again and again.
        """
        for _ in range(LIVES):
            try:
                return await self._ask(job)
            except _WorkerDied:
                continue
        raise QuorateError(
            f"the worker process died {LIVES} times on question {job.number} ({job.key!r}); look for what kills it, "
            "such as too little memory. Run the same command again to go on"
        )

    async def _ask(self, job: BatchJob) -> BatchResult:
        process = await self._running()
        answer: asyncio.Future[BatchResult] = asyncio.get_running_loop().create_future()
        waiting = self._waiting  # for this process: another one's death is not to be told to them
        waiting[job.number] = answer
        try:
            assert process.stdin is not None  # noqa: S101 - it was asked for
            process.stdin.write(_message(job))
            await process.stdin.drain()
            return await answer
        except (ConnectionError, RuntimeError) as gone:  # it has died before the reader could notice
            await _ended(process)
            raise _WorkerDied from gone
        finally:
            waiting.pop(job.number, None)

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                self._process, self._waiting = await self._start(), {}
                self._reader = asyncio.create_task(_read(self._process, self._waiting))
            return self._process

    async def _start(self) -> asyncio.subprocess.Process:
        # -P: a folder that happens to hold a file of a library's name must not be what is imported. A session of its
        # own: Ctrl-C is ours, and we let it end in order.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", MODULE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=LONGEST,
        )
        assert process.stdin is not None  # noqa: S101 - it was asked for
        process.stdin.write(orjson.dumps(asdict(self.terms)) + b"\n")
        return process


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Be rid of a process that listens no more; until it is known to have ended, no other one takes its place."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def _read(process: asyncio.subprocess.Process, waiting: "dict[int, asyncio.Future[BatchResult]]") -> None:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while line := await process.stdout.readline():
        told: dict[str, Any] = orjson.loads(line)
        if "fatal" in told:
            _fail(waiting, _error_of(told))
        elif (answer := waiting.get(told["number"])) is not None and not answer.done():
            answer.set_result(BatchResult.of(told))
    await process.wait()
    _fail(waiting, _WorkerDied())


def _fail(waiting: "Mapping[int, asyncio.Future[BatchResult]]", why: Exception) -> None:
    for answer in waiting.values():
        if not answer.done():
            answer.set_exception(why)


class _WorkerDied(Exception):
    """The process has ended and was not told to."""


def _error_of(told: Mapping[str, str]) -> QuorateError:
    kind: object = getattr(errors, told["fatal"], None)
    if isinstance(kind, type) and issubclass(kind, errors.LedgerError):
        return kind(told["message"])
    return QuorateError(told["message"])


def _message(job: BatchJob) -> bytes:
    public, words = encode(job.convened, "")
    plain = {
        "number": job.number,
        "key": job.key,
        "claim": job.claim,
        "digest": job.digest,
        "again": job.again,
        "convened": public.decode(),
        "words": words,
    }
    return orjson.dumps(plain) + b"\n"


def _job(line: bytes) -> BatchJob:
    plain: dict[str, Any] = orjson.loads(line)
    convened = decode(plain.pop("convened"), plain.pop("words"))
    assert isinstance(convened, Convened)  # noqa: S101 - it is what was sent
    return BatchJob(**plain, convened=convened)


def main() -> None:
    """Where the worker's process begins."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with tuned_collector():
        asyncio.run(_work())


async def _work() -> None:
    loop = asyncio.get_running_loop()
    source = asyncio.StreamReader(limit=LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(source), sys.stdin)
    first = await source.readline()
    if not first:
        return
    tasks = set[asyncio.Task[None]]()
    try:
        async with _worker(HostTerms(**orjson.loads(first))) as worker:
            while line := await source.readline():
                task = asyncio.create_task(_answer(worker, line))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            # Nobody is left to hand a result to: what is under way stops, and is gone on with by the next run.
            for task in tuple(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    except QuorateError as wrong:
        _tell({"fatal": type(wrong).__name__, "message": str(wrong)})


def _worker(terms: HostTerms) -> BatchWorker:
    said = {LEDGER.name: terms.ledger, PANEL.name: terms.panel or "tribunal", ALLOW_KEYS.name: tuple(terms.allow_keys)}
    # Like a door, this is where a process begins: the environment is read here and handed on.
    resolved = admit_settings(resolve(said, os.environ, Path.home()), os.environ, trust=terms.trust)
    return BatchWorker(open_ledger(resolved[LEDGER]), resolved.environment(os.environ), runner_settings(resolved))


async def _answer(worker: BatchWorker, line: bytes) -> None:
    try:
        _tell((await worker.answer(_job(line))).document())
    except QuorateError as wrong:
        _tell({"fatal": type(wrong).__name__, "message": str(wrong)})


def _tell(message: Mapping[str, object]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message, default=dict) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
