"""A command on a terminal of its own, as a person sees and types it."""

import os
import pty
import subprocess
import sys
from types import TracebackType
from typing import Self

OWN = "import fcntl, os, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
COMMAND = (sys.executable, "-c", f"{OWN}; from quorate.doors.cli import main; main()")
"""With the terminal as its own, so that Ctrl-C and the end of the terminal are signals to it."""


class Terminal:
    """`with Terminal("ask", …) as terminal`: what the command writes is waited for, and lines are typed."""

    def __init__(self, *words: str, **env: str) -> None:
        self._ours, theirs = pty.openpty()
        around = {**os.environ, "TERM": "xterm", **env}
        self._held = subprocess.Popen([*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=around)
        os.close(theirs)
        self.shown = ""
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.kill()
        self._held.wait()
        os.close(self._ours)

    def _more(self) -> bool:
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += piece.decode(errors="replace").replace("\r", "")
        return bool(piece)

    def until(self, text: str) -> None:
        """Wait until that is shown, behind what was waited for before."""
        while (at := self.shown.find(text, self._read)) < 0:
            assert self._more(), f"{text!r} never came: {self.shown[self._read :][-2000:]}"
        self._read = at + len(text)

    def type(self, *lines: str) -> None:
        self.write("".join(f"{line}\n" for line in lines))

    def write(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.write(self._ours, b"\x03")

    def hang_up(self) -> int:
        """Close the window, and wait until it leaves."""
        os.close(self._ours)
        code = self._held.wait()
        self._ours = os.open(os.devnull, os.O_RDONLY)
        return code

    def end(self) -> int:
        """Wait until it leaves."""
        while self._more():
            pass
        return self._held.wait()
