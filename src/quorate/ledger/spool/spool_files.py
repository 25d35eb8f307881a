"""How rows lie in the files of a spool, and what processes that are gone have left in theirs.

A record lies at a multiple of 16 bytes: a mark, the length and the CRC-32 of what follows, and then the deliberation's
id, its owner's token and the row as a line. No row holds a mark: JSON has no control characters. A row that was torn
fails its checksum, its hash or those of its words.
"""

import fcntl
import os
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple

from quorate.errors import LedgerBroken, LedgerUnwritable
from quorate.ledger import Row
from quorate.ledger.chain import absent, follows, line, parse_row
from quorate.ledger.file_handles import patiently
from quorate.model.once import lazy_pattern

ALIGNED: Final = 16
SUFFIX: Final = ".spool"
_MARK: Final = b"\x1espool1\x1e"
_HEAD: Final = Struct("<8sII")
_OWNED = lazy_pattern(rb"([0-9a-z]{26}) ([0-9]{1,18}) ")


class SpooledRow(NamedTuple):
    """A row that was found in a spool, and the token it was written under."""

    id: str
    token: int
    row: Row


def write_record(id_: str, token: int, row: Row) -> bytes:
    """A row as it lies in a spool."""
    content = b"%b %d %b" % (id_.encode(), token, line(row))
    return _HEAD.pack(_MARK, len(content), zlib.crc32(content)) + content


def parse_records(content: bytes) -> Iterator[SpooledRow]:
    """Every whole row of a spool, in the order in which they lie there."""
    for start, end in _records(content):
        owned = _OWNED.match(content, start + _HEAD.size)
        row = parse_row(content[owned.end() : end].removesuffix(b"\n")) if owned else None
        if owned and row is not None and _fits(row):
            yield SpooledRow(owned[1].decode(), int(owned[2]), row)


def drop_deliberation(content: bytes, id_: str) -> bytes:
    """The same spool with nothing but the whole records of other deliberations, each where it was."""
    kept = bytearray(len(content))
    for start, end in _records(content):
        if not content.startswith(id_.encode(), start + _HEAD.size):
            kept[start:end] = content[start:end]
    return bytes(kept)


def _records(content: bytes) -> Iterator[tuple[int, int]]:
    """Where the records begin and end that are as they were written."""
    at = content.find(_MARK)
    while at >= 0:
        start = at + _HEAD.size
        if start <= len(content):
            _, size, checksum = _HEAD.unpack_from(content, at)
            whole = content[start : start + size]
            if len(whole) == size and zlib.crc32(whole) == checksum:
                yield at, start + size
        at = content.find(_MARK, at + len(_MARK))


def _fits(row: Row) -> bool:
    try:
        return absent(row) == 0
    except LedgerBroken:
        return False


class AbandonedSpool:
    """The spool of a process that is gone, locked so that nobody else tidies it up meanwhile."""

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._content = _read(file)
        self.rows = tuple(parse_records(self._content))

    def remove(self) -> None:
        """Throw it away.

        Raises:
            LedgerUnwritable: it cannot be.
        """
        with explain_spool_errors(self._path):
            self._path.unlink(missing_ok=True)

    def forget(self, id_: str) -> None:
        """Overwrite every row of a deliberation, torn ones too.

        Raises:
            LedgerUnwritable: it cannot be.
        """
        with explain_spool_errors(self._path):
            file = open_file(self._path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.pwrite(file, drop_deliberation(self._content, id_), 0)
            finally:
                os.close(file)


@contextmanager
def abandoned_spools(folder: Path) -> Generator[tuple[AbandonedSpool, ...]]:
    """The spools of processes that are gone.

    Raises:
        LedgerUnwritable: one cannot be read.
    """
    files: list[int] = []
    found: list[AbandonedSpool] = []
    try:
        for path in _files(folder):
            with explain_spool_errors(path), suppress(BlockingIOError, FileNotFoundError):
                files.append(patiently(partial(open_file, path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)))
                fcntl.flock(files[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.append(AbandonedSpool(path, files[-1]))
        yield tuple(found)
    finally:
        for file in files:
            os.close(file)


def tail(spooled: Iterable[SpooledRow], since: int, number: int, before: str) -> Iterator[Row]:
    """What earlier owners did not commit, in order, as far as it is linked to `before`.

    What was written under a token before `since` was written by somebody who had been shut out. Where two owners
    wrote the same entry, the later one's counts.
    """
    valid = [one for one in spooled if one.token >= since]
    for _, _, row in sorted(valid, key=lambda one: (one.row.number, -one.token)):
        if follows(row, number + 1, before):
            number, before = row.number, row.hash
            yield row


def leftovers(folder: Path, id_: str, except_: Path | None = None) -> list[SpooledRow]:
    """Look for a deliberation in every spool, except in a file that is known to hold nothing of it.

    Raises:
        LedgerUnwritable: one cannot be read.
    """
    rows: list[SpooledRow] = []
    for path in _files(folder):
        if path == except_:
            continue
        with explain_spool_errors(path), suppress(FileNotFoundError):
            content = patiently(partial(_content, path))
            if id_.encode() in content:
                rows += (spooled for spooled in parse_records(content) if spooled.id == id_)
    return rows


def forget_rows(folder: Path, id_: str) -> None:
    """Overwrite whatever lies of a deliberation in the spools of others.

    Raises:
        LedgerUnwritable: a process that is still at work has some; it alone can.
    """
    with abandoned_spools(folder) as left:
        for spool in left:
            spool.forget(id_)
    if leftovers(folder, id_):
        raise LedgerUnwritable(
            f"a process that is still running has words of {id_} in {str(folder)!r} which it could not commit; "
            "stop it, then forget it again"
        )


def _files(folder: Path) -> list[Path]:
    with explain_spool_errors(folder):
        if folder.is_symlink():
            raise OSError("it is a link, and links are not followed")
        names = patiently(partial(os.listdir, folder)) if folder.is_dir() else []
    return [folder / name for name in names if name.endswith(SUFFIX)]


def _content(path: Path) -> bytes:
    file = open_file(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return _read(file)
    finally:
        os.close(file)


def _read(file: int) -> bytes:
    with os.fdopen(file, "rb", closefd=False) as content:
        return content.read()


def open_file(path: Path, flags: int) -> int:
    """Open a file in its folder, neither of them a link."""
    root = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.open(path.name, flags, 0o600, dir_fd=root)
    finally:
        os.close(root)


@contextmanager
def explain_spool_errors(path: Path) -> Generator[None]:
    """Turn what the system says into what the user can do.

    Raises:
        LedgerUnwritable: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise spool_error(path, error) from error


def spool_error(path: Path, error: OSError) -> LedgerUnwritable:
    """Say what went wrong with a file and what the user can do."""
    return LedgerUnwritable(
        f"cannot write {str(path)!r}: {error.strerror or error}; make room or make it writable, "
        "or give another ledger; what was acknowledged before is safe"
    )
