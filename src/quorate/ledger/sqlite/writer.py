"""The one thread that writes to an SQLite ledger: all that is queued becomes one commit, and then it is told."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any, Final, NamedTuple, TypeVar

import apsw

from quorate.errors import LedgerError, LedgerUnwritable, OwnerLost
from quorate.frozen import make_tuple
from quorate.ledger import Row, Summary
from quorate.ledger.book import News, OwnedBook, tell
from quorate.ledger.lease import taken_error
from quorate.ledger.spool.mapped_spool import Place, Spool
from quorate.ledger.sqlite.database import Turns, explain_errors, open_writer, savepoint, transaction
from quorate.ledger.sqlite.tables import Extension, Ownership, announce, extend, insert, release, renew, take_fresh

T = TypeVar("T")

_BATCH: Final = 2000
_LOG_PAGES: Final = 1000
_LINGER: Final = 0.1
"""Rows that somebody watches may gather this many seconds: a commit costs more than all that is in it.

Long enough for the replies of a round to share one, too short for whoever watches to notice.
"""
_LINGER_UNSEEN: Final = 0.3
"""Those that nobody watches may gather longer: they lie in the spool, and whoever waits for the end hurries."""


class _Line(NamedTuple):
    """A row to add, and where it lies in the spool until then."""

    hold: OwnedBook
    row: Row
    summary: Summary
    place: Place | None


@dataclass(slots=True, eq=False)
class _Work:
    """Anything else to do in a transaction, or alone without one, and what follows once it is durable.

    `light` is what a power loss may undo: a lease dies with its owner, so to take and to release one need no sync. What
    is `sure` is never refused, and nothing of it need be undone.
    """

    do: Callable[[apsw.Connection], Any]
    then: Callable[[Any], Any]
    done: "asyncio.Future[Any]"
    alone: bool = False
    light: bool = False
    sure: bool = False

    def news(self, outcome: object) -> News:
        """Do what follows, and say what came of it."""
        try:
            outcome = outcome if isinstance(outcome, LedgerError) else self.then(outcome)
        except LedgerError as error:
            outcome = error
        return self.done.get_loop(), partial(_resolve, self.done, outcome)


_Job = _Line | _Work | None
_Lines = dict[OwnedBook, list[_Line]]
_Outcomes = list[tuple[OwnedBook | _Work, Any]]


class Writer:
    """Starts its thread when it is first needed."""

    def __init__(self, path: Path, *, busy: float, ttl: float) -> None:
        self._path = path
        self._turns = Turns.on(path)
        self._busy = busy
        self._ttl = ttl
        self._jobs: list[_Job] = []
        self._batch: list[_Job] = []
        self._holds: dict[OwnedBook, None] = {}
        self._urgent = self._seen = self._idle = False
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._thread: Thread | None = None
        self._last: Thread | None = None
        self._db: apsw.Connection | None = None
        self._pages = 0
        self.spool: Spool | None = None

    @property
    def is_open(self) -> bool:
        """Whether the file could be opened, and nothing has gone wrong with it since."""
        return self._db is not None

    def call(
        self,
        do: Callable[[apsw.Connection], T],
        then: Callable[[T], Any] = lambda made: made,
        *,
        alone: bool = False,
        light: bool = False,
        sure: bool = False,
    ) -> "asyncio.Future[Any]":
        """Have something done in its turn; `then` follows on the writer's thread once it is durable."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(_Work(do, then, done, alone, light, sure))
        return done

    def add(self, hold: OwnedBook, row: Row, summary: Summary) -> None:
        """Spool a row, and have it committed behind.

        Raises:
            LedgerUnwritable: there is no room for it.
        """
        place = None if self.spool is None else self.spool.add(hold.book.id, hold.token, row)
        with self._lock:
            self._jobs.append(make_tuple(_Line, (hold, row, summary, place)))
            seen = hold.book.is_watched and not self._seen
            # Rows that come while others gather wake nobody, unless they are the first that somebody watches.
            if self._idle or seen:
                self._idle, self._seen = False, self._seen or seen
                self._changed.notify()

    def hurry(self) -> None:
        """Somebody waits: commit what is queued."""
        with self._changed:
            self._urgent = True
            self._changed.notify()

    def keep(self, hold: OwnedBook) -> None:
        """Renew a lease from now on, unless it was dropped meanwhile."""
        with self._changed:
            if not hold.dropped:
                self._holds[hold] = None
                self._changed.notify()

    def drop(self, hold: OwnedBook) -> None:
        """Renew a lease no longer."""
        with self._changed:
            hold.dropped = True
            self._holds.pop(hold, None)

    def stop(self) -> None:
        """Commit what is left, let go of everything and end the thread; blocks."""
        with self._changed:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._queue(None)
        if thread is not None:
            thread.join()
        spool, self.spool = self.spool, None
        if spool is not None:
            spool.close()

    def _put(self, job: _Job) -> None:
        with self._changed:
            if self._thread is None:
                name = f"ledger {self._path.name}"
                self._thread = self._last = Thread(target=self._run, args=(self._last,), name=name, daemon=True)
                self._thread.start()
            self._queue(job)

    def _queue(self, job: _Job) -> None:
        self._jobs.append(job)
        self._urgent = True
        self._changed.notify()

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
        with self._changed:
            waiting, self._jobs = [*self._batch, *self._jobs], []
            self._thread = None
        listeners = {job.hold if isinstance(job, _Line) else job for job in waiting if job} | {*self._holds}
        tell(listener.news(error) for listener in listeners)
        self._holds.clear()
        self._close()

    def _drain(self) -> list[_Job]:
        """Everything queued, or nothing once a lease is due."""
        with self._changed:
            if not self._jobs:
                self._idle = True
                self._changed.wait(self._pause())
                self._idle = False
            if self._jobs and isinstance(self._jobs[0], _Line):
                self._changed.wait_for(lambda: self._urgent or self._seen, _LINGER_UNSEEN)
                if self._seen:
                    self._changed.wait_for(lambda: self._urgent, _LINGER)
            batch, self._jobs = self._jobs[:_BATCH], self._jobs[_BATCH:]
            self._urgent, self._seen = bool(self._jobs), False
            return batch

    def _pause(self) -> float | None:
        """How long until a lease is due."""
        oldest = min((hold.renewed for hold in tuple(self._holds)), default=None)
        return None if oldest is None else max(0.0, oldest + self._ttl / 3 - time.monotonic())

    def _commit(self, group: "Sequence[_Line | _Work]") -> None:
        try:
            told = self._done(group)
            self._clear_spool(group)
        except LedgerError as error:
            self._close()
            told = [(job.hold if isinstance(job, _Line) else job, error) for job in group]
            self._clear_spool(group, error)
        tell(listener.news(outcome) for listener, outcome in told)

    def _clear_spool(self, group: "Sequence[_Line | _Work]", error: LedgerError | None = None) -> None:
        """Take out of the spool what is committed, or may not be any more, and keep there what could not be."""
        if self.spool is not None:
            lines = (job for job in group if isinstance(job, _Line))
            placed = [(line.place, error is not None or line.hold.owes) for line in lines if line.place]
            self.spool.keep([place for place, owed in placed if owed])
            self.spool.wipe([place for place, owed in placed if not owed])

    def _done(self, group: "Sequence[_Line | _Work]") -> _Outcomes:
        """What came of each job, once all of them are durable.

        Raises:
            LedgerUnwritable: nothing came of any.
        """
        with explain_errors(self._path), self._turns.turn(self._busy):
            db = self._open()
            if isinstance(group[0], _Work) and group[0].alone:
                return [(group[0], group[0].do(db))]
            with transaction(db, durable=not all(isinstance(job, _Work) and job.light for job in group)):
                return list(self._outcomes(db, group))

    def _outcomes(self, db: apsw.Connection, group: "Sequence[_Line | _Work]") -> _Outcomes:
        outcomes: _Outcomes = []
        lines: _Lines = {}
        for job in group:
            if isinstance(job, _Line):
                lines.setdefault(job.hold, []).append(job)
                continue
            outcomes += self._appended(db, lines)
            lines = {}
            outcomes.append((job, job.do(db) if job.sure else _attempt(db, job.do)))
        return outcomes + self._appended(db, lines)

    def _appended(self, db: apsw.Connection, lines: _Lines) -> _Outcomes:
        outcomes: _Outcomes = []
        added: list[tuple[Any, ...]] = []
        extended = self._extended(db, lines)
        for hold, some in lines.items():
            lost = extended[hold] if hold in extended else self._announced(db, hold, some)
            outcomes.append((hold, lost or some[-1].row.number))
            if lost is None:
                added += ((hold.book.id, *line.row[:-1]) for line in some)
        insert(db, added)
        return outcomes

    def _extended(self, db: apsw.Connection, lines: _Lines) -> "dict[OwnedBook, OwnerLost | None]":
        """What came of announcing together all of which the list says nothing new."""
        same = {hold: some for hold, some in lines.items() if hold.owner is None and some[-1].summary is hold.summary}
        if not same:
            return {}
        now = time.monotonic()
        for hold in same:
            hold.renewed = now
        rows = [
            Extension(hold.book.id, hold.token, some[0].row.number - 1, some[-1].row) for hold, some in same.items()
        ]
        lost = extend(db, self._ttl, rows)
        return {hold: taken_error(hold.book.id) if hold.book.id in lost else None for hold in same}

    def _announced(self, db: apsw.Connection, hold: OwnedBook, lines: "Sequence[_Line]") -> OwnerLost | None:
        held, summary = Ownership(hold.book.id, hold.token, self._ttl), lines[-1].summary
        if hold.owner is not None:
            take_fresh(db, held, hold.owner)
            hold.owner = None
            self.keep(hold)
        try:
            announce(db, held, [line.row for line in lines], None if summary is hold.summary else summary)
        except OwnerLost as error:
            return error
        hold.renewed, hold.summary = time.monotonic(), summary
        return None

    def _renew(self) -> None:
        """Renew the leases that are due; a lost one fails its book, one that cannot be renewed is tried again."""
        now = time.monotonic()
        due = [hold for hold in tuple(self._holds) if now >= hold.renewed + self._ttl / 3]
        lost: list[tuple[OwnedBook, OwnerLost]] = []
        for hold in due:
            hold.renewed = now
        with suppress(LedgerError), explain_errors(self._path):
            if due:
                with self._turns.turn(self._busy), transaction(db := self._open()):
                    lost = [(hold, error) for hold in due if (error := self._lost(db, hold))]
        for hold, error in lost:
            self.drop(hold)
            tell([hold.news(error)])

    def _lost(self, db: apsw.Connection, hold: OwnedBook) -> OwnerLost | None:
        try:
            renew(db, Ownership(hold.book.id, hold.token, self._ttl))
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
                with self._turns.turn(self._busy), transaction(self._db):
                    for hold in tuple(self._holds):
                        # Not shut out: what it has spooled and not committed is for the next owner.
                        held = Ownership(hold.book.id, hold.token, self._ttl)
                        release(self._db, held, written=bool(hold.book.entries), owes=True)
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
