"""The spool of this process: where its rows are put before they are committed."""

import fcntl
import mmap
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from quorate.frozen import make_tuple
from quorate.ledger import Row
from quorate.ledger.file_handles import patiently
from quorate.ledger.spool.spool_files import (
    ALIGNED,
    SUFFIX,
    SpooledRow,
    explain_spool_errors,
    open_file,
    parse_records,
    spool_error,
    write_record,
)

__all__ = ["Place", "Spool", "open_spool"]

_FIRST: Final = 1 << 16
"""Bytes of a new file; a multiple of every page size there is."""


@dataclass(slots=True, eq=False)
class _Part:
    """A stretch of the file that is filled from its start, and again once nothing in it is wanted any more."""

    start: int
    end: int
    at: int
    rows: int = 0


class Place(NamedTuple):
    """Where a row of a deliberation was put."""

    id: str
    file: "_MappedFile"
    part: _Part
    start: int
    end: int


class _MappedFile:
    """A file in memory, locked and as large as it says; it doubles whenever it is full of what is still wanted."""

    def __init__(self, folder: Path) -> None:
        self.path, self._file = _made(folder)
        try:
            _allocate(self._file, 0, _FIRST)
            self._map = mmap.mmap(self._file, _FIRST)
        except OSError:
            os.close(self._file)
            self.path.unlink(missing_ok=True)
            raise
        self._size: int = _FIRST
        self._current = _Part(0, _FIRST, 0)
        self._parts = [self._current]

    def add(self, id_: str, record: bytes) -> Place | None:
        """Copy a record to where there is room; none if nothing is in the file and it is there no more.

        Raises:
            OSError: there is no room, and none can be made.
        """
        part, size = self._current, len(record)
        if not part.rows and not self.intact:
            return None
        if not part.rows or part.at + size > part.end:
            part = self._room(size)
        start = part.at
        end = start + size
        self._map[start:end] = record
        part.at = end + -end % ALIGNED
        part.rows += 1
        return make_tuple(Place, (id_, self, part, start, end))

    def _room(self, size: int) -> _Part:
        part = self._current
        if not part.rows:
            part.at = part.start
        if part.at + size <= part.end:
            return part
        for other in self._parts:
            if not other.rows and size <= other.end - other.start:
                other.at, self._current = other.start, other
                return other
        return self._grow(size)

    def _grow(self, size: int) -> _Part:
        before = self._size
        after = before + max(before, size + -size % _FIRST)
        _allocate(self._file, before, after - before)
        self._map = _resized(self._map, self._file, after)
        self._size = after
        self._current = _Part(before, after, before)
        self._parts.append(self._current)
        return self._current

    def wipe(self, places: Iterable[Place]) -> None:
        """Overwrite records, neighbours at once."""
        start = end = 0
        for place in places:
            place.part.rows -= 1
            if place.start != end + -end % ALIGNED:
                self._map[start:end] = bytes(end - start)
                start = place.start
            end = place.end
        self._map[start:end] = bytes(end - start)

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self._parts)

    @property
    def intact(self) -> bool:
        """Whether the file is still there in its whole length; to touch what was cut off would kill the process."""
        found = os.fstat(self._file)
        return found.st_nlink > 0 and found.st_size >= self._size

    def close(self) -> None:
        """Let go, and leave nothing behind in which nothing is wanted."""
        if not self.rows:
            with suppress(OSError):
                self.path.unlink()
        self.let_go()

    def let_go(self) -> None:
        """Let go of it as it is."""
        self._map.close()
        os.close(self._file)


def _allocate(file: int, start: int, size: int) -> None:
    """Make room on the disk: on a full one, whoever writes to memory that has none is killed.

    Raises:
        OSError: there is none.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, start, size)
    else:
        os.pwrite(file, bytes(size), start)


def _resized(mapped: mmap.mmap, file: int, size: int) -> mmap.mmap:
    try:
        mapped.resize(size)
    except SystemError:  # not every system can
        mapped.close()
        return mmap.mmap(file, size)
    return mapped


def _made(folder: Path) -> tuple[Path, int]:
    """A new file that is ours: whoever tidies up may have locked or removed it before we had locked it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    while True:
        path = folder / f"{os.getpid()}-{secrets.token_hex(8)}{SUFFIX}"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = open_file(path, flags)
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file).st_nlink:
                return path, file
        os.close(file)


