"""A unified diff read line by line: which file and which line of the new file each line stands for."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = ["DiffLine", "changed_lines", "number_lines", "read_diff"]

_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,(?P<old>\d{1,9}))? \+(?P<at>\d{1,9})(?:,(?P<new>\d{1,9}))? @@")
_GIT: Final = re.compile(r'diff --git "?a/.*? (?P<path>"?b/.*)')
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)")
_NAMED: Final = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
NOWHERE: Final = "/dev/null"
_SIGNS: Final = frozenset({" ", "+", "-", "\\", ""})
"""With what a line of a hunk begins; some tools cut the space off an empty one."""


class DiffLine(NamedTuple):
    """A line of a diff. What stands in no line of a new file, such as what was removed, has the number 0."""

    text: str
    file: str = ""
    number: int = 0


def read_diff(text: str) -> tuple[DiffLine, ...]:
    """Every line of a diff; none if it holds no file and no change."""
    reader = _Reader()
    lines = tuple(reader.read(line) for line in text.split("\n"))
    return lines if reader.files else ()


def changed_lines(lines: Iterable[DiffLine]) -> Mapping[str, frozenset[int]]:
    """The files of a diff, each with the lines of it that the diff shows."""
    found: dict[str, set[int]] = {}
    for line in lines:
        if line.file:
            found.setdefault(line.file, set()).update({line.number} - {0})
    return {file: frozenset(numbers) for file, numbers in found.items()}


def number_lines(lines: Iterable[DiffLine]) -> str:
    """The diff with the number of each line in the new file before it: whoever reads it need not count."""
    return "\n".join(f"{line.number or '':>6} {line.text}".rstrip() for line in lines)


class _Reader:
    """Where in a diff we are. A hunk says how long it is, so nothing in it is taken for the head of a file."""

    def __init__(self) -> None:
        self.files = 0
        self._file = ""
        self._before = ""
        self._old = self._new = self._at = 0

    def read(self, line: str) -> DiffLine:
        if (self._old > 0 or self._new > 0) and line[:1] in _SIGNS:
            return self._inside(line)
        self._old = self._new = 0  # a hunk may be shorter than it says
        if hunk := _HUNK.match(line):
            self._old, self._new = (1 if hunk[side] is None else int(hunk[side]) for side in ("old", "new"))
            self._at = int(hunk["at"])
        else:
            self._head(line)
        return DiffLine(line, self._file)

    def _inside(self, line: str) -> DiffLine:
        match line[:1]:
            case "\\":  # says that the line before has no end
                return DiffLine(line, self._file)
            case "-":
                self._old -= 1
                return DiffLine(line, self._file)
            case "+":
                self._new -= 1
            case _:
                self._old, self._new = self._old - 1, self._new - 1
        self._at += 1
        return DiffLine(line, self._file, self._at - 1)

    def _head(self, line: str) -> None:
        if line.startswith("--- "):
            self._before = _path(line[4:])
        elif line.startswith("+++ "):
            path = _path(line[4:])
            self._file = self._before if path == NOWHERE else path
            self.files += 1
        elif named := _GIT.fullmatch(line.rstrip("\r")):
            self._file = _path(named["path"])
            self.files += 1


def _path(written: str) -> str:
    """A path as git writes it: after a prefix, before a tab, in quotes where a sign in it is escaped."""
    path = written.rstrip("\r").partition("\t")[0].strip()
    if path.startswith('"') and path.endswith('"') and len(path) > 1:
        path = _ESCAPE.sub(_unescaped, path[1:-1].encode()).decode(errors="replace")
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unescaped(found: re.Match[bytes]) -> bytes:
    sign = found[1]
    return bytes((int(sign, 8) & 0xFF,)) if sign.isdigit() else _NAMED.get(sign, sign)
