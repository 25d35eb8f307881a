"""The ledger in one SQLite file, for as many processes as like to use it."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw

from quorate.errors import LedgerError, NotRecorded
from quorate.ledger import Entry, Row, Summary
from quorate.ledger.book import OpenBook, Watch, now, summarize
from quorate.ledger.chain import first, open_row, verify_chain
from quorate.ledger.ids import describe_missing, whole
from quorate.ledger.lease import let_go, myself
from quorate.ledger.sqlite import tables
from quorate.ledger.sqlite.database import explain_errors, open_reader
from quorate.ledger.sqlite.spool import Spool, clear, tail
from quorate.ledger.sqlite.writer import OwnedBook, Writer
from quorate.model.texts import FORGOTTEN

T = TypeVar("T")


class _Taken(NamedTuple):
    """A deliberation that is ours: the token that says so, and everything in it."""

    token: int
    entries: Sequence[Entry]
    spooled: bool


class _Pen:
    """Writes a row to the spool and hands it on to be committed."""

    hold: OwnedBook

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.spool: Spool | None = None

    def put(self, _book: OpenBook, row: Row, summary: Summary) -> None:
        if self.spool is not None:
            self.spool.append(row)
        self._writer.add(self.hold, row, summary)

    def hurry(self) -> None:
        self._writer.hurry()


class SqliteLedger:
    """Opens the file when it is first used; `busy` is how many seconds to wait for other writers."""

    def __init__(self, path: Path, *, spool: bool = True, ttl: float = 10.0, busy: float = 10.0) -> None:
        self._path = path
        self._folder = Path(f"{path}.spool")
        self._spooling = spool
        self._ttl = ttl
        self._busy = busy
        self._writer = Writer(path, busy=busy, ttl=ttl)

    @asynccontextmanager
    async def own(self, id_: str, *, watch: Watch | None = None) -> AsyncGenerator[OpenBook]:
        token, entries, _ = await self._take(whole(id_))
        pen = _Pen(self._writer)
        book = OpenBook(id_, entries, pen, watch)
        hold = pen.hold = OwnedBook(book, token, asyncio.get_running_loop())
        try:
            pen.spool = await _sure(self._writer.call(partial(self._spool, hold), alone=True), _close)
            yield book
        except BaseException:
            with suppress(LedgerError):
                await self._leave(hold, pen.spool)
            raise
        await self._leave(hold, pen.spool)
        await book.committed()
        book.fail(let_go(id_))

    async def _take(self, id_: str) -> _Taken:
        def give_back(taken: _Taken) -> None:
            self._writer.call(partial(tables.release, id_=id_, token=taken.token))

        taken: _Taken = await _sure(self._writer.call(partial(self._taken, id_), light=True), give_back)
        if taken.spooled:
            durably = partial(tables.renew, id_=id_, token=taken.token, ttl=self._ttl)
            await _sure(self._writer.call(durably), lambda _: give_back(taken))
        return taken

    def _taken(self, id_: str, db: apsw.Connection) -> _Taken:
        """Take a deliberation and commit what a killed owner had spooled, all in one transaction."""
        token = tables.take(db, id_, replace(myself(os.getpid()), since=now()), self._ttl)
        rows = tables.rows_of(db, id_)
        verify_chain(id_, rows)
        spooled = list(tail(self._folder, id_, len(rows), rows[-1].hash if rows else first(id_)))
        entries = [open_row(row) for row in (*rows, *spooled)]
        if spooled:
            tables.append(db, token, self._ttl, spooled, summarize(id_, entries))
        return _Taken(token, entries, bool(spooled))

    def _spool(self, hold: OwnedBook, _db: apsw.Connection) -> Spool | None:
        """Throw away what is committed by now, and begin a file of our own."""
        self._writer.keep(hold)
        clear(self._folder, hold.book.id)
        return Spool(self._folder, hold.book.id, hold.token) if self._spooling else None

    async def _leave(self, hold: OwnedBook, spool: Spool | None) -> None:
        """Let go once all is committed; what could not be committed stays in the spool."""

        def finish(_: object) -> None:
            if spool is not None and not hold.failed:
                spool.remove()

        self._writer.drop(hold)
        try:
            await self._writer.call(
                partial(tables.release, id_=hold.book.id, token=hold.token, written=bool(hold.book.entries)),
                finish,
                light=True,
            )
        finally:
            _close(spool)

    async def read(self, id_: str) -> Sequence[Entry]:
        return await asyncio.to_thread(lambda: [open_row(row) for row in self._rows(id_)])

    async def find(self, id_: str) -> str:
        return await asyncio.to_thread(self._look, partial(tables.find, id_=id_), NotRecorded(describe_missing(id_)))

    async def list(self) -> AsyncIterator[Summary]:
        for summary in await asyncio.to_thread(self._look, tables.summaries, ()):
            yield summary

    async def rows(self, id_: str) -> Sequence[Row]:
        return await asyncio.to_thread(self._rows, id_)

    def _rows(self, id_: str) -> Sequence[Row]:
        def rows(db: apsw.Connection) -> Sequence[Row]:
            return tables.rows_of(db, tables.find(db, id_))

        return self._look(rows, NotRecorded(describe_missing(id_)))

    def _look(self, work: Callable[[apsw.Connection], T], otherwise: T | NotRecorded) -> T:
        """Read what is committed, on a connection that never writes."""
        with explain_errors(self._path):
            db = open_reader(self._path, self._busy)
            if db is not None:
                try:
                    return work(db)
                finally:
                    db.close()
        if isinstance(otherwise, NotRecorded):
            raise otherwise
        return otherwise

    async def adopt(self, id_: str, rows: Sequence[Row]) -> None:
        summary = summarize(whole(id_), [open_row(row) for row in rows])
        await self._writer.call(partial(tables.adopt, rows=rows, summary=summary))

    async def forget(self, id_: str) -> None:
        work = partial(tables.forget, id_=whole(id_), instead=str(FORGOTTEN))
        await self._writer.call(work, lambda _: clear(self._folder, id_))
        await self._writer.call(tables.purge, alone=True)

    async def close(self) -> None:
        await asyncio.to_thread(self._writer.stop)


async def _sure(job: "asyncio.Future[T]", undo: Callable[[T], None]) -> T:
    """Wait for a job; if we are cancelled it is done all the same, so it is undone then."""

    def undone(job: "asyncio.Future[T]") -> None:
        if not job.cancelled() and job.exception() is None:
            undo(job.result())

    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        job.add_done_callback(undone)
        raise


def _close(spool: Spool | None) -> None:
    if spool is not None:
        spool.close()
