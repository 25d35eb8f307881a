"""Files as context: patterns become text, up to a size, with a list of what was taken and what was not."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model import ContextFile, Question

__all__ = ["ContextFiles", "match_files", "read_context", "with_files"]

LARGEST: Final = 64 * 1024
MOST: Final = 256 * 1024
FILES: Final = 200


@dataclass(frozen=True, slots=True)
class ContextFiles:
    """The text for the context, the files in it with their sizes, and those left out with the reason."""

    text: str = ""
    taken: tuple[tuple[str, int], ...] = ()
    left: tuple[tuple[str, str], ...] = ()

    @property
    def sentence(self) -> str:
        """What was taken and what was not, for whoever asked for it."""
        size = sum(size for _, size in self.taken)
        names = ", ".join(name for name, _ in self.taken) or "none"
        without = "; ".join(f"{name} ({why})" for name, why in self.left)
        files = "1 file" if len(self.taken) == 1 else f"{len(self.taken)} files"
        return f"{files} as context, {size} bytes: {names}" + (f"; left out: {without}" * bool(without))


def read_context(patterns: Iterable[tuple[str, str]]) -> ContextFiles:
    """Read what the patterns find, each within its folder, in the order of their names.

    Raises:
        BadSetting: a pattern leaves its folder, or finds nothing.
    """
    taken: list[tuple[str, int]] = []
    left: list[tuple[str, str]] = []
    pieces: list[str] = []
    for name, path in dict(match_files(patterns)).items():
        text = _text(path)
        size = len(text.encode()) if text is not None else 0
        why = _unfit(text, size, len(taken), sum(size for _, size in taken))
        if why:
            left.append((name, why))
        else:
            taken.append((name, size))
            pieces.append(f"File {name}:\n{text}")
    return ContextFiles("\n\n".join(pieces), tuple(taken), tuple(left))


def with_files(question: Question, patterns: Iterable[tuple[str, str]]) -> tuple[Question, ContextFiles]:
    """A question with the files in its context, behind what stands there already.

    Raises:
        BadSetting: a pattern leaves its folder, or finds nothing.
    """
    found = read_context(patterns)
    around = "\n\n".join(part for part in (question.context, found.text) if part)
    read = tuple(ContextFile(name=name, size=size) for name, size in found.taken)
    unread = tuple(ContextFile(name=name, left_out=why) for name, why in found.left)
    return replace(question, context=around, files=(*question.files, *read, *unread)), found


def match_files(patterns: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Path]]:
    """The files that patterns find, each by its name within its folder; a link that leads outside is passed over.

    Raises:
        BadSetting: a pattern leaves its folder, or finds nothing.
    """
    for folder, pattern in patterns:
        place = Path(folder).resolve()
        parts = Path(pattern).parts
        if not parts or Path(pattern).is_absolute() or ".." in parts:
            raise BadSetting(f"files: {pattern!r} must stay within its folder, as in docs/*.md or src/**/*.py")
        within = [path for path in sorted(place.glob(pattern)) if path.is_file() and _inside(path, place)]
        if not within:
            raise BadSetting(f"files: nothing in {folder!r} matches {pattern!r}; a pattern looks like docs/*.md")
        yield from ((path.relative_to(place).as_posix(), path) for path in within)


def _inside(path: Path, place: Path) -> bool:
    """Whether a file is where its name says: a link may lead anywhere."""
    return path.resolve().is_relative_to(place)


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError as wrong:
        # A character that was cut in two at the limit is too large, not unreadable.
        return " " * (LARGEST + 1) if wrong.start >= LARGEST - 3 else None
    except OSError:
        return None


def _unfit(text: str | None, size: int, count: int, before: int) -> str:
    if text is None:
        return "no text"
    if size > LARGEST:
        return f"larger than {LARGEST // 1024} KiB"
    return f"more than {MOST // 1024} KiB or {FILES} files in all" if before + size > MOST or count >= FILES else ""
