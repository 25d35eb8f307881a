"""What writes entries to the database: all that is queued becomes one commit, and then it is told.

While the database is away, rows wait here and in the spool, and deliberations go on. Whoever waits for a commit is told
after a while that it cannot be had; the rows stay in the spool for the next owner.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Final

from quorate.errors import LedgerError, LedgerUnwritable
from quorate.ledger import Row, Summary
from quorate.ledger.book import OwnedBook, tell
from quorate.ledger.lease import taken_error
from quorate.ledger.postgres.connections import ANY, Connection, Connections, close, explain, is_passing
from quorate.ledger.postgres.statements import Addition, Lease, Release, announcement, append, renew
from quorate.ledger.spool.mapped_spool import Place, Spool

_BATCH: Final = 2000
_LINGER: Final = 0.1
"""Rows that somebody watches may gather this many seconds: a commit costs more than all that is in it."""
_LINGER_UNSEEN: Final = 0.3
"""Those that nobody watches may gather longer: they lie in the spool, and whoever waits for the end hurries."""
_AGAIN: Final = 1.0
"""Seconds after which what could not be told is told again, and the longest between two attempts to commit."""


@dataclass(slots=True, eq=False)
class LeasedBook(OwnedBook):
    """A deliberation that is owned here, by this very attempt to take it."""

    attempt: str = ""

    @property
    def lease(self) -> Lease:
        return Lease(self.book.id, self.token, self.attempt)


@dataclass(slots=True, eq=False)
class _Line:
    """A row to add, and where it lies in the spool until then."""

    hold: LeasedBook
    row: Row
    summary: Summary
    place: Place | None


@dataclass(slots=True, eq=False)
class _Leaving:
    """A deliberation to let go of, once all that was written before is committed."""

    hold: LeasedBook
    done: "asyncio.Future[None]"


_Job = _Line | _Leaving
_Outcome = int | LedgerError
"""How far a deliberation is durable, or why nothing more will be."""


class Committer:
    """Lives on the loop of the connections; rows may be added from any thread."""

    def __init__(self, connections: Connections, *, ttl: float, patience: float) -> None:
        self._connections = connections
        self._seconds = connections.seconds
        self._ttl = ttl
        self._patience = patience
        self._lock = Lock()
        self._jobs: list[_Job] = []
        self._batch: list[_Job] = []
        self._fault: LedgerUnwritable | None = None
        self._holds: dict[LeasedBook, None] = {}
        self._urgent = self._seen = self._idle = self._ending = False
        self._away_since: float | None = None
        self._unreleased: list[Release] = []
        self._unheard = False
        """Whether the database could not be told of them a moment ago."""
        self.announcing = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._db: Connection | None = None
        self.spool: Spool | None = None
        self._task = asyncio.create_task(self._run())

    def add(self, hold: LeasedBook, row: Row, summary: Summary) -> None:
        """Spool a row, and have it committed behind.

        Raises:
            LedgerUnwritable: there is no room for it.
        """
        if self._fault is not None:
            raise LedgerUnwritable(*self._fault.args)
        place = None if self.spool is None else self.spool.add(hold.book.id, hold.token, row)
        with self._lock:
            self._jobs.append(_Line(hold, row, summary, place))
            seen = hold.book.is_watched and not self._seen
            self._seen = self._seen or seen
            wake, self._idle = self._idle or seen, False
        if wake:
            self._loop.call_soon_threadsafe(self._wake.set)

    def hurry(self) -> None:
        """Somebody waits: commit what is queued."""
        with self._lock:
            known, self._urgent = self._urgent, True
        if not known:
            self._loop.call_soon_threadsafe(self._wake.set)

    def keep(self, hold: LeasedBook) -> None:
        """Renew a lease from now on, unless it was dropped meanwhile."""
        if not hold.dropped:
            self._holds[hold] = None
            self._wake.set()

    async def leave(self, hold: LeasedBook) -> None:
        """Let go of a deliberation once all is committed; what could not be committed stays in the spool."""
        if self._fault is not None:
            return
        done = self._loop.create_future()
        with self._lock:
            self._jobs.append(_Leaving(hold, done))
            self._urgent = True
        self._wake.set()
        await done

    async def give_back(self, release: Release) -> None:
        """Let go of a deliberation that nobody wants any more."""
        self._unreleased.append(release)
        self._wake.set()

    async def stop(self) -> None:
        """Commit what is left, let go of everything and end."""
        self._ending = True
        self._wake.set()
        await asyncio.wait({self._task})
        # Not shut out: what it has spooled and not committed is for the next owner.
        self._unreleased += (Release(hold.lease, shut_out=False, is_empty=False) for hold in self._holds)
        await self._announce([])
        if self._db is not None:
            await close(self._db)
        if self.spool is not None:
            self.spool.close()

    async def _run(self) -> None:
        try:
            while await self._turn():
                await self._renew()
        except BaseException:
            # A fault of our own must not leave anybody waiting for ever.
            self._abandon()
            raise

    async def _turn(self) -> bool:
        self._batch = await self._drain()
        if self._batch:
            await self._commit(self._batch)
        elif self._ending:
            return False
        elif self._unreleased:
            await self._announce([])
        return True

    def _abandon(self) -> None:
        shown = self._connections.address.shown
        self._fault = LedgerUnwritable(
            f"what writes to the ledger {shown!r} failed; what was acknowledged is safe, start again and resume"
        )
        with self._lock:
            waiting, self._jobs = [*self._batch, *self._jobs], []
        tell(hold.news(self._fault) for hold in {job.hold for job in waiting} | {*self._holds})
        for job in waiting:
            if isinstance(job, _Leaving) and not job.done.done():
                job.done.set_result(None)
        self._holds.clear()

    async def _drain(self) -> list[_Job]:
        """Everything queued, or nothing once a lease is due."""
        with self._lock:
            self._idle = not self._jobs
            known = len(self._holds)
        if self._idle and not self._ending:
            await self._until(lambda: self._has_work or len(self._holds) > known, self._pause())
        with self._lock:
            self._idle = False
            gathers = bool(self._jobs) and isinstance(self._jobs[0], _Line) and not self._ending
        if gathers:
            await self._until(lambda: self._urgent or self._seen, _LINGER_UNSEEN)
            if self._seen:
                await self._until(lambda: self._urgent, _LINGER)
        with self._lock:
            batch, self._jobs = self._jobs[:_BATCH], self._jobs[_BATCH:]
            self._urgent, self._seen = bool(self._jobs), False
        return batch

    @property
    def _has_work(self) -> bool:
        return bool(self._jobs or (self._unreleased and not self._unheard)) or self._ending

    async def _until(self, is_so: Callable[[], bool], seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not is_so():
                    self._wake.clear()
                    if not is_so():
                        await self._wake.wait()

    def _pause(self) -> float | None:
        """How long until a lease is due."""
        if self._unreleased:
            return _AGAIN
        oldest = min((hold.renewed for hold in self._holds), default=None)
        return None if oldest is None else max(0.0, oldest + self._ttl / 3 - time.monotonic())

    async def _commit(self, batch: Sequence[_Job]) -> None:
        """Commit a batch, again and again while the database is away; every attempt is the same one."""
        lines: dict[LeasedBook, list[_Line]] = {}
        for job in batch:
            if isinstance(job, _Line):
                lines.setdefault(job.hold, []).append(job)
        outcomes = await self._outcomes(lines)
        self._clear_spool([line for each in lines.values() for line in each])
        async with self.announcing:
            tell(hold.news(outcome) for hold, outcome in outcomes.items())
            await self._let_go(outcomes, [job for job in batch if isinstance(job, _Leaving)])

    async def _outcomes(self, lines: "dict[LeasedBook, list[_Line]]") -> "dict[LeasedBook, _Outcome]":
        """How far each is durable now, or why not; what follows a row that could not be committed cannot be either."""
        outcomes: dict[LeasedBook, _Outcome] = {hold: hold.failure for hold in lines if hold.failure is not None}
        wanted = {hold: each for hold, each in lines.items() if hold not in outcomes}
        if wanted:
            outcomes |= await self._appended(wanted)
        for hold, outcome in outcomes.items():
            if isinstance(outcome, LedgerError):
                hold.failure = hold.failure or outcome
        return outcomes

    async def _appended(self, lines: "dict[LeasedBook, list[_Line]]") -> "dict[LeasedBook, _Outcome]":
        try:
            added = await self._patiently(list(map(_addition, lines.values())))
        except LedgerError as error:
            if len(lines) == 1 or self._db is None:
                return dict.fromkeys(lines, error)
            # One deliberation that cannot be added to must not stand in the way of the others.
            alone = [await self._appended({hold: each}) for hold, each in lines.items()]
            return {hold: outcome for each in alone for hold, outcome in each.items()}
        return {hold: self._added(hold, each[-1], added) for hold, each in lines.items()}

    def _added(self, hold: LeasedBook, last: _Line, added: set[str]) -> "_Outcome":
        if hold.book.id not in added:
            return taken_error(hold.book.id)
        if hold.owner is not None:
            hold.owner = None
            self.keep(hold)
        hold.renewed, hold.summary = time.monotonic(), last.summary
        return last.row.number

    async def _patiently(self, additions: Sequence[Addition]) -> set[str]:
        pause = 0.05
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    added = await append(await self._connection(), additions, self._ttl)
            except ANY as error:
                if not is_passing(error):
                    raise explain(error, self._connections.address) from error
                self._part()
                self._away_since = self._away_since or time.monotonic()
                if self._ending or time.monotonic() - self._away_since > self._patience:
                    raise explain(error, self._connections.address) from error
            else:
                self._away_since = None
                return added
            await asyncio.sleep(pause)
            pause = min(2 * pause, _AGAIN)

    async def _let_go(self, outcomes: "dict[LeasedBook, _Outcome]", leaving: Sequence[_Leaving]) -> None:
        for job in leaving:
            job.hold.dropped = True
            self._holds.pop(job.hold, None)
            if job.hold.owner is None:
                self._unreleased.append(Release(job.hold.lease, not job.hold.owes, not job.hold.book.entries))
        await self._announce([hold.book.id for hold, outcome in outcomes.items() if isinstance(outcome, int)])
        for job in leaving:
            if not job.done.done():
                job.done.set_result(None)

    async def _announce(self, ids: Sequence[str]) -> None:
        """Tell the database what it may tell others; what could not be let go of is tried again later."""
        releases = self._unreleased[:_BATCH]
        news = sorted({*ids, *(one.lease.id for one in releases)})
        if not news:
            return
        try:
            async with asyncio.timeout(self._seconds):
                db = await self._connection()
                await db.execute(announcement(self._connections.address.schema, news, releases))
        except ANY:
            self._part()
            self._unheard = True
        else:
            del self._unreleased[: len(releases)]
            self._unheard = False

    async def _renew(self) -> None:
        """Renew the leases that are due; a lost one fails its book, one that cannot be renewed is tried again."""
        now = time.monotonic()
        due = [hold for hold in self._holds if now >= hold.renewed + self._ttl / 3]
        if not due:
            return
        for hold in due:
            hold.renewed = now
        try:
            async with asyncio.timeout(self._seconds):
                ours = await renew(await self._connection(), [hold.lease for hold in due], self._ttl)
        except ANY:
            self._part()
            return
        for hold in due:
            if hold.book.id not in ours:
                self._holds.pop(hold, None)
                tell([hold.news(taken_error(hold.book.id))])

    def _clear_spool(self, lines: Sequence[_Line]) -> None:
        """Take out of the spool what is committed, or may not be any more, and keep there what could not be."""
        if self.spool is not None:
            self.spool.keep([line.place for line in lines if line.place and line.hold.owes])
            self.spool.wipe([line.place for line in lines if line.place and not line.hold.owes])

    async def _connection(self) -> Connection:
        if self._db is None or self._db.is_closed():
            self._db = await self._connections.open()
        return self._db

    def _part(self) -> None:
        """Whatever it was doing, it is not asked again."""
        db, self._db = self._db, None
        if db is not None:
            db.terminate()


def _addition(lines: Sequence[_Line]) -> Addition:
    hold, summary = lines[0].hold, lines[-1].summary
    return Addition(
        lease=hold.lease,
        rows=[line.row for line in lines],
        summary=None if summary is hold.summary else summary,
        owner=hold.owner,
    )
