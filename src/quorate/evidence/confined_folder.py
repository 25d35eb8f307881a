"""One folder and what lies in it, and never anything else, whatever a path says and whoever changes links meanwhile.

Everything is opened step by step from the folder itself: no step may be a link, an upward step or another file system,
and what is opened is looked at once more before it is read. Only text and source of known kinds is there at all, and no
hard link, because it shows what lies elsewhere.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple, Self

from quorate.evidence.secret_files import is_secret_name, may_be_entered, may_be_shown

__all__ = ["NO_FOLDER", "ConfinedFolder", "FolderEntry", "PathRefused", "printable"]

DEEPEST: Final = 40
LONGEST: Final = 1_000
ENTRIES: Final = 20_000
"""Entries of one folder that are looked at."""

OUTSIDE: Final = "a path is relative to the folder and never leads out of it"
SECRET: Final = "it bears a name that secrets usually have, so it is not shown"  # noqa: S105 - a sentence
NOT_SHOWN: Final = "files of this name or kind are not shown; text and source of known kinds is"
HARD_LINK: Final = "it has another name elsewhere (a hard link), so it is not shown"
LINK: Final = "it is a link, and links are not followed"
GONE: Final = "there is no such file or folder"
IS_FOLDER: Final = "it is a folder: list it"
NO_FOLDER: Final = "it is no folder: read it"
NO_FILE: Final = "it is no ordinary file"
ELSEWHERE: Final = "it lies on another file system"
CLOSED: Final = "it cannot be opened"

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK a pipe would be waited for.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class PathRefused(Exception):
    """A path is not opened, and why, in words that repeat nothing of it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class FolderEntry(NamedTuple):
    """What lies in a folder, by its name there; `size` is of a file, and none for a folder."""

    name: str
    size: int | None


class ConfinedFolder:
    """`with ConfinedFolder(root) as folder`: all that may be opened lies below this."""

    def __init__(self, root: str) -> None:
        """Open it; that it is a link itself is its owner's business.

        Raises:
            OSError: there is no such folder.
        """
        self._root = os.open(root, _FOLDER)
        self._device = os.fstat(self._root).st_dev

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def read(self, path: str, most: int) -> bytes:
        """The beginning of a file, one byte more than `most` if there is more.

        Raises:
            PathRefused: it is none of ours, or none at all.
        """
        *folders, name = path_steps(path) or ("",)
        if not name:
            raise PathRefused(IS_FOLDER)
        with self._opened(folders) as at:
            return self.read_in(at, name, most)

    def read_in(self, at: int, name: str, most: int) -> bytes:
        """The same for a name in an open folder.

        Raises:
            PathRefused: it is not to be read.
        """
        with _told():
            if not may_be_shown(name):
                raise PathRefused(IS_FOLDER if _is_folder(at, name) else NOT_SHOWN)
            _require_file(os.stat(name, dir_fd=at, follow_symlinks=False), self._device)
            file = os.open(name, _FILE, dir_fd=at)
            try:
                _require_file(os.fstat(file), self._device)
                return _read(file, most)
            finally:
                os.close(file)

    def entries(self, path: str) -> tuple[tuple[FolderEntry, ...], int]:
        """What lies in a folder, by name, and how many are left out: links, what is no file, what is not shown.

        Raises:
            PathRefused: it is none of ours, or none at all.
        """
        with self._opened(path_steps(path)) as at:
            return _entries(at)

    def walk(self, path: str) -> Iterator[tuple[str, int, FolderEntry]]:
        """Every file below a folder with its path and the open folder it is in; depth first, by name.

        Raises:
            PathRefused: the folder is none of ours, or none at all.
        """
        steps = path_steps(path)
        with self._opened(steps) as at:
            yield from self._walk(at, steps)

    def _walk(self, at: int, steps: tuple[str, ...]) -> Iterator[tuple[str, int, FolderEntry]]:
        try:
            listed, _ = _entries(at)
        except PathRefused:
            return
        for entry in listed:
            here = (*steps, entry.name)
            if entry.size is not None:
                yield "/".join(here), at, entry
            elif len(here) < DEEPEST and entry.name not in PASSED_OVER:
                try:
                    inner = self._step(at, entry.name)
                except PathRefused:
                    continue
                try:
                    yield from self._walk(inner, here)
                finally:
                    os.close(inner)

    @contextmanager
    def _opened(self, steps: "tuple[str, ...] | list[str]") -> Iterator[int]:
        at = os.dup(self._root)
        try:
            for step in steps:
                inner = self._step(at, step)
                os.close(at)
                at = inner
            yield at
        finally:
            os.close(at)

    def _step(self, at: int, name: str) -> int:
        """A folder in an open one.

        Raises:
            PathRefused: it is a link, no folder, or on another file system.
        """
        with _told():
            if not may_be_entered(name):
                raise PathRefused(NOT_SHOWN)
            _require_folder(os.stat(name, dir_fd=at, follow_symlinks=False), self._device)
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
        if os.fstat(inner).st_dev != self._device:
            os.close(inner)
            raise PathRefused(ELSEWHERE)
        return inner


