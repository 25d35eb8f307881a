"""The SQLite file: opening it to write or to read, its version, and what its errors mean."""

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, TypeVar
from weakref import WeakValueDictionary

import apsw

from quorate.errors import LedgerBroken, LedgerError, LedgerUnwritable, OtherVersion
from quorate.ledger.file_handles import none_left

T = TypeVar("T")

_OURS: Final = 0x71756F72
_DELIBERATIONS: Final = """
CREATE TABLE deliberations (
    id TEXT PRIMARY KEY,
    token INTEGER NOT NULL,
    owner TEXT,
    ttl REAL NOT NULL,
    until REAL NOT NULL,
    ticks REAL NOT NULL,
    entries INTEGER NOT NULL,
    head TEXT NOT NULL,
    begun TEXT NOT NULL,
    protocol BLOB NOT NULL,
    question BLOB NOT NULL,
    state TEXT NOT NULL,
    outcome BLOB,
    awaits INTEGER NOT NULL,
    reviewed BLOB,
    sequence INTEGER NOT NULL,
    imported INTEGER NOT NULL
) STRICT, WITHOUT ROWID"""
"""`sequence` is the order in which they came here: an id and a time can be chosen by whoever made the record."""
_ENTRIES: Final = """
CREATE TABLE entries (
    deliberation TEXT NOT NULL,
    number INTEGER NOT NULL,
    time TEXT NOT NULL,
    before TEXT NOT NULL,
    hash TEXT NOT NULL,
    public BLOB NOT NULL,
    salt TEXT NOT NULL,
    words BLOB NOT NULL,
    PRIMARY KEY (deliberation, number)
) STRICT"""
_CLAIMS: Final = """
CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    deliberation TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID"""
"""Which deliberation a caller's key stands for, so that asking again after a crash doesn't start a second one."""
_TABLES: Final = (
    _DELIBERATIONS,
    "CREATE INDEX deliberations_sequence ON deliberations (sequence)",
    _ENTRIES,
    _CLAIMS,
)
SCHEMA_VERSION: Final = 1
"""The version of these tables. A ledger of any other is refused."""


def open_writer(path: Path, busy: float) -> apsw.Connection:
    """Open the file for writing, making it and its folder if need be.

    Raises:
        LedgerUnwritable: it cannot be made or written.
        OtherVersion: another version of quorate wrote it.
        LedgerBroken: it is no ledger.
    """
    with explain_errors(path):
        return _patiently(lambda: _writer(path, busy), busy)


