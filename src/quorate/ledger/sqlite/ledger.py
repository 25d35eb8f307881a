"""The ledger in one SQLite file, for as many processes as like to use it, with the spool before it.

Every entry is spooled the moment it is written, before the commit behind. A new owner takes from the spools what
follows the last committed entry by hash.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

import apsw

from quorate.errors import LedgerError
from quorate.ledger import Claim, Entry, Row, Summary
from quorate.ledger.book import OpenBook, OwnedBook, Watch, sure
from quorate.ledger.chain import first, now, open_row, verify_chain
from quorate.ledger.ids import key_hash, whole
from quorate.ledger.lease import Owner, let_go, myself
from quorate.ledger.news import wait_by_looking
from quorate.ledger.spool.mapped_spool import open_spool
from quorate.ledger.spool.spool_files import (
    SpooledRow,
    abandoned_spools,
    forget_rows,
    leftovers,
    tail,
)
from quorate.ledger.sqlite import tables
from quorate.ledger.sqlite.database import Poll
from quorate.ledger.sqlite.reader import BlockingReader, recover, spool_folder
from quorate.ledger.sqlite.tables import Ownership
from quorate.ledger.sqlite.writer import Writer
from quorate.ledger.summary import summarize
from quorate.model.texts import FORGOTTEN


class _Taken(NamedTuple):
    """A deliberation that is ours: the token that says so, everything in it, and whether a spool has some of it."""

    hold: Ownership
    rows: list[Row]
    entries: Sequence[Entry]
    spooled: bool


class _Pen:
    """Hands rows on to be spooled and committed."""

    hold: OwnedBook

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.rows: list[Row] | None = None
        """All there are, where somebody may take the same up again; whoever only begins is seldom that."""

    def put(self, _book: OpenBook, row: Row, summary: Summary) -> None:
        self._writer.add(self.hold, row, summary)
        if self.rows is not None:
            self.rows.append(row)

    def hurry(self) -> None:
        self._writer.hurry()


class SqliteLedger:
    """Opens the file when it is first used; `busy` is how many seconds to wait for other writers."""

    def __init__(self, path: Path, *, spool: bool = True, ttl: float = 10.0, busy: float = 10.0) -> None:
        self._path = path
        self._folder = spool_folder(path)
        self._spooling = spool
        self._ttl = ttl
        self._busy = busy
        self._writer = Writer(path, busy=busy, ttl=ttl)
        self._prepared = False
        self._poll = Poll(path)
        self._reader = BlockingReader(path, busy, self._owed)
        self._let_go: WeakValueDictionary[str, OpenBook] = WeakValueDictionary()
        """What somebody still has: if the file holds the very same, that need not be checked and read again."""

    @asynccontextmanager
    async def own(self, id_: str, *, watch: Watch | None = None, fresh: bool = False) -> AsyncGenerator[OpenBook]:
        pen, me = _Pen(self._writer), replace(myself(os.getpid()), since=now())
        # Where nothing was ever written, it must show first that something can be.
        if fresh and self._prepared and self._writer.is_open:
            book = OpenBook(whole(id_), (), pen, watch)
            hold = pen.hold = OwnedBook(book, tables.FRESH_TOKEN, asyncio.get_running_loop(), me)
        else:
            taken = await self._take(whole(id_), me)
            pen.rows = taken.rows
            book = OpenBook(id_, taken.entries, pen, watch)
            hold = pen.hold = OwnedBook(book, taken.hold.token, asyncio.get_running_loop())
            self._writer.keep(hold)
        try:
            yield book
        except BaseException:
            with suppress(LedgerError):
                await self._leave(hold)
            raise
        await self._leave(hold)
        await book.committed()
        book.fail(let_go(id_))
        if pen.rows:
            book.stored, self._let_go[id_] = pen.rows, book

    async def _take(self, id_: str, me: Owner) -> _Taken:
        def give_back(taken: _Taken) -> None:
            self._writer.call(partial(tables.release, hold=taken.hold))

        def clear(_: None) -> None:
            if self._writer.spool is not None:
                self._writer.spool.drop(id_)

        if not self._prepared:
            await self._writer.call(self._prepare, light=True)
            self._prepared = True
        take = partial(self._taken, id_, me, self._let_go.get(id_))
        taken: _Taken = await sure(self._writer.call(take, light=True), give_back)
        if taken.spooled:
            await sure(self._writer.call(partial(self._settle, taken.hold), clear), lambda _: give_back(taken))
        return taken

    def _settle(self, hold: Ownership, db: apsw.Connection) -> None:
        """Make durable what was taken up, and tidy away where it lay."""
        tables.renew(db, hold)
        with abandoned_spools(self._folder) as left:
            recover(db, left)

    def _prepare(self, db: apsw.Connection) -> None:
        """See to what processes that are gone have left, and begin a spool of our own."""
        with abandoned_spools(self._folder) as left:
            recover(db, left)
        if self._spooling and self._writer.spool is None:
            self._writer.spool = open_spool(self._folder)

    def _taken(self, id_: str, me: Owner, before: OpenBook | None, db: apsw.Connection) -> _Taken:
        """Take a deliberation and commit what a killed owner had spooled, all in one transaction."""
        token = tables.take(db, id_, me, self._ttl)
        hold = Ownership(id_, token, self._ttl)
        rows = tables.rows_of(db, id_)
        known = before.entries if before is not None and before.stored == rows else ()
        if not known:
            verify_chain(id_, rows)
        head = rows[-1].hash if rows else first(id_)
        spool = self._writer.spool
        left = leftovers(self._folder, id_, except_=None if spool is None else spool.path_without(id_))
        spooled = list(tail(left, since=token - 1, number=len(rows), before=head))
        rows += spooled
        entries = [*known, *map(open_row, rows[len(known) :])]
        if spooled:
            tables.append(db, hold, spooled, summarize(id_, entries))
        return _Taken(hold, rows, entries, bool(left))

    async def _leave(self, hold: OwnedBook) -> None:
        """Let go once all is committed; what could not be committed stays in the spool."""

        def release(db: apsw.Connection) -> None:
            held = Ownership(hold.book.id, hold.token, self._ttl)
            tables.release(db, held, written=bool(hold.book.entries), owes=hold.owes)

        self._writer.drop(hold)
        await self._writer.call(release, light=True, sure=True)

    def _owed(self) -> Sequence[SpooledRow]:
        return () if self._writer.spool is None else self._writer.spool.owed()

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        return await asyncio.to_thread(self._reader.read, id_, after)

    async def owner(self, id_: str) -> Owner | None:
        return await asyncio.to_thread(self._reader.owner, id_)

    async def find(self, id_: str) -> str:
        return await asyncio.to_thread(self._reader.find, id_)

    async def list(self) -> AsyncIterator[Summary]:
        for summary in await asyncio.to_thread(self._reader.summaries):
            yield summary

    async def rows(self, id_: str) -> Sequence[Row]:
        return await asyncio.to_thread(self._reader.rows, id_)

    async def adopt(self, id_: str, rows: Sequence[Row]) -> None:
        summary = summarize(whole(id_), [open_row(row) for row in rows])
        await self._writer.call(partial(tables.adopt, rows=rows, summary=summary))

    async def forget(self, id_: str) -> None:
        def forget_spooled(_: None) -> None:
            if self._writer.spool is not None:
                self._writer.spool.drop(id_)
            forget_rows(self._folder, id_)

        await self._writer.call(partial(tables.forget, id_=whole(id_), instead=str(FORGOTTEN)), forget_spooled)
        await self._writer.call(tables.purge, alone=True)

    async def claim(self, key: str, id_: str, digest: str = "") -> Claim:
        made = Claim(whole(id_), digest)
        found: Claim = await self._writer.call(partial(tables.claim, key=key_hash(key), made=made))
        return found

    async def open_claims(self) -> Sequence[str]:
        return await asyncio.to_thread(self._reader.open_claims)

    async def version(self) -> int:
        return await asyncio.to_thread(self._poll.version, self._busy)

    async def wait(self, id_: str, *, after: int, seconds: float) -> None:
        await wait_by_looking(self, id_, after, seconds)

    async def close(self) -> None:
        self._prepared = False
        await asyncio.to_thread(self._poll.close)
        await asyncio.to_thread(self._writer.stop)