class Spool:
    """The spool of this process for one ledger; may be used by any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.users = 0
        self._lock = Lock()
        self._kept: dict[str, list[Place]] = {}
        self._rows: Counter[str] = Counter()
        with explain_spool_errors(folder):
            self._file: _MappedFile | None = patiently(partial(_MappedFile, folder))

    def close(self) -> None:
        """Let go, once for each time it was opened; what could not be committed stays for the next owner."""
        with _SHARING:
            self.users -= 1
            if self.users:
                return
            _SPOOLS.pop(self.folder, None)
        with self._lock:
            file, self._file = self._file, None
            if file is not None:
                file.close()

    def add(self, id_: str, token: int, row: Row) -> Place:
        """Put a row where the next owner will find it.

        Raises:
            LedgerUnwritable: there is no room for it.
        """
        record = write_record(id_, token, row)
        with self._lock:
            file = self._file
            try:
                while file is None or (place := file.add(id_, record)) is None:
                    file = self._renewed(file)
            except OSError as error:
                raise spool_error(file.path if file else self.folder, error) from error
            self._rows[id_] += 1
            return place

    def path_without(self, id_: str) -> Path | None:
        """Our own file, if nobody need look into it for a deliberation."""
        with self._lock:
            return self._file.path if self._file is not None and not self._rows.get(id_) else None

    def _renewed(self, before: _MappedFile | None) -> _MappedFile:
        """A new file in place of one that somebody has removed or cut."""
        if before is not None:
            before.let_go()
        self._file = None
        self._file = _MappedFile(self.folder)
        return self._file

    def wipe(self, places: Sequence[Place]) -> None:
        """Forget rows that are committed, or never will be."""
        with self._lock:
            for place in places:
                self._rows[place.id] -= 1
                if not self._rows[place.id]:
                    del self._rows[place.id]  # there are many ids
            file = self._file
            if file is not None and file.intact:
                file.wipe(place for place in places if place.file is file)
            elif file is not None:
                self._file = None
                file.let_go()

    def keep(self, places: Sequence[Place]) -> None:
        """Keep rows that could not be committed for the next owner of their deliberation."""
        with self._lock:
            for place in places:
                self._kept.setdefault(place.id, []).append(place)

    def owed(self) -> list[SpooledRow]:
        """Every row that is kept so."""
        with self._lock:
            path, ids = self._file.path if self._file else None, {*self._kept}
        if path is None or not ids:
            return []
        with explain_spool_errors(path):
            return [row for row in parse_records(path.read_bytes()) if row.id in ids]

    def drop(self, id_: str) -> None:
        """Forget what was kept: the next owner has committed it, or it is to be forgotten."""
        with self._lock:
            kept = self._kept.pop(id_, [])
        if kept:
            self.wipe(kept)

    def forked(self) -> None:
        """Begin anew in a forked child: what it wrote to this file would stand among its parent's rows."""
        self._lock = Lock()
        self._kept.clear()
        self._rows.clear()
        file, self._file = self._file, None
        if file is not None:
            file.let_go()


_SPOOLS: Final[dict[Path, Spool]] = {}
_SHARING: Final = Lock()


def open_spool(folder: Path) -> Spool:
    """The spool of this process in a folder, to be closed as often as it was opened.

    Raises:
        LedgerUnwritable: there is no room for it, or no right to make it.
    """
    with _SHARING:
        spool = _SPOOLS.get(folder.absolute())
        if spool is None:
            spool = _SPOOLS[folder.absolute()] = Spool(folder.absolute())
        spool.users += 1
        return spool


def _forked() -> None:
    _SHARING.release()
    for spool in _SPOOLS.values():
        spool.forked()


os.register_at_fork(before=_SHARING.acquire, after_in_parent=_SHARING.release, after_in_child=_forked)
