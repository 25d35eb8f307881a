"""A unified diff read line by line: which file and which line of the new file each line stands for."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ["DiffLine", "changed_lines", "number_lines", "read_diff", "unreadable_files"]

_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,(?P<old>\d{1,9}))? \+(?P<at>\d{1,9})(?:,(?P<new>\d{1,9}))? @@")
_GIT: Final = re.compile(r'diff --git "?a/.*? (?P<path>"?b/.*)')
_IDS: Final = re.compile(r"index (?P<before>[0-9a-f]{7,64})\.\.(?P<after>[0-9a-f]{7,64})(?: (?P<mode>\d{6}))?")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)")
_NAMED: Final = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
NOWHERE: Final = "/dev/null"
_SIGNS: Final = frozenset({" ", "+", "-", "\\", ""})
"""With what a line of a hunk begins; some tools cut the space off an empty one."""
NOISY_LINES: Final = 100
NOISY_WIDTH: Final = 400
"""How much is shown of a file that isn't text."""
_NO_TEXT: Final = ("\0", "\u2400", "\ufffd")
"""NUL, how we show it, and what stands for bytes that aren't UTF-8: a file with one of these is no text."""
_EMPTY: Final = frozenset({"e69de29", "0000000"})
"""How the id of an empty or absent file begins: there is nothing to show of it."""
_SUBMODULE: Final = "160000"
"""The mode of another repository's commit: its id is shown, and nothing of what is in it."""
_MODES: Final = ("new mode ", "new file mode ")
_POINTER: Final = "oid sha256:"
"""What Git LFS needs in a file that stands for one kept elsewhere; its first line has had several addresses."""
_NOT_SHOWN: Final = ("Binary files ", "Files ", "Only in ")
"""How `diff` says, in one line, that two files differ whose content it doesn't show."""


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


def unreadable_files(text: str) -> tuple[str, ...]:
    """The files that a diff changes without showing how, or shows as something other than UTF-8 text.

    A file counts as shown only if it has a hunk of text, or if its content didn't change (its mode or name did).
    A submodule and a pointer to a file kept elsewhere are ids, and nobody sees what these ids stand for.
    """
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(line)
    reader.end_file()
    return tuple(reader.unreadable)


def changed_lines(lines: Iterable[DiffLine]) -> Mapping[str, frozenset[int]]:
    """The files of a diff, each with the lines of it that the diff shows."""
    found: dict[str, set[int]] = {}
    for line in lines:
        if line.file:
            found.setdefault(line.file, set()).update({line.number} - {0})
    return {file: frozenset(numbers) for file, numbers in found.items()}


def number_lines(lines: Iterable[DiffLine], unreadable: Sequence[str] = ()) -> str:
    """The diff with each line's number in the new file, so that nobody has to count.

    Of files that aren't text only the beginning is there: an image would fill the prompt with noise.
    """
    shown = Counter[str]()
    numbered: list[str] = []
    for line in lines:
        text = line.text
        if line.file in unreadable:
            shown[line.file] += 1
            if shown[line.file] > NOISY_LINES:
                continue
            text = text[:NOISY_WIDTH] if shown[line.file] < NOISY_LINES else "(the rest of this file is not shown)"
        numbered.append(f"{line.number or '':>6} {text}".rstrip())
    return "\n".join(numbered)


class _Reader:
    """Where in a diff we are. A hunk says how long it is, so nothing in it is taken for the head of a file."""

    def __init__(self) -> None:
        self.files = 0
        self.unreadable: dict[str, None] = {}
        self._unshown = False
        self._file = ""
        self._before = ""
        self._old = self._new = self._at = 0

    def read(self, line: str) -> DiffLine:
        if (self._old > 0 or self._new > 0) and line[:1] in _SIGNS:
            if any(sign in line for sign in _NO_TEXT) or (line[:1] != "-" and line[1:].startswith(_POINTER)):
                self.unreadable[self._file] = None
            return self._inside(line)
        self._old = self._new = 0  # a hunk may be shorter than it says
        if hunk := _HUNK.match(line):
            self._old, self._new = (1 if hunk[side] is None else int(hunk[side]) for side in ("old", "new"))
            self._at = int(hunk["at"])
            self._unshown = False
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

    def end_file(self) -> None:
        """Note the file that ends here if its content changed and no hunk showed it."""
        if self._unshown:
            self.unreadable[self._file] = None
        self._unshown = False

    def _head(self, line: str) -> None:
        if line.startswith(_NOT_SHOWN):
            self._unshown = False
            self.unreadable[self._file or line.rstrip()] = None
        elif ids := _IDS.match(line):
            before, after = ids["before"][:7], ids["after"][:7]
            self._unshown = before != after and not {before, after} <= _EMPTY
            self._note_submodule(ids["mode"] or "")
        elif line.startswith(_MODES):
            self._note_submodule(line.rsplit(maxsplit=1)[-1])
        elif line.startswith("--- "):
            self._before = _path(line[4:])
        elif line.startswith("+++ "):
            path = _path(line[4:])
            self._file = self._before if path == NOWHERE else path
            self.files += 1
        elif named := _GIT.fullmatch(line.rstrip("\r")):
            self.end_file()
            self._file = _path(named["path"])
            self.files += 1

    def _note_submodule(self, mode: str) -> None:
        if mode == _SUBMODULE:
            self.unreadable[self._file] = None


def _path(written: str) -> str:
    """A path as git writes it: after a prefix, before a tab, in quotes where a sign in it is escaped."""
    path = written.rstrip("\r").partition("\t")[0].strip()
    if path.startswith('"') and path.endswith('"') and len(path) > 1:
        path = _ESCAPE.sub(_unescaped, path[1:-1].encode()).decode(errors="replace")
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unescaped(found: re.Match[bytes]) -> bytes:
    sign = found[1]
    return bytes((int(sign, 8) & 0xFF,)) if sign.isdigit() else _NAMED.get(sign, sign)
