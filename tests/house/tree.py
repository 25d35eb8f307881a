"""The tree as the house tests see it: which rooms there are, and every file read once."""

import ast
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "quorate"

PURE = frozenset(
    {
        "model",
        "catalogue",
        "reading",
        "analysis",
        "counting",
        "guard",
        "protocols",
        "rules",
        "chair",
        "views",
        "presets",
    }
)
DOES_IO = frozenset(
    {
        "panelists",
        "similarity",
        "evidence",
        "ledger",
        "settings",
        "middleware",
        "engine",
        "evaluate",
        "offline",
        "doors",
        "service",
    }
)
NO_ROOM = frozenset({"__main__", "errors", "frozen", "authoring", "plugins", "testing"})
"""Files beside the rooms. `errors` and `frozen` are held to the purity of a pure room all the same."""

RUN_ALONE = "src/quorate/offline/capsule_files/"
"""Programs that are handed to strangers. They share no code with ours, by design, and their own tests bound them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    path: str
    """From the project root."""
    text: str

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.text, self.path) if self.path.startswith("src/") else ast.parse(self.text, self.path)

    @property
    def nodes(self) -> Iterable[ast.AST]:
        """Everything in its tree."""
        return _walked(self.text, self.path) if self.path.startswith("src/") else ast.walk(self.tree)

    @property
    def room(self) -> str | None:
        """The part of `src/quorate` that it belongs to; None for `quorate` itself and for what is no source."""
        parts = self.path.removesuffix(".py").split("/")
        return None if parts[:2] != ["src", "quorate"] or parts[2:] == ["__init__"] else parts[2]

    @property
    def opens_a_room(self) -> bool:
        parts = self.path.removesuffix(".py").split("/")
        return self.room is not None and (len(parts) == 3 or (len(parts) == 4 and parts[3] == "__init__"))

    @property
    def pure(self) -> bool:
        return self.room in PURE | {"errors", "frozen", "plugins"}


@cache
def source() -> tuple[File, ...]:
    return tuple(_read(PACKAGE))


@cache
def python() -> tuple[File, ...]:
    """Every Python file of ours: source, tests, tools."""
    return tuple(file for name in ("src", "tests", "tools") for file in _read(ROOT / name))


@cache
def kept() -> tuple[File, ...]:
    """Every text that is, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:  # an unpacked sdist
        return python()
    paths = (ROOT / name for name in sorted(listed.stdout.decode().split("\0")) if name)
    return tuple(file for path in paths if path.is_file() and (file := _text(path)) is not None)


def sample(text: str, path: str = "src/quorate/model/sample.py") -> File:
    """A file that is not there, for showing that a check can fail."""
    return File(path=path, text=text)


def _read(folder: Path) -> Iterator[File]:
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(RUN_ALONE):
            yield File(path=name, text=path.read_text(encoding="utf-8"))


@cache
def _parsed(text: str, path: str) -> ast.Module:
    """A file of the source, which many tests look at and none changes."""
    return ast.parse(text, path)


@cache
def _walked(text: str, path: str) -> tuple[ast.AST, ...]:
    """Its nodes: walking the whole source takes as long as parsing it."""
    return tuple(ast.walk(_parsed(text, path)))


def _text(path: Path) -> File | None:
    try:
        return File(path=path.relative_to(ROOT).as_posix(), text=path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return None