def _writer(path: Path, busy: float) -> apsw.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = apsw.Connection(str(path.absolute()), flags=apsw.SQLITE_OPEN_READWRITE)
    db.set_busy_handler(_Patience(busy))
    schema_version(db, path)
    _keep_a_log(db, busy)
    run(db, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
    db.wal_autocheckpoint(0)
    create_tables(db)
    return db


class _Patience:
    """Waits for others for so many seconds. SQLite's own way lets those wait longest who have waited long already."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        from random import uniform  # noqa: PLC0415 - hardly anybody has to wait

        if not tries:
            self._until = time.monotonic() + self._seconds
        time.sleep(uniform(0.001, 0.01))  # noqa: S311 - nothing secret
        return time.monotonic() < self._until


class Turns:
    """Those in this process who write to the same file, one at a time: SQLite does not let them queue."""

    _known: Final[WeakValueDictionary[tuple[int, Path], "Turns"]] = WeakValueDictionary()

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0.0

    @classmethod
    def on(cls, path: Path) -> "Turns":
        """Those on a file; not shared with a forked child, where whoever has the turn now does not exist."""
        return cls._known.setdefault((os.getpid(), path.absolute()), cls())

    @contextmanager
    def turn(self, busy: float) -> Generator[None]:
        """Wait as long as others get on, and for `busy` seconds if nobody does.

        Raises:
            apsw.BusyError: nobody did.
        """
        began = time.monotonic()
        while not self._lock.acquire(timeout=busy):
            if time.monotonic() > max(began, self._last) + busy:
                raise apsw.BusyError("database is locked")
        try:
            yield
            self._last = time.monotonic()
        finally:
            self._lock.release()


def _patiently(open_: Callable[[], T], busy: float) -> T:
    """Open something; where no file can be opened now, wait until others are closed."""
    until = time.monotonic() + busy
    while True:
        try:
            return open_()
        except (apsw.CantOpenError, OSError):
            if time.monotonic() > until or not none_left():
                raise
        time.sleep(0.01)


def _keep_a_log(db: apsw.Connection, busy: float) -> None:
    """Switch to write-ahead logging; SQLite does not wait by itself when two processes do this at once."""
    until = time.monotonic() + busy
    while True:
        try:
            run(db, "PRAGMA journal_mode = WAL")
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def schema_version(db: apsw.Connection, path: Path) -> int:
    """The version of a ledger, 0 for an empty file.

    Raises:
        OtherVersion: another version of quorate wrote it.
        LedgerBroken: it belongs to somebody else.
    """
    # One view of the file for all three questions: another process may be making the ledger right now.
    with savepoint(db):
        version = _number(db, "user_version")
        ours = _number(db, "application_id") == _OURS
        filled = bool(run(db, "SELECT 1 FROM sqlite_master"))
    if not ours and (version or filled):
        raise LedgerBroken(f"{str(path)!r} is an SQLite file, but not a quorate ledger; give another path")
    if version not in (0, SCHEMA_VERSION):
        raise OtherVersion(
            f"another version of quorate wrote the ledger {str(path)!r}: it has schema {version}, and this quorate "
            f"uses only schema {SCHEMA_VERSION}; give another ledger"
        )
    return version


def create_tables(db: apsw.Connection) -> None:
    """Fill an empty file with the tables: all of them or none."""
    if _number(db, "user_version"):
        return
    with transaction(db):
        # Another process may have made them while this one waited for its turn to write.
        if _number(db, "user_version"):
            return
        for table in _TABLES:
            run(db, table)
        run(db, f"PRAGMA application_id = {_OURS}")
        run(db, f"PRAGMA user_version = {SCHEMA_VERSION}")


def open_reader(path: Path, busy: float) -> apsw.Connection | None:
    """Open the file for reading, none if there is none; a folder nobody may write to is no hindrance.

    Raises:
        OtherVersion: another version of quorate wrote it.
        LedgerBroken: it is no ledger.
    """
    with explain_errors(path):
        if not path.exists():
            return None
        return _patiently(lambda: _reader(path, busy), busy)


class Poll:
    """A connection that stays open to ask whether anything was committed; SQLite says so only to one that does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._db: apsw.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._opened = 0

    def version(self, busy: float) -> int:
        """Another number once something was committed, or another file lies there; 0 where none does.

        Raises:
            LedgerError: the file cannot be read.
        """
        with self._lock, explain_errors(self._path):
            file = _file_at(self._path)
            if file != self._file:
                self._close()
                self._db, self._file, self._opened = open_reader(self._path, busy), file, self._opened + 1
            if self._db is None:
                return 0
            return self._opened << 32 | int(run(self._db, "PRAGMA data_version")[0][0])

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = self._file = None


def _file_at(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_dev, path.stat().st_ino) if path.exists() else None


def _reader(path: Path, busy: float) -> apsw.Connection:
    if _size(Path(f"{path}-journal")):
        # The power went while the ledger was being made, and only a writer can undo that half.
        open_writer(path, busy).close()
    db = _readable(path, busy)
    if schema_version(db, path) == 0:
        db.close()
        open_writer(path, busy).close()
        db = _readable(path, busy)
    return db


def _readable(path: Path, busy: float) -> apsw.Connection:
    db = apsw.Connection(str(path.absolute()), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_handler(_Patience(busy))
    try:
        _number(db, "user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        if _size(Path(f"{path}-wal")):
            raise
        # Beside a ledger at rest nothing lies that SQLite would have to write to in order to read.
        still = path.absolute().as_uri() + "?immutable=1"
        db = apsw.Connection(still, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    return db


def _number(db: apsw.Connection, pragma: Literal["application_id", "user_version"]) -> int:
    return int(run(db, f"PRAGMA {pragma}")[0][0])


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def run(db: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run a statement with its values, and give the rows it brings."""
    return db.execute(sql, values).fetchall()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # apsw names a type only 3.12 has


def run_many(db: apsw.Connection, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement that brings nothing, once for each row of values."""
    db.executemany(sql, rows)  # pyright: ignore[reportUnknownMemberType]  # apsw names a type only 3.12 has


@contextmanager
def transaction(db: apsw.Connection, *, durable: bool = True) -> Generator[None]:
    """Everything or nothing, with the right to write from the start; others see it at once, durable or not."""
    if not durable:
        run(db, "PRAGMA synchronous = NORMAL")
    try:
        run(db, "BEGIN IMMEDIATE")
        yield
        run(db, "COMMIT")
    except BaseException:
        if db.in_transaction:
            run(db, "ROLLBACK")
        raise
    finally:
        if not durable:
            run(db, "PRAGMA synchronous = FULL")


@contextmanager
def savepoint(db: apsw.Connection) -> Generator[None]:
    """Everything or nothing inside a transaction; alone, one view of the file for all that is read."""
    run(db, "SAVEPOINT one")
    try:
        yield
    except BaseException:
        run(db, "ROLLBACK TO one; RELEASE one")
        raise
    run(db, "RELEASE one")


@contextmanager
def explain_errors(path: Path) -> Generator[None]:
    """Turn what SQLite or the system says into what the user can do.

    Raises:
        LedgerBroken: the file is damaged or no ledger.
        LedgerUnwritable: anything else that went wrong.
    """
    try:
        yield
    except LedgerError:
        raise
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise LedgerBroken(f"{str(path)!r} is damaged or not a ledger: {error}; give another path") from error
    except (apsw.Error, OSError, ValueError) as error:
        raise LedgerUnwritable(
            f"cannot use the ledger {str(path)!r}: {error}; make room, make it writable or give another path; "
            "what was acknowledged before is safe"
        ) from error