PASSED_OVER: Final = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache"})
"""Folders that a search does not go into by itself: others' files, and many of them."""


def path_steps(path: str) -> tuple[str, ...]:
    """The names on a path, each of which may be opened by itself; none for the folder's own.

    Raises:
        PathRefused: the path leads out, is too long, or has a secret's name on it.
    """
    if path.startswith(("/", "~")) or "\0" in path or len(path) > LONGEST:
        raise PathRefused(OUTSIDE)
    steps = tuple(step for step in path.split("/") if step not in {"", "."})
    if ".." in steps or len(steps) > DEEPEST:
        raise PathRefused(OUTSIDE)
    if any(map(is_secret_name, steps)):
        raise PathRefused(SECRET)
    return steps


def printable(name: str) -> str:
    """A name as it can be shown in one line."""
    return "".join(sign if sign.isprintable() else "?" for sign in name)


def _require_file(about: os.stat_result, device: int) -> None:
    _require_here(about, device)
    if stat.S_ISDIR(about.st_mode):
        raise PathRefused(IS_FOLDER)
    if not stat.S_ISREG(about.st_mode):
        raise PathRefused(NO_FILE)
    if about.st_nlink != 1:
        raise PathRefused(HARD_LINK)


def _is_folder(at: int, name: str) -> bool:
    """Whether a name is a folder's, without a word on whether anything else of that name is there."""
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
    return False


def _require_folder(about: os.stat_result, device: int) -> None:
    _require_here(about, device)
    if not stat.S_ISDIR(about.st_mode):
        raise PathRefused(NO_FOLDER if stat.S_ISREG(about.st_mode) else NO_FILE)


def _require_here(about: os.stat_result, device: int) -> None:
    if stat.S_ISLNK(about.st_mode):
        raise PathRefused(LINK)
    if about.st_dev != device:
        raise PathRefused(ELSEWHERE)


def _read(file: int, most: int) -> bytes:
    pieces, left = list[bytes](), most + 1
    while left > 0 and (piece := os.read(file, min(left, 1 << 16))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _entries(at: int) -> tuple[tuple[FolderEntry, ...], int]:
    """The files and folders of an open folder by name, and how many others there are."""
    kept, left_out = list[FolderEntry](), 0
    with _told(), os.scandir(at) as found:
        for number, entry in enumerate(found):
            shown = None if number >= ENTRIES else _entry(entry)
            if shown is None:
                left_out += 1
            else:
                kept.append(shown)
    return tuple(sorted(kept)), left_out


def _entry(entry: "os.DirEntry[str]") -> FolderEntry | None:
    """What is shown of an entry; none if nothing is."""
    with suppress(OSError):
        if entry.is_dir(follow_symlinks=False):
            return FolderEntry(entry.name, None) if may_be_entered(entry.name) else None
        if entry.is_file(follow_symlinks=False) and may_be_shown(entry.name):
            about = entry.stat(follow_symlinks=False)
            return FolderEntry(entry.name, about.st_size) if about.st_nlink == 1 else None
    return None


@contextmanager
def _told() -> Iterator[None]:
    """What the system says, in a word that names nothing."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise PathRefused(GONE) from None
    except (OSError, ValueError):  # a name that is too long, cannot be encoded, or is closed to us
        raise PathRefused(CLOSED) from None
