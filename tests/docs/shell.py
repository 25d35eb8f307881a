"""A shell small enough to keep quorate in this process; whatever it does not know it leaves to bash."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from quorate.doors.cli.command_group import run as quorate

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXPORT = re.compile(r"export ([A-Z_]+)=(.*)")
EXPANDED = re.compile(r"""'[^']*'|(\$(?!\?)|`|&&|\|\||;|\*|~|&|\bif\b)""")
VARIABLE = re.compile(r"""'[^']*'|\$([A-Z_]+)|\$\(cat ([\w.]+)\)""")
PLAIN = re.compile(r"[\w./:@-]+")
"""What a shell puts in place of a variable as it stands."""
LIMIT = 60.0


class Said(NamedTuple):
    """What a person would have seen, and what of it went to stdout."""

    seen: str
    out: str


class Both(io.BytesIO):
    """Stdout on a screen: what is written there is seen as well."""

    seen: io.BytesIO

    def write(self, text: "ReadableBuffer", /) -> int:
        self.seen.write(text)
        return super().write(text)


@dataclass(frozen=True, slots=True)
class Stage:
    """A command of a pipe."""

    words: tuple[str, ...]
    reads: str = ""
    writes: str = ""


class Shell:
    """Runs lines one after another, in the folder and the environment of this process."""

    def __init__(self, setenv: Callable[[str, str], None]) -> None:
        self.code = 0
        self._setenv = setenv
        self._exported: dict[str, str] = {}

    def run(self, line: str) -> Said:
        """Run a line."""
        if export := EXPORT.fullmatch(line):
            value = "".join(shlex.split(export[2]))
            self._setenv(export[1], value)
            self._exported[export[1]] = value
            self.code = 0
            return Said("", "")
        if line == "echo $?":
            return Said(f"{self.code}\n", f"{self.code}\n")
        seen, out = io.BytesIO(), Both()
        out.seen = seen
        stages = simple(VARIABLE.sub(self._value, line))
        if stages is None:
            self.code = _bash(line, out, seen)
        else:
            self._pipe(stages, out, seen)
        return Said(seen.getvalue().decode(), out.getvalue().decode())

    def _value(self, found: re.Match[str]) -> str:
        """What the page has exported or written, put in here: a shell of its own for every line takes long."""
        value = Path(found[2]).read_text(encoding="utf-8").strip() if found[2] else self._exported.get(found[1], "")
        return value if PLAIN.fullmatch(value) else found[0]

    def interrupted(self, line: str, due: threading.Event) -> Said:
        """Run a quorate command by itself, and press Ctrl-C when it is due."""
        words = [sys.executable, "-c", "from quorate.doors.cli import main; main()", *shlex.split(line)[1:]]
        held = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            give_up = monotonic() + LIMIT
            while not due.wait(0.05) and held.poll() is None and monotonic() < give_up:
                pass
            held.send_signal(signal.SIGINT)
            said, _ = held.communicate(timeout=LIMIT)
        finally:
            held.kill()
        self.code = held.returncode
        return Said(said.decode(), said.decode())

    def _pipe(self, stages: tuple[Stage, ...], out: io.BytesIO, seen: io.BytesIO) -> None:
        given = b""
        for place, stage in enumerate(stages):
            if stage.reads:
                given = Path(stage.reads).read_bytes()
            last = place == len(stages) - 1
            here = out if last and not stage.writes else io.BytesIO()
            self.code = _one(stage.words, given, here, seen)
            given = here.getvalue()
            if stage.writes:
                Path(stage.writes).write_bytes(given)


def simple(line: str) -> tuple[Stage, ...] | None:
    """The stages of a plain pipe; none if the line is more than that."""
    if any(found[1] for found in EXPANDED.finditer(line)):
        return None
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    stages, words, ends = list[Stage](), list[str](), dict[str, str]()
    tokens = iter((*lexer, "|"))
    for token in tokens:
        if token in {"<", ">"}:
            ends[token] = next(tokens)
        elif token == "|":
            stages.append(Stage(tuple(words), ends.pop("<", ""), ends.pop(">", "")))
            words = []
        elif set(token) <= set("|<>"):
            return None
        else:
            words.append(token)
    return tuple(stages) if all(stage.words for stage in stages) else None


def _one(words: tuple[str, ...], given: bytes, out: io.BytesIO, err: io.BytesIO) -> int:
    if words[0] == "quorate":
        return _quorate(words[1:], given, out, err)
    done = subprocess.run(words, input=given, capture_output=True, env=_around(), check=False, timeout=LIMIT)
    out.write(done.stdout)
    err.write(done.stderr)
    return done.returncode


def _quorate(words: tuple[str, ...], given: bytes, out: io.BytesIO, err: io.BytesIO) -> int:
    streams = [io.TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in (out, err)]
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            return quorate(words)
    finally:
        sys.stdin = before
        for stream in streams:
            stream.detach()


def _around() -> dict[str, str]:
    """The environment, in which `python` is the one that quorate is installed for."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def _bash(line: str, out: io.BytesIO, err: io.BytesIO) -> int:
    words = ["bash", "--noprofile", "--norc", "-c", line]
    around = _around()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=around, check=False, timeout=LIMIT)
    err.write(done.stderr)
    out.write(done.stdout)
    return done.returncode
