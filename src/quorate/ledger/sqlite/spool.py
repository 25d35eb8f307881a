"""The spool: every entry in a file of its own deliberation the moment it is written, before the commit behind.

It needs no sync: a killed process leaves what it has written, and after a power loss the ledger is a
clean prefix without it. A new owner takes from it what follows the last committed entry by hash.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from quorate.errors import LedgerBroken, LedgerUnwritable
from quorate.ledger import Row
from quorate.ledger.chain import absent, follows, line, parse_row
from quorate.ledger.lease import removed_error
from quorate.ledger.sqlite.file_handles import HANDLES


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
