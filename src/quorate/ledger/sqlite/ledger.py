"""The ledger in one SQLite file, for as many processes as like to use it, and the spool before it.

Every entry is spooled to a file of its own deliberation the moment it is written, before the commit behind. That needs
no sync: a killed process leaves what it has written, and after a power loss the ledger is a clean prefix without it. A
new owner takes from it what follows the last committed entry by hash.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw

from quorate.errors import LedgerBroken, LedgerError, LedgerUnwritable, NotRecorded
from quorate.ledger import Entry, Row, Summary
from quorate.ledger.book import OpenBook, Watch, now, summarize
from quorate.ledger.chain import absent, first, follows, line, open_row, parse_row, verify_chain
from quorate.ledger.ids import describe_missing, whole
from quorate.ledger.lease import let_go, myself, removed_error
from quorate.ledger.sqlite import tables
from quorate.ledger.sqlite.database import explain_errors, open_reader
from quorate.ledger.sqlite.file_handles import HANDLES
from quorate.ledger.sqlite.tables import Held
from quorate.ledger.sqlite.writer import OwnedBook, Writer
from quorate.model.texts import FORGOTTEN


class Spool:
    """One owner's file, written to at its end. It is open only while there is room for it among the handles."""

    def __init__(self, folder: Path, id_: str, token: int) -> None:
        self._id = id_
        # It may be opened again after the process has moved to another folder.
        self._path = folder.absolute() / f"{id_}.{token}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            HANDLES.open(self._path, partial(self._open, os.O_CREAT | os.O_EXCL))
        except OSError as error:
            raise self._failure(error) from error

    def append(self, row: Row) -> None:
        """Hand a row to the operating system in a single write.

        Raises:
            LedgerUnwritable: it did not take all of it.
            OwnerLost: the file is gone, as when a new owner has cleared it away.
        """
        whole = line(row)
        try:
            written = HANDLES.append(self._path, whole, self._open)
        except FileNotFoundError as error:
            raise removed_error(self._id, str(self._path)) from error
        except OSError as error:
            raise self._failure(error) from error
        if written < len(whole):
            raise _unwritable(self._path, OSError("the disk took only a part of it"))

    def close(self) -> None:
        """Let go of the file, and of its number: the next file that is opened gets that."""
        HANDLES.close(self._path)

    def remove(self) -> None:
        """Throw the file away: all that is in it is committed."""
        with explain_spool_errors(self._path):
            self._path.unlink(missing_ok=True)

    def _open(self, flags: int = 0) -> int:
        """Open the file in its folder, neither of them a link; one that was removed is not made again."""
        root = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            flags |= os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(self._path.name, flags, 0o600, dir_fd=root)
        finally:
            os.close(root)

    def _failure(self, error: OSError) -> LedgerUnwritable:
        ours = error.filename in {None, self._path.name}
        return _unwritable(self._path if ours else self._path.parent, error)


def tail(folder: Path, id_: str, number: int, before: str) -> Iterator[Row]:
    """What earlier owners spooled and did not commit, in order, as far as it is whole and linked to `before`."""
    for path in leftover_spools(folder, id_):
        for row in _rows(path):
            if follows(row, number + 1, before):
                number, before = row.number, row.hash
                yield row


def leftover_spools(folder: Path, id_: str) -> tuple[Path, ...]:
    """The files earlier owners left, the oldest owner's first."""
    with explain_spool_errors(folder):
        if folder.is_symlink():
            raise OSError("it is a link, and links are not followed")
        # Thousands of names, at every beginning.
        names = HANDLES.patiently(partial(os.listdir, folder)) if folder.is_dir() else []
    ours = (name for name in names if name.startswith(f"{id_}.") and name[len(id_) + 1 :].isdecimal())
    return tuple(folder / name for name in sorted(ours, key=lambda name: int(name[len(id_) + 1 :])))


def clear(folder: Path, id_: str) -> None:
    """Remove what earlier owners left; whoever of them still writes there writes into nothing."""
    for path in leftover_spools(folder, id_):
        with explain_spool_errors(path):
            path.unlink(missing_ok=True)


def _rows(path: Path) -> Iterator[Row]:
    with explain_spool_errors(path):
        whole = HANDLES.patiently(partial(_read, path))
    for text in whole.split(b"\n")[:-1]:
        row = parse_row(text)
        if row is None or not _fits(row):
            return
        yield row


def _fits(row: Row) -> bool:
    try:
        return absent(row) == 0
    except LedgerBroken:
        return False


def _read(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read()


@contextmanager
def explain_spool_errors(path: Path) -> Generator[None]:
    """Turn what the system says into what the user can do.

    Raises:
        LedgerUnwritable: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> LedgerUnwritable:
    return LedgerUnwritable(
        f"cannot write {str(path)!r}: {error.strerror or error}; make room or make it writable, "
        "or give another ledger; what was acknowledged before is safe"
    )


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
            durably = partial(tables.renew, hold=Held(id_, taken.token, self._ttl))
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
            tables.append(db, Held(id_, token, self._ttl), spooled, summarize(id_, entries))
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
