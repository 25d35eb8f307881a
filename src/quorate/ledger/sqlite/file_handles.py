"""Files that are appended to: only so many stay open, however many are in use, and a shortage is waited for.

A process may open few files, often 1,024, and the panelists' connections need most of them.
"""

import errno
import os
import resource
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

__all__ = ["HANDLES", "Handles", "none_left"]

MOST: Final = 256
SPARE: Final = 2
"""Files held open for nothing, to be let go of when no other can be opened: to open one takes its folder too."""
PATIENCE: Final = 10.0
PAUSE: Final = 0.01

T = TypeVar("T")
Open = Callable[[], int]


def _is_shortage(error: OSError) -> bool:
    """Whether the process or the machine may open no more files for now."""
    return error.errno in {errno.EMFILE, errno.ENFILE}


def none_left() -> bool:
    """Whether no file can be opened now: SQLite does not say why it could not open one."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return _is_shortage(error)
    return False


class Handles:
    """The files that were written to last, open; the one that was written to longest ago makes room for another."""

    def __init__(self, most: int | None = None) -> None:
        """`most` is a quarter of what the process may open, if it is not given."""
        self._given = most
        self._open: OrderedDict[Path, int] = OrderedDict()
        self._spare: list[int] = []
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._open)

    def open(self, path: Path, open_: Open) -> None:
        """Open a file before it is first written to.

        Raises:
            OSError: it cannot be opened.
        """
        with self._lock:
            self._opened(path, open_)

    def append(self, path: Path, content: bytes, open_: Open) -> int:
        """Write to a file, opened again if it was closed meanwhile; gives how much of it was written.

        Raises:
            OSError: it cannot be opened or written.
        """
        with self._lock:
            file = self._open.get(path)
            if file is None:
                file = self._opened(path, open_)
            else:
                self._open.move_to_end(path)
            return os.write(file, content)

    def patiently(self, work: Callable[[], T]) -> T:
        """Do what needs a file for a moment; where there is none, once there is.

        Raises:
            OSError: it cannot be done.
        """
        with self._lock:
            return self._patiently(work)

    def close(self, path: Path) -> None:
        """Let go of a file, if it is open."""
        with self._lock:
            file = self._open.pop(path, None)
            if file is not None:
                os.close(file)

    def forked(self) -> None:
        """Begin anew in a forked child: whoever held the lock is not here, and the files are the parent's."""
        self._lock = Lock()
        for file in (*self._open.values(), *self._spare):
            with suppress(OSError):
                os.close(file)
        self._open.clear()
        self._spare.clear()

    def _opened(self, path: Path, open_: Open) -> int:
        while len(self._open) >= self._most():
            self._close_oldest()
        file = self._open[path] = self._patiently(open_)
        self._keep_spare()
        return file

    def _most(self) -> int:
        if self._given is not None:
            return self._given
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft // 4))

    def _patiently(self, open_: Callable[[], T]) -> T:
        """Open a file; where there is no room, make it, and wait if none can be made."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return open_()
            except OSError as error:
                if not _is_shortage(error) or time.monotonic() > until:
                    raise
            if not self._make_room():
                time.sleep(PAUSE)

    def _make_room(self) -> bool:
        room = bool(self._open or self._spare)
        for _ in range(min(SPARE, len(self._open))):
            self._close_oldest()
        while self._spare:
            os.close(self._spare.pop())
        return room

    def _close_oldest(self) -> None:
        os.close(self._open.popitem(last=False)[1])

    def _keep_spare(self) -> None:
        with suppress(OSError):
            while len(self._spare) < SPARE:
                self._spare.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))


HANDLES: Final = Handles()
"""Shared by every ledger of the process, as the limit is."""

os.register_at_fork(after_in_child=HANDLES.forked)
