"""The command as a test runs it: in this process, with its own ledger and an environment that holds nothing else."""

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.cli.command_group import run

KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Told:
    """What a command said and how it left."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class Quorate:
    """`quorate("ask", "Should we?", "--panel", "demo")`; stdin is what is given, and no terminal."""

    def __call__(self, *words: str, stdin: str | bytes | io.TextIOBase = "") -> Told:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
        given = stdin.encode() if isinstance(stdin, str) else stdin
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(given)) if isinstance(given, bytes) else given
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = run(words)
        finally:
            sys.stdin = before
        return Told(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and a ledger of its own."""
    for name in set(os.environ) - set(KEPT):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("QUORATE_LEDGER", str(tmp_path / "ledger.db"))
    return tmp_path


@pytest.fixture
def quorate() -> Quorate:
    return Quorate()
