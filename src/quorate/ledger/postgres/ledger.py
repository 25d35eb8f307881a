"""The ledger in a PostgreSQL database, with the spool of this machine before it.

Every entry is spooled on this machine the moment it is written, before the commit behind. A new owner on the same
machine takes from the spools what follows the last committed entry by hash.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from quorate.errors import LedgerError, NotRecorded
from quorate.ledger import Claim, Entry, Row, Summary
from quorate.ledger.address import Address
from quorate.ledger.book import OpenBook, Watch, sure
from quorate.ledger.chain import first, now, open_row, verify_chain
from quorate.ledger.ids import describe_missing, key_hash, whole
from quorate.ledger.lease import Owner, let_go, myself
from quorate.ledger.postgres import statements
from quorate.ledger.postgres.committer import Committer, LeasedBook
from quorate.ledger.postgres.connections import Connection, Connections, LoopThread, cancel_others
from quorate.ledger.postgres.listener import Listener
from quorate.ledger.postgres.migrations import create_roles, create_tables, version_of
from quorate.ledger.postgres.statements import Addition, Lease
from quorate.ledger.spool.mapped_spool import open_spool
from quorate.ledger.spool.spool_files import (
    SpooledRow,
    abandoned_spools,
    explain_spool_errors,
    forget_rows,
    leftovers,
    tail,
)
from quorate.ledger.summary import summarize
from quorate.model.texts import FORGOTTEN

T = TypeVar("T")
Work = Callable[[Connection], Awaitable[T]]

PATIENCE: Final = 60.0
"""Seconds that rows wait for a database that is away before their deliberation is told so."""


class _Taken(NamedTuple):
    """A deliberation that is ours, everything in it, and whether a spool has some of it."""

    lease: Lease
    entries: Sequence[Entry]
    spooled: bool


class _Pen:
    """Hands rows on to be spooled and committed."""

    hold: LeasedBook

    def __init__(self, committer: Committer) -> None:
        self._committer = committer

    def put(self, _book: OpenBook, row: Row, summary: Summary) -> None:
        self._committer.add(self.hold, row, summary)

    def hurry(self) -> None:
        self._committer.hurry()


class _Session:
    """What lives on the ledger's own event loop from its first use until it is closed."""

    def __init__(self, address: Address, *, ttl: float, busy: float, patience: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.connections = Connections(address, seconds=busy)
        self.committer = Committer(self.connections, ttl=ttl, patience=patience)
        self.listener = Listener(self.connections)
        self.preparing = asyncio.Lock()
        self.folder: Path | None = None
        """Where spools of this ledger lie on this machine, once it is known which ledger it is."""
        self.is_writable = False

    async def end(self) -> None:
        await self.committer.stop()
        await cancel_others()
        await self.listener.stop()
        await self.connections.close()


class PostgresLedger:
    """Connects when it is first used.

    `busy` is how many seconds whoever reads or takes waits for the database, `patience` how many entries do.
    """

    def __init__(
        self, address: Address, *, spool: bool = True, ttl: float = 10.0, busy: float = 10.0, patience: float = PATIENCE
    ) -> None:
        self._address = address
        self._spooling = spool
        self._ttl = ttl
        self._new_session = partial(_Session, address, ttl=ttl, busy=busy, patience=patience)
        self._thread = LoopThread(f"ledger {address.schema}")
        self._session: _Session | None = None

    def _run(self, work: "Callable[[_Session], Awaitable[T]]") -> "asyncio.Future[T]":
        """Have something done on the ledger's own loop."""

        async def run() -> T:
            session = self._session
            if session is None or session.loop is not asyncio.get_running_loop():
                session = self._session = self._new_session()
            return await work(session)

        return self._thread.submit(run())

    @asynccontextmanager
    async def own(self, id_: str, *, watch: Watch | None = None, fresh: bool = False) -> AsyncGenerator[OpenBook]:
        me, attempt = replace(myself(os.getpid()), since=now()), secrets.token_hex(8)
        session = await self._run(self._prepared)
        pen, loop = _Pen(session.committer), asyncio.get_running_loop()
        # Where nothing was ever written, it must show first that something can be.
        if fresh and session.is_writable:
            book = OpenBook(whole(id_), (), pen, watch)
            hold = pen.hold = LeasedBook(book, statements.FRESH_TOKEN, loop, me, attempt=attempt)
        else:
            taken = await sure(self._run(partial(self._take, whole(id_), me, attempt)), self._give_back)
            book = OpenBook(id_, taken.entries, pen, watch)
            hold = pen.hold = LeasedBook(book, taken.lease.token, loop, attempt=attempt)
            session.loop.call_soon_threadsafe(session.committer.keep, hold)
        try:
            yield book
        except BaseException:
            with suppress(LedgerError):
                await self._leave(hold)
            raise
        await self._leave(hold)
        await book.committed()
        book.fail(let_go(id_))

    async def _leave(self, hold: LeasedBook) -> None:
        await asyncio.shield(self._run(lambda session: session.committer.leave(hold)))

    def _give_back(self, taken: _Taken) -> None:
        release = statements.Release(taken.lease, shut_out=False, is_empty=not taken.entries)
        self._run(lambda session: session.committer.give_back(release))

    async def _prepared(self, session: _Session) -> _Session:
        """Make the ledger, see to what the dead have left, and begin a spool of our own."""
        async with session.preparing:
            if session.folder is None:
                version = await session.connections.call(partial(create_tables, address=self._address))
                session.folder = self._address.spool / version.id
                await _recover(session.folder, session.connections)
            if self._spooling and session.committer.spool is None:
                with explain_spool_errors(session.folder):
                    session.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                session.committer.spool = open_spool(session.folder)
        return session

    async def _take(self, id_: str, me: Owner, attempt: str, session: _Session) -> _Taken:
        taken = await session.connections.call(partial(self._taken, session, id_, me, attempt))
        session.is_writable = True
        if taken.spooled and session.folder is not None:
            if session.committer.spool is not None:
                session.committer.spool.drop(id_)
            await _recover(session.folder, session.connections)
        return taken

    async def _taken(self, session: _Session, id_: str, me: Owner, attempt: str, db: Connection) -> _Taken:
        """Take a deliberation and commit what a killed owner had spooled, all in one transaction."""
        assert session.folder is not None  # noqa: S101 - it was prepared
        async with db.transaction():
            lease = await statements.take(db, id_, me, attempt, self._ttl)
            rows = await statements.rows_of(db, id_)
            verify_chain(id_, rows)
            head = rows[-1].hash if rows else first(id_)
            spool = session.committer.spool
            left = leftovers(session.folder, id_, except_=None if spool is None else spool.path_without(id_))
            spooled = list(tail(left, since=lease.token - 1, number=len(rows), before=head))
            entries = [open_row(row) for row in (*rows, *spooled)]
            if spooled:
                addition = Addition(lease=lease, rows=spooled, summary=summarize(id_, entries))
                await statements.append(db, [addition], self._ttl)
        return _Taken(lease, entries, bool(left))

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        return [open_row(row) for row in await self._rows(id_, after)]

    async def rows(self, id_: str) -> Sequence[Row]:
        return await self._rows(id_)

    async def _rows(self, id_: str, after: int = 0) -> Sequence[Row]:
        async def rows(db: Connection) -> Sequence[Row]:
            return await statements.rows_of(db, await statements.find(db, id_), after)

        return await self._look(rows, NotRecorded(describe_missing(id_)))

    async def owner(self, id_: str) -> Owner | None:
        async def owner(db: Connection) -> Owner | None:
            return await statements.owner_of(db, await statements.find(db, id_))

        return await self._look(owner, NotRecorded(describe_missing(id_)))

    async def find(self, id_: str) -> str:
        return await self._look(partial(statements.find, id_=id_), NotRecorded(describe_missing(id_)))

    async def list(self) -> AsyncIterator[Summary]:
        summaries: Sequence[Summary] = await self._look(statements.summaries, [])
        for summary in summaries:
            yield summary

    async def open_claims(self) -> Sequence[str]:
        return await self._look(statements.open_claims, [])

    async def version(self) -> int:
        async def version(session: _Session) -> int:
            async with session.committer.announcing:
                return await self._looked(statements.commits, 0, session)

        return await self._run(version)

    async def wait(self, id_: str, *, after: int, seconds: float) -> None:
        await self._run(lambda session: session.listener.wait(id_, after, seconds))

    async def _look(self, work: Work[T], otherwise: T | NotRecorded) -> T:
        return await self._run(partial(self._looked, work, otherwise))

    async def _looked(self, work: Work[T], otherwise: T | NotRecorded, session: _Session) -> T:
        """Read what is committed; where there is no ledger, none is made."""
        if session.folder is None:
            version = await session.connections.call(partial(version_of, address=self._address))
            if version.number == 0:
                if isinstance(otherwise, NotRecorded):
                    raise otherwise
                return otherwise
            session.folder = self._address.spool / version.id
        # What was begun and not committed is to be found; whoever may only read reads what is committed.
        with suppress(LedgerError):
            if owed := [] if session.committer.spool is None else session.committer.spool.owed():
                await session.connections.call(partial(_make_known, owed))
            await _recover(session.folder, session.connections)
        return await session.connections.call(work)

    async def adopt(self, id_: str, rows: Sequence[Row]) -> None:
        summary = summarize(whole(id_), [open_row(row) for row in rows])
        await self._write(id_, partial(statements.adopt, rows=rows, summary=summary))

    async def forget(self, id_: str) -> None:
        session = await self._write(id_, partial(statements.forget, id_=whole(id_), instead=str(FORGOTTEN)))
        if session.committer.spool is not None:
            session.committer.spool.drop(id_)
        if session.folder is not None:
            forget_rows(session.folder, id_)

    async def claim(self, key: str, id_: str, digest: str = "") -> Claim:
        made = Claim(whole(id_), digest)

        async def claim(session: _Session) -> Claim:
            await self._prepared(session)
            return await session.connections.call(partial(statements.claim, key=key_hash(key), made=made))

        return await self._run(claim)

    async def _write(self, id_: str, work: Work[None]) -> _Session:
        """Do something to a whole record, all or nothing, and tell it."""

        async def whole_work(db: Connection) -> None:
            async with db.transaction():
                await work(db)
            await db.execute(statements.announcement(self._address.schema, [id_], ()))

        async def write(session: _Session) -> _Session:
            await self._prepared(session)
            await session.connections.call(whole_work)
            return session

        return await self._run(write)

    async def init(self, *, roles: bool = False) -> Sequence[str]:
        """Make the ledger, and with `roles` the roles that may read it, write to it, or erase words.

        Raises:
            LedgerUnwritable: this login may not.
        """

        async def init(session: _Session) -> Sequence[str]:
            await session.connections.call(partial(create_tables, address=self._address))
            if not roles:
                return ()
            return await session.connections.call(partial(create_roles, schema=self._address.schema))

        return await self._run(init)

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.stop, self._end)

    async def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.end()


async def _recover(folder: Path, connections: Connections) -> None:
    """Make what was never committed known to the list, and throw spools away in which nothing is left to commit."""
    with abandoned_spools(folder) as left:
        for spool in left:
            if not await connections.call(partial(_make_known, spool.rows)):
                spool.remove()


async def _make_known(rows: Sequence[SpooledRow], db: Connection) -> bool:
    """Make known whatever of it may still be committed; whether there is any."""
    pending = [row for row in rows if await statements.is_pending(db, row)]
    for row in pending:
        await statements.make_known(db, row)
    return bool(pending)
