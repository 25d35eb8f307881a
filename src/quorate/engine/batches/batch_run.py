"""A batch from its first question to its last: started in order, a bounded number at a time, written in order."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, NamedTuple, Protocol

from quorate.engine.batches.batch_budget import BatchBudget, BatchStopped, CostRange
from quorate.engine.batches.batch_worker import BatchJob
from quorate.engine.batches.question_lines import KeyIndex, LineError, QuestionLine
from quorate.engine.batches.result_lines import BatchResult, ResultFile
from quorate.errors import BadPanel, BadSetting, UnknownName
from quorate.middleware.budget import Charge
from quorate.model import Convened, Limits, Question
from quorate.model.charter import Charter
from quorate.model.events import NO_LIMITS
from quorate.settings.panel_file_writer import dump

__all__ = ["AnswersQuestions", "Batch", "BatchCounts", "batch_scope", "deliberations_at_once"]

AHEAD: Final = 4
"""Questions read and begun for each that may be under way: one that takes long holds up no others for a while."""
UNHEARD: Final = 20
"""Questions in a row on which nobody was heard, after which a batch stops: something is wrong with the models."""


class AnswersQuestions(Protocol):
    """Where questions are held: in this process or in another."""

    async def answer(self, job: BatchJob) -> BatchResult:
        """What a question comes to."""
        ...


@dataclass(slots=True, kw_only=True)
class BatchCounts:
    """How a batch stands: results written in all, what came of them, and what they cost."""

    total: int | None = None
    written: int = 0
    earlier: int = 0
    duplicates: int = 0
    states: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    spent: Charge = field(default_factory=Charge)
    tokens: int = 0
    money: float = 0.0
    unpriced: int = 0
    """Results whose cost in money nobody knows."""

    def add(self, result: BatchResult, *, earlier: bool = False) -> None:
        """Count one result; its words are not kept."""
        self.written += 1
        self.earlier += earlier
        self.duplicates += result.same_as is not None
        self.spent += result.charged
        self.tokens += result.tokens or 0
        self.money += result.money or 0.0
        self.unpriced += result.money is None
        if result.error is not None:
            self.errors[result.error.kind] += 1
        else:
            self.states["undecided" if result.state == "decided" and not result.decided else str(result.state)] += 1
        self.states["review"] += bool(result.requires_human_review)

    @property
    def failed(self) -> int:
        """Results that are no verdict."""
        return self.errors.total()


def deliberations_at_once(concurrency: int, seats: int) -> int:
    """How many deliberations one process holds at a time: as many as can keep its asks under way, and at least one."""
    return max(1, concurrency // max(1, seats))


class _LineTask(NamedTuple):
    """A line that is under way, and what will come of it."""

    line: QuestionLine
    task: "asyncio.Task[BatchResult]"


@dataclass(slots=True, kw_only=True, eq=False)
class Batch:
    """One panel, many questions. `prepare` makes the first event of a question; `estimate` says what it may cost.

    `name` tells batches apart that put the same questions to the same panel: another name asks everything again.
    """

    charter: Charter
    prepare: Callable[[Question], Awaitable[Convened]]
    workers: Sequence[AnswersQuestions]
    at_once: int
    name: str = ""
    limits: Limits = field(default_factory=Limits)
    estimate: Callable[[Convened], CostRange] = lambda _: CostRange(Charge(), Charge())
    show: Callable[[BatchCounts], None] = lambda _: None
    counts: BatchCounts = field(default_factory=BatchCounts)
    _pool: "BatchBudget" = field(init=False)
    _places: asyncio.Semaphore = field(init=False)
    _ahead: asyncio.Semaphore = field(init=False)
    _queue: "asyncio.Queue[_LineTask | None]" = field(default_factory=asyncio.Queue)
    _loads: list[int] = field(init=False)
    _unheard: list[BatchResult] = field(default_factory=list[BatchResult])
    _by_key: dict[str, _LineTask] = field(default_factory=dict[str, _LineTask])

    def __post_init__(self) -> None:
        self._pool = BatchBudget(self.limits)
        self._places = asyncio.Semaphore(self.at_once * len(self.workers))
        self._ahead = asyncio.Semaphore(AHEAD * self.at_once * len(self.workers))
        self._loads = [0 for _ in self.workers]

    async def run(self, lines: Iterator[QuestionLine], results: ResultFile, *, waits: bool = False) -> BatchCounts:
        """Ask what is not asked yet, and write each result in its turn; reading lines from a pipe `waits`.

        Raises:
            BatchStopped: the budget is used up, or nobody answers any more.
            QuorateError: nothing can be asked, recorded or written.
        """
        reading = asyncio.create_task(self._read(lines, results, waits=waits))
        reading.add_done_callback(lambda _: self._queue.put_nowait(None))
        line: _LineTask | None = None
        try:
            while (line := await self._queue.get()) is not None:
                self._write(await line.task, results)
                if self._by_key.get(line.line.key) is line:
                    del self._by_key[line.line.key]
                self._ahead.release()
            await reading  # raises what went wrong there
            self._write_unheard(results)
            return self.counts
        finally:
            await self._cancel(reading, line)

    async def _read(self, lines: Iterator[QuestionLine], results: ResultFile, *, waits: bool) -> None:
        """Begin every line that has no result yet, as long as not too many are ahead of what is written."""
        index, scope = KeyIndex(), batch_scope(self.name, self.charter)
        try:
            while (line := await asyncio.to_thread(next, lines, None) if waits else next(lines, None)) is not None:
                first = index.first(line)
                if (earlier := results.earlier(line)) is not None:
                    self._pool.spent += earlier.charged
                    self.counts.add(earlier, earlier=True)
                    continue
                await self._ahead.acquire()
                self._queue.put_nowait(self._begin(line, scope, first))
        finally:
            index.close()

    async def _cancel(self, reading: "asyncio.Task[None]", line: _LineTask | None) -> None:
        """Stop what is under way and wait until it has let go: it is gone on with by the next run."""
        reading.cancel()
        left = [line]
        while not self._queue.empty():
            left.append(self._queue.get_nowait())
        tasks = [one.task for one in left if one is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(reading, *tasks, return_exceptions=True)

    def _begin(self, line: QuestionLine, scope: str, first: int) -> _LineTask:
        """Start on a line. One whose key is under way waits for that one; it must be asked once."""
        before = self._by_key.get(line.key)
        work = self._copied(line, before) if before is not None and line.question else self._answer(line, scope, first)
        begun = _LineTask(line, asyncio.create_task(work))
        if before is None:
            self._by_key[line.key] = begun
        return begun

    async def _copied(self, line: QuestionLine, before: _LineTask) -> BatchResult:
        if before.line.digest != line.digest:
            message = f"the key {line.key!r} stands for another question on line {before.line.number}"
            return _failed(line, LineError(kind="key_reused", message=f"{message}; give this one its own"))
        result = await asyncio.shield(before.task)
        return _as_duplicate(replace(result, number=line.number), result.same_as or result.number)

    async def _answer(self, line: QuestionLine, scope: str, first: int) -> BatchResult:
        if line.question is None:
            return _failed(line, line.error or LineError(kind="unreadable", message="there is no question"))
        async with self._places:
            try:
                convened = await self.prepare(line.question)
            except (BadSetting, BadPanel, UnknownName) as wrong:
                return _failed(line, LineError(kind="refused", message=str(wrong)))
            is_first = first == line.number
            claim = f"batch {scope} {line.key}"
            job = BatchJob(
                number=line.number, key=line.key, claim=claim, digest=line.digest, convened=convened, again=is_first
            )
            return await self._put(job) if is_first else _as_duplicate(await self._put(job), first)

    async def _put(self, job: BatchJob) -> BatchResult:
        """Hand a question to the worker that has the least to do, within what is left of the budget."""
        convened, share = await self._pool.reserve(job.convened, self.estimate)
        place = self._loads.index(min(self._loads))
        self._loads[place] += 1
        result = None
        try:
            result = await self.workers[place].answer(replace(job, convened=convened))
            return result
        finally:
            self._loads[place] -= 1
            self._pool.settle(share, result.charged if result and job.again else Charge())

    def _write(self, result: BatchResult, results: ResultFile) -> None:
        """Write a result; those that nobody answered wait until somebody does, so that they can be asked again."""
        if result.error is not None and result.error.kind in {"unheard", "failed"}:
            self._unheard.append(result)
            if len(self._unheard) >= UNHEARD:
                raise BatchStopped("unheard", NOBODY.format(count=UNHEARD, first=self._unheard[0].number))
            return
        self._write_unheard(results)
        self._count(result, results)

    def _write_unheard(self, results: ResultFile) -> None:
        for one in self._unheard:
            self._count(one, results)
        self._unheard.clear()

    def _count(self, result: BatchResult, results: ResultFile) -> None:
        results.write(result)
        self.counts.add(result)
        self.show(self.counts)


NOBODY: Final = (
    "nobody of the panel could be heard on {count} questions in a row, from question {first} on; see: quorate doctor. "
    "Run the same command again to go on with them"
)


def batch_scope(name: str, charter: Charter) -> str:
    """What the same questions are told apart by: the batch's name, and who is asked under which rules.

    Limits are left out: whoever raises one does not want to pay again for what was decided.
    """
    file = dump(replace(charter, limits=NO_LIMITS))
    who = "\n".join(line for line in file.splitlines() if not line.lstrip().startswith("#"))
    return sha256(f"{name}\0{who}".encode(errors="surrogatepass")).hexdigest()


def _failed(line: QuestionLine, error: LineError) -> BatchResult:
    return BatchResult(number=line.number, key=line.key, error=error)


def _as_duplicate(result: BatchResult, first: int) -> BatchResult:
    """The result of an earlier line once more: nothing was asked for it, and nothing is charged."""
    return replace(result, same_as=first, calls=0, tokens=0, money=0.0, charged=Charge(), seconds=0.0)
