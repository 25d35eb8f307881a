"""Reading the ledger in an SQLite file, with no thread and no event loop: one may be put around it, or not.

To load and run a loop takes a command that only looks something up a quarter of its time.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import apsw

from quorate.errors import LedgerError, NotRecorded
from quorate.ledger import Entry, Row, Summary
from quorate.ledger.chain import open_row
from quorate.ledger.ids import describe_missing
from quorate.ledger.lease import Owner
from quorate.ledger.spool.spool_files import AbandonedSpool, SpooledRow, abandoned_spools
from quorate.ledger.sqlite import tables
from quorate.ledger.sqlite.database import explain_errors, open_reader, open_writer, transaction

__all__ = ["BlockingReader", "DirectReader", "recover", "spool_folder"]

T = TypeVar("T")

_BRIEFLY: Final = 1.0
"""Seconds that whoever only reads waits for those who write."""


def spool_folder(path: Path) -> Path:
    """Where what is not committed yet lies; it may be used again after the process has moved to another folder."""
    return Path(f"{path.absolute()}.spool")


class BlockingReader:
    """Reads what is committed; `busy` is how many seconds to wait for writers, `owed` what this process still owes."""

    def __init__(self, path: Path, busy: float, owed: Callable[[], Sequence[SpooledRow]] = tuple) -> None:
        self._path = path
        self._folder = spool_folder(path)
        self._busy = busy
        self._owed = owed

    def read(self, id_: str, after: int = 0) -> Sequence[Entry]:
        return [open_row(row) for row in self.rows(id_, after)]

    def owner(self, id_: str) -> Owner | None:
        def owner(db: apsw.Connection) -> Owner | None:
            return tables.owner_of(db, tables.find(db, id_))

        return self._look(owner, NotRecorded(describe_missing(id_)))

    def find(self, id_: str) -> str:
        return self._look(partial(tables.find, id_=id_), NotRecorded(describe_missing(id_)))

    def summaries(self) -> Sequence[Summary]:
        return self._look(tables.summaries, ())

    def rows(self, id_: str, after: int = 0) -> Sequence[Row]:
        def rows(db: apsw.Connection) -> Sequence[Row]:
            return tables.rows_of(db, tables.find(db, id_), after)

        return self._look(rows, NotRecorded(describe_missing(id_)))

    def open_claims(self) -> Sequence[str]:
        return self._look(tables.open_claims, ())

    def _look(self, work: Callable[[apsw.Connection], T], otherwise: T | NotRecorded) -> T:
        """Read what is committed, on a connection that never writes."""
        self._make_known()
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

    def _make_known(self) -> None:
        """What a process had begun and not committed when it was killed is in no table yet, and is to be found."""
        # Whoever may only read reads what is committed.
        with suppress(LedgerError), explain_errors(self._path), abandoned_spools(self._folder) as left:
            owed = self._owed()
            if (owed or any(spool.rows for spool in left)) and self._path.exists():
                db = open_writer(self._path, min(self._busy, _BRIEFLY))
                try:
                    with transaction(db):
                        _make_known(db, owed)
                        recover(db, left)
                finally:
                    db.close()


class DirectReader:
    """The same as ledgers are read, by coroutines; none of these ever waits, so they need no event loop."""

    def __init__(self, path: Path, *, busy: float = 10.0) -> None:
        self._reader = BlockingReader(path, busy)

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        return self._reader.read(id_, after)

    async def owner(self, id_: str) -> Owner | None:
        return self._reader.owner(id_)

    async def find(self, id_: str) -> str:
        return self._reader.find(id_)

    async def list(self) -> AsyncIterator[Summary]:
        for summary in self._reader.summaries():
            yield summary

    async def rows(self, id_: str) -> Sequence[Row]:
        return self._reader.rows(id_)


def recover(db: apsw.Connection, left: Sequence[AbandonedSpool]) -> None:
    """Make what was never committed known to the list, and throw spools away in which nothing is left to commit."""
    for spool in left:
        if not _make_known(db, spool.rows):
            spool.remove()


def _make_known(db: apsw.Connection, rows: Sequence[SpooledRow]) -> bool:
    """Make known whatever of it may still be committed; whether there is any."""
    pending = [row for row in rows if tables.is_pending(db, row)]
    for row in pending:
        tables.make_known(db, row)
    return bool(pending)
