"""A child process that cannot outlive whoever asked it: a session of its own, killed whole, its output bounded."""

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal

from quorate.panelists.cli.watchdog import MARK, kill_strays
from quorate.panelists.cli.workspace import Workspace

__all__ = ["Child"]

CHUNK: Final = 65536
KEPT: Final = 8192
POLL: Final = 0.02
AGAIN: Final = 0.2
REAPED: Final = 2.0

Gone = Literal["", "idle", "total"]


class Child:
    """A running command; `out` is all it wrote, `err` the last of its complaints, `ended` holds its exit code."""

    def __init__(  # noqa: PLR0913 - what a process is made of
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        workspace: Workspace,
        prompt: bytes,
        most: int,
        hear: Callable[[bytes], None],
    ) -> None:
        """Start it, with the prompt on its standard input; the watchdog of its workspace ends it should we die.

        Raises:
            OSError: it cannot be started.
        """
        self._loop = asyncio.get_running_loop()
        self._most = most
        self._hear = hear
        self._workspace = workspace
        self._mark = os.fsencode(workspace.mark)
        self._again = False
        self.out, self.err, self.full = bytearray(), bytearray(), False
        self.ended: asyncio.Future[int] = self._loop.create_future()
        self._touched = self._loop.time()
        workspace.runs()
        try:
            with _readable(prompt) as stdin:
                self._process = _begun(argv, stdin, cwd, {**env, MARK: workspace.mark})
        except OSError:
            workspace.over()
            raise
        workspace.runs(self._process.pid)
        self._pipes = self._listening()
        self._watch()

    async def end(self, idle: float, total: float) -> Gone:
        """Wait until it has ended, or been quiet for too long, or taken too long in all."""
        until = self._loop.time() + total
        while not self.ended.done():
            quiet, now = self._touched + idle, self._loop.time()
            if now >= until:
                return "total"
            if now >= quiet:
                return "idle"
            await asyncio.wait({self.ended}, timeout=min(quiet, until) - now)
        return ""

    async def stop(self, grace: float) -> None:
        """End it and everything it started; what does not go when asked to is killed, cancelled or not."""
        if self.ended.done():
            return
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait({self.ended}, timeout=grace)
        finally:
            self._kill(everywhere=True)
        await asyncio.wait({self.ended}, timeout=REAPED)

    def _listening(self) -> dict[int, bytearray]:
        pipes = {}
        for pipe, kept in ((self._process.stdout, self.out), (self._process.stderr, self.err)):
            assert pipe is not None  # noqa: S101  both were asked for
            os.set_blocking(pipe.fileno(), False)
            self._loop.add_reader(pipe.fileno(), self._read, pipe.fileno())
            pipes[pipe.fileno()] = kept
        return pipes

    def _read(self, pipe: int) -> bool:
        """Read what is there; false if there is nothing more."""
        try:
            piece = os.read(pipe, CHUNK)
        except BlockingIOError:
            return False
        if not piece:
            self._loop.remove_reader(pipe)
            return False
        self._touched = self._loop.time()
        kept = self._pipes[pipe]
        if kept is self.err:
            kept += piece
            del kept[:-KEPT]
        elif len(kept) + len(piece) > self._most:
            self.full = True
            self._loop.remove_reader(pipe)
            self._kill()
        elif not self.full:
            kept += piece
            self._hear(piece)
        return not self.full

    def _watch(self) -> None:
        """Learn of the end without reaping: until then nobody else can get its number, so the kill hits nobody else."""
        try:
            ended = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # the system does not know it, or no file can be opened now
            self._poll()
        else:
            self._loop.add_reader(ended, self._exited, ended)

    def _poll(self) -> None:
        looking = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if os.waitid(os.P_PID, self._process.pid, looking) is None:
            self._loop.call_later(POLL, self._poll)
        else:
            self._exited(-1)

    def _exited(self, ended: int) -> None:
        if ended >= 0:
            self._loop.remove_reader(ended)
            os.close(ended)
        self._kill()
        for pipe in self._pipes:
            while self._read(pipe):
                pass
            self._loop.remove_reader(pipe)
        code = self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if not self.ended.done():
            self.ended.set_result(code)
        if not self._again:
            self._workspace.over()

    def _kill(self, *, everywhere: bool = False) -> None:
        if not self.ended.done():
            self._signal(signal.SIGKILL)
            kill_strays([self._mark], {self._process.pid}, 0 if everywhere else self._process.pid)
            if everywhere:
                # A stray that was just becoming another program showed no environment; it does by then. If this loop
                # ends before, the watchdog has not heard that it is over, and looks in our place.
                self._again = True
                self._loop.call_later(AGAIN, self._last_look)

    def _last_look(self) -> None:
        kill_strays([self._mark], set())
        self._workspace.over()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _begun(argv: Sequence[str], stdin: BinaryIO, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  arguments are fixed by us, and there is no shell
        argv,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )


def _readable(prompt: bytes) -> BinaryIO:
    """The prompt as a file without a name: of any length, and nobody has to keep writing while the tool reads."""
    if hasattr(os, "memfd_create"):
        file: BinaryIO = os.fdopen(os.memfd_create("prompt"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115  closed by whoever is given it
    file.write(prompt)
    file.flush()
    file.seek(0)
    return file
