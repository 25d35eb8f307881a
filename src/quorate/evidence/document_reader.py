"""Has documents parsed in a child process with limits, so that none of them can stop or hurt this one."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import Final, Literal, Self

from quorate.evidence import document_parsers
from quorate.evidence.document_parsers import CPU_SECONDS, LONGEST_TEXT, WALL_SECONDS
from quorate.frozen import dataclass

__all__ = ["NO_PYPDF", "TOO_SLOW", "DocumentReader", "ParsedDocument", "ReadingStopped"]

NO_PYPDF: Final = "PDF, which needs pip install 'quorate[documents]'"
TOO_SLOW: Final = f"takes more than {CPU_SECONDS} s to read"
CRASHED: Final = "stopped the process that was reading it"
RAISED: Final = 1
"""What Python ends with after an exception: the parser stumbled over the document."""
_BROKEN: Final = {"pdf": "a PDF that cannot be read", "page": "a page that cannot be read"}
LONGEST_REPLY: Final = 6 * LONGEST_TEXT + 65_536
"""Bytes of a reply: JSON writes a character in at most six, or twelve where it counts as two."""
PASSED_ON: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that Python itself may need to start. The child gets no other, so no key."""


class ReadingStopped(Exception):
    """Nobody waits for the document any more: the time is over, or the caller was cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What the child says a document holds, or why it couldn't be read."""

    text: str = ""
    title: str = ""
    url: str = ""
    date: str = ""
    why: str = ""


class DocumentReader:
    """Parses one document after the other in one child, which is started when it's first needed.

    A child that fails is replaced, so a hostile document leaves nothing for the next. Leave the `with` block to end it.
    """

    def __init__(self, *, seconds: float = WALL_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def stop(self) -> None:
        """Give up, from any thread: whoever is reading gets `ReadingStopped`, and reaps the child."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.kill()

    def check(self) -> None:
        """See that somebody still waits.

        Raises:
            ReadingStopped: nobody does.
        """
        if self._stopped:
            raise ReadingStopped

    def parse(self, kind: Literal["page", "pdf"], content: bytes) -> ParsedDocument:
        """What a document holds, or why it couldn't be read.

        Raises:
            ReadingStopped: nobody waits for it any more.
        """
        if kind == "pdf" and not _pypdf_folder():
            return ParsedDocument(why=NO_PYPDF)
        try:
            child = self._started()
        except OSError as error:
            return ParsedDocument(why=f"cannot be read now: {error.strerror or 'no process could be started'}")
        begun, timer = monotonic(), Timer(self._seconds, child.kill)
        timer.start()
        try:
            document = _exchange(child, kind, content)
        except (OSError, ValueError, TypeError, RecursionError):
            document = None
        finally:
            timer.cancel()
        if document is not None and not document.why:
            return document
        code, slow = self._end(), monotonic() - begun >= self._seconds
        self.check()
        return document or ParsedDocument(why=_reason(kind, code, slow=slow))

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            self.check()
            if self._child is None:
                self._child = subprocess.Popen(  # noqa: S603  our own program
                    # Isolated: neither the folder we're in, nor the user's, nor a variable adds a module.
                    (sys.executable, "-I", "-S", "-B", document_parsers.__file__, _pypdf_folder()),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                    cwd="/",
                    start_new_session=True,
                )
            return self._child

    def _end(self) -> int:
        """Kill the child and reap it; what it ended with."""
        with self._lock:
            child, self._child = self._child, None
        if child is None:
            return 0
        assert child.stdin is not None  # noqa: S101  both were asked for
        assert child.stdout is not None  # noqa: S101
        child.stdout.close()
        child.kill()
        code = child.wait()
        with suppress(OSError):  # it had not read all of the document
            child.stdin.close()
        return code


def _reason(kind: str, code: int, *, slow: bool) -> str:
    """Why there is no document, by what the child ended with."""
    if slow or code == -signal.SIGXCPU:
        return TOO_SLOW
    return _BROKEN[kind] if code == RAISED else CRASHED


def _exchange(child: subprocess.Popen[bytes], kind: str, content: bytes) -> ParsedDocument:
    """One request and its reply.

    Raises:
        OSError: the child is gone.
        ValueError, TypeError: its reply is cut off, too long or of another shape.
    """
    assert child.stdin is not None  # noqa: S101  both were asked for
    assert child.stdout is not None  # noqa: S101
    child.stdin.write(b"%s %d\n%s" % (kind.encode(), len(content), content))
    child.stdin.flush()
    size = int(child.stdout.readline(20))
    if not 0 < size <= LONGEST_REPLY:
        raise ValueError("no length, or one that is too long")
    fields = json.loads(child.stdout.read(size))
    if not all(isinstance(text, str) for text in fields.values()):
        raise TypeError("a field is no text")
    return ParsedDocument(**fields)


@cache
def _pypdf_folder() -> str:
    """The folder that pypdf is installed in; empty if it isn't installed."""
    spec = find_spec("pypdf")
    return str(Path(spec.origin).parent.parent) if spec is not None and spec.origin else ""
