"""The `look` errand: what a seat asked to see in the folder that was opened to it; a failure is told, not raised."""

import asyncio
import codecs
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from quorate.errors import BadSetting
from quorate.evidence.confined_folder import NO_FOLDER, ConfinedFolder, PathRefused, printable
from quorate.evidence.root_folder import check_root
from quorate.frozen import dataclass
from quorate.model import Errand, Found, Passage
from quorate.model.lookup import Lookup

__all__ = ["FileLooker"]

NAME: Final = "files"
NOT_THERE: Final = "the folder to look in is not there, or may not be opened"
NO_TEXT: Final = "it holds no text in UTF-8"

LARGEST: Final = 2**20
"""Bytes of one file that are read."""
ROOM: Final = 24_000
EACH: Final = 12_000
"""Characters that one reply's lookups bring in all, and one of them."""
LISTED: Final = 400
FILES: Final = 5_000
BYTES: Final = 64 * 2**20
SECONDS: Final = 10.0
"""How many files, bytes and seconds one search may take; what was found by then is told."""
HITS: Final = 60
PER_FILE: Final = 8
SHORTEST: Final = 2
_AROUND: Final = 200


@dataclass(frozen=True, slots=True)
class FileLooker:
    """Reads, lists and searches below one folder. `redact` takes the secrets out of a whole file.

    Of a part of a file it would be too late: a key that begins above the part isn't recognised in it.
    """

    root: str
    redact: Callable[[str], str] = str

    async def look(self, errand: Errand) -> Found:
        """Everything that one reply asked to see, in its order, each with what was found or why nothing was."""
        passages = await asyncio.to_thread(self._looked, errand.lookups)
        return Found(
            kind=errand.kind,
            round=errand.round,
            seat=errand.seat,
            about=errand.about,
            attempt=errand.attempt,
            passages=passages or (),
            by=NAME,
            why=NOT_THERE if passages is None else "",
        )

    def _looked(self, lookups: tuple[Lookup, ...]) -> tuple[Passage, ...] | None:
        try:
            check_root(self.root)
            folder = ConfinedFolder(self.root)
        except (OSError, BadSetting):
            return None
        with folder:
            return tuple(_within_room(folder, lookups, self.redact))


def _within_room(
    folder: ConfinedFolder, lookups: tuple[Lookup, ...], redact: Callable[[str], str]
) -> Iterator[Passage]:
    left = ROOM
    for lookup in lookups:
        passage = _seen(folder, lookup, min(EACH, left), redact)
        left -= len(passage.text)
        yield passage


def _seen(folder: ConfinedFolder, lookup: Lookup, room: int, redact: Callable[[str], str]) -> Passage:
    wanted = Passage(url=printable(lookup.path), title=_title(lookup))
    if room <= 0:
        return replace(wanted, why="there is no room left; ask for less at once")
    try:
        match lookup.kind:
            case "read":
                return _file(folder, lookup, wanted, room, redact)
            case "list":
                return _folder(folder, lookup, wanted, room)
            case "search":
                return _search(folder, lookup, wanted, room, redact)
    except PathRefused as refused:
        return replace(wanted, why=refused.why)


def _title(lookup: Lookup) -> str:
    match lookup.kind:
        case "read":
            return f"file {printable(lookup.path)}"
        case "list":
            return f"folder {printable(lookup.path)}"
        case "search":
            return f"search for {printable(lookup.text)!r} in {printable(lookup.path)}"


def _file(folder: ConfinedFolder, lookup: Lookup, wanted: Passage, room: int, redact: Callable[[str], str]) -> Passage:
    content = folder.read(lookup.path, LARGEST)
    text = _text(content)
    if text is None:
        return replace(wanted, why=NO_TEXT)
    if not text:
        return replace(wanted, why="it is empty")
    lines, first = _numbered(redact(text)), max(lookup.line, 1)
    cut = len(content) > LARGEST
    if first > len(lines):
        many = f"{len(lines)} lines" if len(lines) > 1 else "1 line"
        return replace(wanted, why=f"it has {many}{' in the part that is read' if cut else ''}")
    kept, last = _fitting(lines, first, room)
    whole = f"more than {len(lines)}" if cut else len(lines)
    return replace(wanted, text=kept, title=f"{wanted.title}, lines {first} to {last} of {whole}")


