"""A temporary folder for each tool, whose name says which process it belongs to: what the dead left is swept away."""

import atexit
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from quorate.panelists.cli import watchdog
from quorate.panelists.cli.watchdog import kill_strays, started_at

__all__ = ["Workspace", "sweep"]

LEAVING: Final = 0.5
"""Seconds the watchdog has to leave with us when nothing is running."""
LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
"""Without these a Python may not start; nothing else of the environment is passed on to the watchdog."""

STARTS: Final = 5
"""How often a watchdog is started; where it cannot run, it is not tried for ever."""

_NAME: Final = re.compile(r"quorate-(?P<pid>\d+)-(?P<began>\d+)-(?P<space>\d+)-[^/]+")


class Workspace:
    """`with Workspace() as workspace`: a folder only we can read, removed at the end; `mark` is its name."""

    def __init__(self) -> None:
        _swept()
        self.folder = Path(tempfile.mkdtemp(prefix=f"quorate-{_owner()}-"))
        self.mark = self.folder.name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def runs(self, pid: int = 0) -> None:
        """Have everything in here ended should we die from now on; the process is told once it has a number."""
        _WATCHDOG.tell(self.folder, f"{pid} {started_at(pid) if pid else 0}")

    def over(self) -> None:
        """Nothing runs in here any more."""
        _WATCHDOG.tell(self.folder, "")


class _Watchdog:
    """The watchdog as we hold it: begun with the first tool, and begun again should somebody end it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[bytes, bytes] = {}
        self._pipe = -1
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None

    def tell(self, folder: Path, what: str) -> None:
        key = os.fsencode(folder).hex().encode()
        line = key + f" {what}\n".encode()
        with self._lock:
            if what:
                self._running[key] = line
            elif self._running.pop(key, None) is None:
                return
            if not self._wrote(line) and self._running and self._begun():
                self._wrote(b"".join(self._running.values()))

    def _wrote(self, lines: bytes) -> bool:
        """False if nobody reads; to one that is only slow nothing is told, for to close its pipe would be to end."""
        try:
            return self._pipe >= 0 and os.write(self._pipe, lines) > 0
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _begun(self) -> bool:
        self._close()
        self._starts += 1
        if self._starts > STARTS or not _is_python(sys.executable):
            return False
        theirs, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        program = (sys.executable, "-I", "-S", watchdog.__file__)
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own file
                program,
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={name: os.environ[name] for name in LOADER if name in os.environ},
                start_new_session=True,
            )
        except OSError:  # then what is left running is ended when quorate next starts
            self._close()
            return False
        finally:
            os.close(theirs)
        return True

    def _close(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0 if self._running else LEAVING)
            self._process = None

    def leave(self) -> None:
        """The end of the pipe is the end of us."""
        with self._lock:
            self._close()

    def forked(self) -> None:
        """A copy of us is another process: it holds no end of our pipe, and has a watchdog of its own."""
        if self._pipe >= 0:
            os.close(self._pipe)
        self._lock, self._running, self._pipe, self._process, self._starts = Lock(), {}, -1, None, 0
        _owner.cache_clear()


def _is_python(program: str) -> bool:
    """Whether it runs a file given to it; in a program that merely holds a Python, it is that program."""
    return Path(program or "").name.startswith(("python", "pypy"))


@cache
def _owner() -> str:
    """Which process we are: its number, when it began, and among which processes the number counts."""
    return f"{os.getpid()}-{started_at(os.getpid())}-{_space()}"


def _space() -> int:
    """The process namespace; elsewhere, as in another container, the same number is another process."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116
    except OSError:
        return 0


def sweep() -> None:
    """Remove the folders of processes that are dead, and end what still runs there; only our user's, only by name."""
    try:
        entries = list(os.scandir(tempfile.gettempdir()))
    except OSError:
        return
    for folder in _left(entries):
        kill_strays([os.fsencode(folder.name)], set())
        shutil.rmtree(folder.path, ignore_errors=True)


def _left(entries: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    for entry in entries:
        named = _NAME.fullmatch(entry.name)
        if named is None or int(named["space"]) != _space() or _lives(int(named["pid"]), int(named["began"])):
            continue
        with suppress(OSError):
            found = entry.stat(follow_symlinks=False)
            private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == stat.S_IRWXU
            if private and found.st_uid == os.geteuid():
                yield entry


def _lives(pid: int, began: int) -> bool:
    """Whether that very process is there; where nobody tells when it began, whether any of that number is."""
    if began:
        return started_at(pid) == began
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@cache
def _swept() -> None:
    """Once a process."""
    sweep()


_WATCHDOG: Final = _Watchdog()
atexit.register(_WATCHDOG.leave)
os.register_at_fork(after_in_child=_WATCHDOG.forked)
