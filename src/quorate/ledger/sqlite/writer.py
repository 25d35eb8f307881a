"""The one thread that writes to an SQLite ledger: all that is queued becomes one commit, and then it is told."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final, TypeVar

import apsw

from quorate.errors import LedgerError, LedgerUnwritable, OwnerLost
from quorate.ledger import Row, Summary
from quorate.ledger.book import OpenBook
from quorate.ledger.sqlite.database import explain_errors, open_writer, savepoint, transaction
from quorate.ledger.sqlite.tables import append, release, renew

T = TypeVar("T")

_BATCH: Final = 2000
_LOG_PAGES: Final = 1000
_LINGER: Final = 0.1
"""Rows that nobody waits for may gather this many seconds: a commit costs more than all that is in it.

Long enough for the replies of a round to share one, too short for whoever watches to notice.
"""


@dataclass(slots=True, eq=False)
class OwnedBook:
    """A deliberation that is owned here, and the book to tell."""

    book: OpenBook
    token: int
    loop: asyncio.AbstractEventLoop
    renewed: float = field(default_factory=time.monotonic)
    failed: bool = False
    dropped: bool = False

    def tell(self, outcome: int | LedgerError) -> None:
        """Tell the book on its own thread how far it is durable, or why it is not."""
        if isinstance(outcome, int):
            _call(self.loop, self.book.settle, outcome)
        else:
            self.failed = True
            _call(self.loop, self.book.fail, outcome)


@dataclass(slots=True, eq=False)
class _Line:
    """A row to add."""

    hold: OwnedBook
    row: Row
    summary: Summary


@dataclass(slots=True, eq=False)
class _Work:
    """Anything else to do in a transaction, or alone without one, and what follows once it is durable.

    `light` is what a power loss may undo: a lease dies with its owner, so to take and to release one need no sync.
    """

    do: Callable[[apsw.Connection], Any]
    then: Callable[[Any], Any]
    done: "asyncio.Future[Any]"
    alone: bool = False
    light: bool = False

    def tell(self, outcome: object) -> None:
        try:
            outcome = outcome if isinstance(outcome, LedgerError) else self.then(outcome)
        except LedgerError as error:
            outcome = error
        _call(self.done.get_loop(), _resolve, self.done, outcome)


_Job = _Line | _Work | None


class Writer:
    """Starts its thread when it is first needed."""

    def __init__(self, path: Path, *, busy: float, ttl: float) -> None:
        self._path = path
        self._busy = busy
        self._ttl = ttl
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._batch: list[_Job] = []
        self._holds: dict[OwnedBook, None] = {}
        self._urgent = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._last: Thread | None = None
        self._db: apsw.Connection | None = None
        self._pages = 0

    def call(
        self,
        do: Callable[[apsw.Connection], T],
        then: Callable[[T], Any] = lambda made: made,
        *,
        alone: bool = False,
        light: bool = False,
    ) -> "asyncio.Future[Any]":
        """Have something done in its turn; `then` follows on the writer's thread once it is durable."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(_Work(do, then, done, alone, light))
        return done

    def add(self, hold: OwnedBook, row: Row, summary: Summary) -> None:
        """Have a row committed behind."""
        self._jobs.put(_Line(hold, row, summary))

    def hurry(self) -> None:
        """Somebody waits: commit what is queued."""
        self._urgent.set()

    def keep(self, hold: OwnedBook) -> None:
        """Renew a lease from now on, unless it was dropped meanwhile; to be called in the course of some work."""
        self._holds[hold] = None
        if hold.dropped:
            self._holds.pop(hold)

    def drop(self, hold: OwnedBook) -> None:
        """Renew a lease no longer."""
        hold.dropped = True
        self._holds.pop(hold, None)

    def stop(self) -> None:
        """Commit what is left, let go of everything and end the thread; blocks."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            self._urgent.set()
            thread.join()

    def _put(self, job: _Job) -> None:
        with self._lock:
            if self._thread is None:
                name = f"ledger {self._path.name}"
                self._thread = self._last = Thread(target=self._run, args=(self._last,), name=name, daemon=True)
                self._thread.start()
        self._jobs.put(job)
        self._urgent.set()

    def _run(self, before: Thread | None) -> None:
        if before is not None:  # one that is being stopped must find its own end in the queue
            before.join()
        try:
            while self._turn():
                self._renew()
                self._checkpoint()
            self._let_go()
        except BaseException:
            # A fault of our own must not leave anybody waiting for ever.
            self._abandon()
            raise

    def _turn(self) -> bool:
        self._batch = self._drain()
        for group in _groups(self._batch):
            self._commit(group)
        return None not in self._batch

    def _abandon(self) -> None:
        error = LedgerUnwritable(
            f"the thread that writes {str(self._path)!r} failed; what was acknowledged is safe, start again and resume"
        )
        waiting = [*self._batch, *self._queued()]
        for listener in {job.hold if isinstance(job, _Line) else job for job in waiting if job} | {*self._holds}:
            listener.tell(error)
        with self._lock:
            self._thread = None
        self._holds.clear()
        self._close()

    def _drain(self) -> list[_Job]:
        """Everything queued, or nothing once a lease is due."""
        batch: list[_Job] = []
        with suppress(Empty):
            batch.append(self._jobs.get(timeout=self._pause()))
            if isinstance(batch[0], _Line):
                self._urgent.wait(_LINGER)
            self._urgent.clear()
        return batch + self._queued()

    def _queued(self) -> list[_Job]:
        batch: list[_Job] = []
        with suppress(Empty):
            while len(batch) < _BATCH:
                batch.append(self._jobs.get_nowait())
        return batch

    def _pause(self) -> float | None:
        """How long until a lease is due."""
        oldest = min((hold.renewed for hold in tuple(self._holds)), default=None)
        return None if oldest is None else max(0.0, oldest + self._ttl / 3 - time.monotonic())

    def _commit(self, group: "Sequence[_Line | _Work]") -> None:
        try:
            told = self._done(group)
        except LedgerError as error:
            self._close()
            told = [(job.hold if isinstance(job, _Line) else job, error) for job in group]
        for listener, outcome in told:
            listener.tell(outcome)

    def _done(self, group: "Sequence[_Line | _Work]") -> "list[tuple[OwnedBook | _Work, Any]]":
        """What came of each job, once all of them are durable.

        Raises:
            LedgerUnwritable: nothing came of any.
        """
        with explain_errors(self._path):
            db = self._open()
            if isinstance(group[0], _Work) and group[0].alone:
                return [(group[0], group[0].do(db))]
            with transaction(db, durable=not all(isinstance(job, _Work) and job.light for job in group)):
                return list(self._outcomes(db, group))

    def _outcomes(self, db: apsw.Connection, group: "Sequence[_Line | _Work]") -> "list[tuple[OwnedBook | _Work, Any]]":
        outcomes: list[tuple[OwnedBook | _Work, Any]] = []
        lines: dict[OwnedBook, list[_Line]] = {}
        for job in group:
            if isinstance(job, _Line):
                lines.setdefault(job.hold, []).append(job)
                continue
            outcomes += self._appended(db, lines)
            lines = {}
            outcomes.append((job, _attempt(db, job.do)))
        return outcomes + self._appended(db, lines)

    def _appended(
        self, db: apsw.Connection, lines: dict[OwnedBook, list[_Line]]
    ) -> "list[tuple[OwnedBook | _Work, Any]]":
        outcomes: list[tuple[OwnedBook | _Work, Any]] = []
        for hold, added in lines.items():
            rows = [line.row for line in added]
            try:
                append(db, hold.token, self._ttl, rows, added[-1].summary)
                outcomes.append((hold, rows[-1].number))
                hold.renewed = time.monotonic()
            except OwnerLost as error:
                outcomes.append((hold, error))
        return outcomes

    def _renew(self) -> None:
        """Renew the leases that are due; a lost one fails its book, one that cannot be renewed is tried again."""
        now = time.monotonic()
        due = [hold for hold in tuple(self._holds) if now >= hold.renewed + self._ttl / 3]
        lost: list[tuple[OwnedBook, OwnerLost]] = []
        for hold in due:
            hold.renewed = now
        with suppress(LedgerError), explain_errors(self._path):
            if due:
                db = self._open()
                with transaction(db):
                    lost = [(hold, error) for hold in due if (error := self._lost(db, hold))]
        for hold, error in lost:
            self.drop(hold)
            hold.tell(error)

    def _lost(self, db: apsw.Connection, hold: OwnedBook) -> OwnerLost | None:
        try:
            renew(db, hold.book.id, hold.token, self._ttl)
        except OwnerLost as error:
            return error
        return None

    def _checkpoint(self) -> None:
        """Move the log into the file now that everybody has been told; what cannot be moved is safe in the log."""
        if self._db is not None and self._pages >= _LOG_PAGES:
            self._pages = 0
            with suppress(apsw.Error):
                self._db.wal_checkpoint()

    def _open(self) -> apsw.Connection:
        if self._db is None:
            self._db = open_writer(self._path, self._busy)
            self._db.set_wal_hook(self._logged)
        return self._db

    def _logged(self, _db: apsw.Connection, _name: str, pages: int) -> int:
        self._pages = pages
        return apsw.SQLITE_OK

    def _let_go(self) -> None:
        with suppress(LedgerError), explain_errors(self._path):
            if self._holds and self._db is not None:
                with transaction(self._db):
                    for hold in tuple(self._holds):
                        release(self._db, hold.book.id, hold.token, written=bool(hold.book.entries))
        self._holds.clear()
        self._close()

    def _close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with suppress(apsw.Error):
                db.close()


def _groups(batch: Sequence[_Job]) -> "list[list[_Line | _Work]]":
    """Jobs that share a commit."""
    groups: list[list[_Line | _Work]] = [[]]
    for job in batch:
        if job is None:
            continue
        if isinstance(job, _Work) and job.alone:
            groups.append([job])
            groups.append([])
        else:
            groups[-1].append(job)
    return [group for group in groups if group]


def _attempt(db: apsw.Connection, do: Callable[[apsw.Connection], T]) -> T | LedgerError:
    """Do a piece of work, and leave nothing of it behind if it is refused."""
    try:
        with savepoint(db):
            made = do(db)
    except LedgerError as error:
        return error
    return made


def _resolve(done: "asyncio.Future[Any]", outcome: object) -> None:
    if done.done():
        return
    if isinstance(outcome, LedgerError):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


def _call(loop: asyncio.AbstractEventLoop, tell: Callable[..., None], *about: object) -> None:
    # A loop that is closed has nobody left to tell.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(tell, *about)