def _fitting(lines: list[str], first: int, room: int) -> tuple[str, int]:
    """As many lines as there is room for, and the number of the last; one that is too long alone is cut."""
    end, used = first - 1, 0
    while end < len(lines) and used + len(lines[end]) < room:
        used += len(lines[end]) + 1
        end += 1
    if end == first - 1:
        return lines[end][: room - 1] + "…", first
    return "\n".join(lines[first - 1 : end]), end


def _numbered(text: str) -> list[str]:
    """The lines as an editor numbers them."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _text(content: bytes) -> str | None:
    """A file as text, none if it is no text; a character that was cut in two at the limit is left out."""
    if b"\0" in content:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(content, final=len(content) <= LARGEST)
    except UnicodeDecodeError:
        return None


def _folder(folder: ConfinedFolder, lookup: Lookup, wanted: Passage, room: int) -> Passage:
    entries, left_out = folder.entries(lookup.path)
    shown = [
        f"{printable(entry.name)}/" if entry.size is None else f"{printable(entry.name)} ({entry.size:,} bytes)"
        for entry in entries[:LISTED]
    ]
    text = _lines(shown, room)
    if not text:
        return replace(wanted, why="it is empty, or holds only what is not shown")
    more = len(entries) - text.count("\n") - 1
    notes = (f"{more} more entries" if more else "", f"{left_out} not shown" if left_out else "")
    return replace(wanted, text=text, title=", ".join(filter(None, (wanted.title, *notes))))


def _lines(lines: list[str], room: int) -> str:
    kept, used = list[str](), 0
    for line in lines:
        used += len(line) + 1
        if used > room:
            break
        kept.append(line)
    return "\n".join(kept)


def _search(
    folder: ConfinedFolder, lookup: Lookup, wanted: Passage, room: int, redact: Callable[[str], str]
) -> Passage:
    sought = lookup.text.casefold()
    if len(sought.strip()) < SHORTEST:
        return replace(wanted, why=f"what is searched for has fewer than {SHORTEST} characters")
    hits, whole = _hits(folder, lookup.path, sought, redact)
    if not hits:
        return replace(wanted, why="nothing was found" if whole else "nothing was found in the part that was searched")
    text = _lines(hits, room)
    all_shown = whole and text.count("\n") + 1 == len(hits)
    return replace(wanted, text=text, title=wanted.title if all_shown else f"{wanted.title}, the first places")


def _hits(folder: ConfinedFolder, path: str, sought: str, redact: Callable[[str], str]) -> tuple[list[str], bool]:
    """Lines that hold a text, with file and number, and whether everything was looked at."""
    hits, left, until = list[str](), BYTES, time.monotonic() + SECONDS
    for number, (name, content) in enumerate(_contents(folder, path)):
        if number >= FILES or left <= 0 or len(hits) >= HITS or time.monotonic() > until:
            return hits[:HITS], False
        left -= len(content)
        text = _text(content) or ""
        if sought in text.casefold():
            hits += _hits_in(printable(name), redact(text), sought)
    return hits[:HITS], len(hits) <= HITS


def _contents(folder: ConfinedFolder, path: str) -> Iterator[tuple[str, bytes]]:
    """Every file below a path with its beginning; the path may be that of a file."""
    files = folder.walk(path)
    try:
        first = next(files, None)
    except PathRefused as refused:
        if refused.why != NO_FOLDER:
            raise
        yield path, folder.read(path, LARGEST)
        return
    for name, at, entry in chain(() if first is None else (first,), files):
        try:
            yield name, folder.read_in(at, entry.name, LARGEST)
        except PathRefused:
            yield name, b""


def _hits_in(name: str, text: str, sought: str) -> list[str]:
    found = [
        f"{name}:{number}: {_near(line, sought)}"
        for number, line in enumerate(_numbered(text), 1)
        if sought in line.casefold()
    ]
    more = [f"{name}: {len(found) - PER_FILE} more"] if len(found) > PER_FILE else []
    return found[:PER_FILE] + more


def _near(line: str, sought: str) -> str:
    """A line, or what stands around the text in a long one."""
    if len(line) <= 2 * _AROUND:
        return line.strip()
    at = line.casefold().find(sought)
    return f"…{line[max(0, at - _AROUND) : at + _AROUND].strip()}…"
