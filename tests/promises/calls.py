"""Every call by which a process touches disk and network, counted; the n-th may be its last, or may fail.

Installed in a forked child only. It stands between quorate and the system: SQLite's through a VFS, Python's
through `os.write`, `os.posix_fallocate`, memory that is a file, the methods of a socket and audit events. Nothing of
quorate is replaced.
"""

import errno
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import apsw

Strike = Callable[[int, str], None]
"""Called before each call with its number and name; what it raises, the call fails with."""

AUDITED: Final = frozenset({"open", "os.mkdir", "os.remove", "os.truncate", "socket.connect"})


class Calls:
    """Counts; `without` is a file descriptor of the harness itself, which does not count."""

    def __init__(self, strike: Strike, without: int) -> None:
        self.made = 0
        self._strike = strike
        self._without = without
        self._vfs: apsw.VFS | None = None

    def count(self, name: str) -> None:
        self.made += 1
        self._strike(self.made, name)

    def install(self) -> "Calls":
        """From here on every call counts."""
        write = os.write

        def counted(file: int, data: bytes) -> int:
            if file != self._without:
                self.count("os.write")
            return write(file, data)

        os.write = counted  # type: ignore[assignment]
        self._watch_the_spool()
        for name in ("recv", "send", "sendmsg"):
            setattr(socket.socket, name, self._counting(f"socket.{name}", getattr(socket.socket, name)))
        sys.addaudithook(self._audit)
        self._vfs = _Vfs(self)
        return self

    def _watch_the_spool(self) -> None:
        """A copy into memory is torn in the middle, where it can be."""
        count, mapped = self.count, mmap.mmap

        class Watched(mapped):  # type: ignore[misc, valid-type]
            def __setitem__(self, where: slice, content: bytes) -> None:
                middle = where.start + len(content) // 2
                super().__setitem__(slice(where.start, middle), content[: len(content) // 2])
                count("spool copy")
                super().__setitem__(where, content)

        mmap.mmap = Watched  # type: ignore[misc]
        os.posix_fallocate = self._counting("spool grow", os.posix_fallocate)

    def _counting(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any) -> Any:  # noqa: ANN401  it passes on whatever it is given
            self.count(name)
            return method(*given)

        return counted

    def _audit(self, event: str, _about: tuple[Any, ...]) -> None:
        if event in AUDITED:
            self.count(event)


class _Vfs(apsw.VFS):
    """SQLite's own way to the disk, with somebody at the gate."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        super().__init__("counted", base="unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        self._calls.count("sqlite open")
        return _File(self._calls, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._calls.count("sqlite delete")
        super().xDelete(filename, syncdir)


class LockingFile(apsw.VFSFile):
    """A file as SQLite's own way has it, and as it is used to: apsw makes an error of a lock that is refused."""

    def xLock(self, level: int) -> None:  # noqa: N802  SQLite's own name
        """Lock; a reader that closes asks for more than it may have, and SQLite is used to the refusal."""
        try:
            super().xLock(level)
        except apsw.IOError as refused:
            raise apsw.BusyError from refused


class _File(LockingFile):
    def __init__(self, calls: Calls, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._calls = calls
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._calls.count("sqlite write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._calls.count("sqlite sync")
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._calls.count("sqlite truncate")
        super().xTruncate(newsize)


def nothing(_number: int, _name: str) -> None:
    """Only count."""


def dying(at: int, linger: float = 0.0) -> Strike:
    """Die at a call, before it is made; `linger` lets other threads go on meanwhile, as a slow disk would."""

    def strike(number: int, _name: str) -> None:
        if number == at:
            if linger:
                time.sleep(linger)
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)

    return strike


def failing(kind: str, at: int, *, once: bool = False) -> Strike:
    """Fail at the n-th call of a kind, and at every later one unless `once`, as a disk does that is full or dying."""
    seen = 0

    def strike(_number: int, name: str) -> None:
        nonlocal seen
        seen += name == kind
        if name != kind or seen < at or (once and seen > at):
            return
        if kind == "sqlite sync":
            raise apsw.IOError("fdatasync: EIO")
        if kind == "sqlite write":
            raise apsw.FullError("pwrite: ENOSPC")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return strike
