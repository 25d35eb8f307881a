r"""Finds the objects in a text as models write them, mending punctuation; linear in time, whatever the text.

Only the few patterns below look at model text. Every repeat in them is possessive or bounded, so none goes back on
itself; what may be scanned twice is bounded (a key, a comment before the first key), everything else is consumed.
A group that is repeated so has `(?!)` as its last choice, which never fits: before Python 3.11.5 the pattern went on
from wherever a turn that failed had come to, unless the last choice failed at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from quorate.frozen import dataclass, fast_init
from quorate.model.once import lazy_pattern, pattern
from quorate.reading.text.escapes import unbroken, unescape

STEPS: Final = 5_000
DEPTH: Final = 64

_BLANKS: Final = r"\s>\u200b-\u200d\u2060\ufeff"
_BLANK: Final = f"[{_BLANKS}]"
_COMMENT: Final = r"//[^\n]*+|#[^\n]*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z)"
_NOTE: Final = r"/\*(?:[^*]++|\*(?!/)|(?!))*+\*/"
_KEY_QUOTED: Final = (
    r"\"(?:[^\"\\\n]{0,48}+\"|(?=[^\"\\\n]{0,48}+\\)(?:[^\"\\\n]|\\.|(?!)){0,48}+\")"
    r"|'(?:[^'\\\n]{0,48}+'|(?=[^'\\\n]{0,48}+\\)(?:[^'\\\n]|\\.|(?!)){0,48}+')"
    r"|[\u201c-\u201f][^\u201c-\u201f\"\n]{0,48}+[\u201c-\u201f\"]|[\u2018-\u201b][^\u2018-\u201b'\n]{0,48}+[\u2018-\u201b']"
)
_KEY_BARE: Final = r"[A-Za-z_][\w-]{0,48}+"
_IS: Final = r"\s*+[:=]"

_START: Final = lazy_pattern(
    rf"\{{{_BLANK}*+(?:(?://|#)[^\n]{{0,200}}+\n{_BLANK}*+|(?!)){{0,2}}+(?:{_KEY_QUOTED}|{_KEY_BARE}){_IS}"
)
_BETWEEN: Final = lazy_pattern(rf"(?:[{_BLANKS},;]++|{_COMMENT}|(?!))*+")
_KEY: Final = rf"{_BETWEEN.pattern}(?:({_KEY_QUOTED})|({_KEY_BARE})){_IS}(?:{_BLANK}++|{_NOTE}|(?!))*+"
"""No comment to the end of its line stands between a name and its value: it may hold the value, and the rest not."""
_FLAT_BEGINS: Final = lazy_pattern(
    r"\s*+\"([^\"\\\n]{0,48}+)\"\s*+:\s*+(?:\"|(-?[0-9][0-9.eE+-]*+|true|false|null))", re.DOTALL
)
_FLAT_GOES_ON: Final = lazy_pattern(r"\s*+([,}])")
_ESCAPED_TEXT: Final = lazy_pattern(r"[^\"\\]*+(?:\\.[^\"\\]*+|(?!))*+\"", re.DOTALL)
"""A member of an object as JSON wants it: how it begins, what follows it, and a text with escapes in it."""
_SEPARATOR: Final = lazy_pattern(r"[,;]")
_BARE: Final = lazy_pattern(r"(?:[^,;{}\[\]\r\n\"\u201c\u201d#/]++|/(?![/*])|(?!))*+")

# A quote ends a string only where the object can go on behind it; any other quote is the writer's, left unescaped.
_GOES_ON: Final = (
    rf"{_BLANK}*+(?:\}}|\Z|//|/\*|#|```|{_KEY_QUOTED}{_IS}"
    rf"|[,;][{_BLANKS},;]*+(?:\}}|\Z|//|/\*|#|(?:{_KEY_QUOTED}|{_KEY_BARE}){_IS}))"
    rf"|[^\S\n]*+\n{_BLANK}*+{_KEY_BARE}{_IS}"
)
_LIST_GOES_ON: Final = rf"{_BLANK}*+(?:[,\]}}]|\Z|//|/\*|#)"
_CLOSERS: Final = MappingProxyType(
    {'"': '"', "'": "'"}
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '\u201c-\u201f"')
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "\u2018-\u201b'")
)
"""The quotes that may end a string, by the one it begins with, as a set in a pattern."""
_FAMILY: Final = MappingProxyType(
    {'"': '"', "'": "'\""}
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '\u201c\u201d\u201e\u201f"')
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "\u2018\u2019\u201a\u201b'\"")
)


def _strings(goes_on: str, begins: str) -> Mapping[str, str]:
    """All of a string behind its first quote, to the one that ends it: an object that goes on does so by these signs.

    Most quotes have another sign behind them, and need no second look.
    """
    other = rf"[^\\\"'\u2018-\u201f{_BLANKS}{begins}]"
    return MappingProxyType(
        {
            opener: rf"[^\\{quotes}]*+(?:(?:\\.|[{quotes}](?:{other}|(?!{goes_on})))[^\\{quotes}]*+|(?!))*+"
            for opener, quotes in _CLOSERS.items()
        }
    )


_VALUES: Final = _strings(_GOES_ON, "}/#`,;")
_ITEMS: Final = _strings(_LIST_GOES_ON, r",\]}/#")
_LOOSE: Final = MappingProxyType(
    {opener: rf"(?:[^\\{quotes}]++|\\(?:u[0-9a-fA-F]{{4}}|.)|(?!))*+[{quotes}]" for opener, quotes in _FAMILY.items()}
)
"""Up to the first quote that is not escaped."""


@fast_init
@dataclass(frozen=True, slots=True)
class Scalar:
    """A value as it is written. Not `whole`: the text ends inside it. `loose`: where it ends is a guess."""

    raw: str
    whole: bool = True
    loose: bool = False


Member = tuple[str, Scalar | None]


_QUOTES: Final = frozenset(":\"'\\`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f")


def garbled_names(members: Iterable[Member]) -> list[str]:
    """Names that hold a sign no name has: another member may have run into them. Each reads as if a value followed."""
    return [f"{name}:" for name, _ in members if not _QUOTES.isdisjoint(name)]


@fast_init
@dataclass(frozen=True, slots=True)
class Object:
    """Members in their order, names without case; a list or an object is None there, `inner` has the objects.

    `items` has what stands in lists, each with the name of its list; `groups` are the stretches of them that stand in
    a list of their own within a list. `name` is the member that holds it; the outermost one and those in a list have
    none.
    """

    start: int
    end: int
    state: Literal["closed", "open", "overfull"]
    members: tuple[Member, ...] = ()
    inner: tuple["Object", ...] = ()
    items: tuple[tuple[str, "Scalar | Object"], ...] = ()
    groups: tuple[tuple[int, int], ...] = ()
    name: str = ""

    def walk(self) -> Iterator["Object"]:
        """This object and all within."""
        waiting: list[Object] = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting.extend(found.inner)


def objects(text: str, start: int = 0, end: int | None = None) -> Iterator[Object]:
    """The outermost objects of a stretch of text. One that is overfull is the last and takes all the rest."""
    end = len(text) if end is None else end
    scanner = _Scanner(text=text, at=start, end=end)
    named = max(text.rfind(":", start, end), text.rfind("=", start, end)) + 1  # behind that no object has a name
    while found := _START.search(text, scanner.at, named):
        yield scanner.scan(found.start())


def fold_case(written: str) -> str:
    """A word without its case. Only plain letters fold: a look-alike must not become what it looks like."""
    word = written.strip()
    return word.lower() if word.isascii() else word


@lru_cache(maxsize=1024)
def _name(quoted: str | None, bare: str | None) -> str:
    """A name as it is meant; a reply has few different ones, and many have the same."""
    return fold_case(bare or unescape((quoted or "")[1:-1]))


@lru_cache(maxsize=1024)
def _unescaped_name(name: str) -> str:
    return fold_case(unbroken(name))


_OPENS: Final = frozenset("{[")


class _Frame:
    """An object or a list that has begun. A list fills what belongs to the object that it stands in."""

    __slots__ = ("first", "groups", "inner", "items", "listed", "members", "name", "start")

    def __init__(self, start: int, within: "_Frame | None" = None, name: str = "") -> None:
        """By hand: to make five lists by a factory each takes longer than to read a member."""
        self.start, self.name, self.listed = start, name, within is not None
        if within is None:
            self.members: list[Member] = []
            self.inner: list[Object] = []
            self.items: list[tuple[str, Scalar | Object]] = []
            self.groups: list[tuple[int, int]] = []
        else:
            self.members, self.inner, self.items, self.groups = (
                within.members, within.inner, within.items, within.groups,
            )  # fmt: skip
        self.first = len(self.items)

    def object(self, end: int, state: Literal["closed", "open", "overfull"]) -> Object:
        return Object(
            self.start, end, state, tuple(self.members), tuple(self.inner), tuple(self.items), tuple(self.groups),
            self.name,
        )  # fmt: skip

    def holds(self, closed: Object) -> None:
        self.inner.append(closed)
        if self.listed:
            self.items.append((self.name, closed))


def _flat(text: str, start: int, end: int) -> Object | None:
    """An object written as JSON wants it, of texts, numbers and truths alone, as most are; none if it is another.

    Nothing is mended here, and so nothing is guessed: it is what the scanner finds, found at once.
    """
    members: list[Member] = []
    at = start + 1
    while found := _FLAT_BEGINS.match(text, at, end):
        begin = found.end()
        name, bare = found.groups()
        stop = begin if bare is not None else _text_end(text, begin, end)
        goes_on = _FLAT_GOES_ON.match(text, stop + (bare is None), end) if stop >= 0 else None
        if goes_on is None:
            return None
        members.append((_unescaped_name(name), Scalar(text[begin:stop] if bare is None else bare)))
        at = goes_on.end()
        if goes_on[1] == "}":
            return Object(start, at, "closed", tuple(members))
    return None


def _text_end(text: str, begin: int, end: int) -> int:
    """Where the first quotation mark stands that is not escaped; it is found sooner than every sign is looked at."""
    at = text.find('"', begin, end)
    if at < 0 or text.find("\\", begin, at) < 0:
        return at
    escaped = _ESCAPED_TEXT.match(text, begin, end)
    return escaped.end() - 1 if escaped else -1


@dataclass(slots=True, eq=False, repr=False)
class _Scanner:
    text: str
    at: int
    end: int
    steps: int = STEPS
    frames: list[_Frame] = field(default_factory=list[_Frame])

    def scan(self, start: int) -> Object:
        """Read the object that begins here, up to its end, the end of the text or the first thing that fits nowhere."""
        flat = _flat(self.text, start, self.end)
        if flat is not None and len(flat.members) < self.steps:
            self.steps -= len(flat.members) + 1
            self.at = flat.end
            return flat
        self.at = start + 1
        self.frames = [_Frame(start)]
        while self.steps and len(self.frames) <= DEPTH:
            self.steps -= 1
            frame = self.frames[-1]
            if not (self._item(frame) if frame.listed else self._member(frame)):
                return self._close() if self.text.startswith("}", self.at, self.end) else self._abandon("open")
        self.at = self.end
        return self._abandon("overfull")

    def _close(self) -> Object:
        """The brace of the outermost object."""
        self.at += 1
        return self.frames.pop().object(self.at, "closed")

    def _abandon(self, state: Literal["open", "overfull"]) -> Object:
        while True:
            frame = self.frames.pop()
            if not self.frames:
                return frame.object(self.at, state)
            if not frame.listed:
                self.frames[-1].holds(frame.object(self.at, "open"))

    def _member(self, frame: _Frame) -> bool:
        """Read one member, or the end of an object within another; false at anything else."""
        key = pattern(_KEY).match(self.text, self.at, self.end)
        if key is None:
            return self._ends(frame)
        self.at = key.end()
        name = _name(key[1], key[2])
        sign = self.text[self.at : self.at + 1]
        value = None if sign in _OPENS and self._opens(frame, name) else self._scalar(_VALUES)
        frame.members.append((name, value))
        return True

    def _ends(self, frame: _Frame) -> bool:
        """True at the brace of an object within another."""
        before = self.at
        self.at = self._after(_BETWEEN)
        ends = self.text.startswith("}", self.at, self.end)
        if not ends:
            self._doubt(frame, before)
        within = ends and len(self.frames) > 1
        if within:
            closed = self._close()
            self.frames[-1].holds(closed)
        return within

    def _doubt(self, frame: _Frame, before: int) -> None:
        """A bare value that runs into something else may be but the beginning of one. The end of a fence is none."""
        fenced = self.at == self.end or self.text.startswith("```", self.at, self.end)
        name, last = frame.members[-1] if frame.members else ("", None)
        if last is None or fenced or self.text[before - 1] in _CLOSERS or _SEPARATOR.search(self.text, before, self.at):
            return
        frame.members[-1] = name, Scalar(last.raw, whole=False, loose=last.loose)

    def _item(self, frame: _Frame) -> bool:
        """Read one item of a list, or its end: its bracket, or the brace of the object it stands in."""
        self.at = before = self._after(_BETWEEN)
        sign = self.text[self.at : self.at + 1]
        if sign in ("]", "}") and self.at < self.end:
            self.at += sign == "]"
            closed = self.frames.pop()
            if self.frames[-1].listed:
                closed.groups.append((closed.first, len(closed.items)))
            return True
        if sign in _OPENS and self._opens(frame, frame.name):
            return True
        item = self._scalar(_ITEMS)
        if self.at > before:
            frame.items.append((frame.name, item))
        if item.loose:
            frame.members.append(("", item))
        return self.at > before

    def _after(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at, self.end)
        return found.end() if found else self.at

    def _opens(self, frame: _Frame, name: str) -> bool:
        """A list hands the objects and items it holds, and guesses, to the object it stands in."""
        if self.text.startswith("{", self.at, self.end):
            self.frames.append(_Frame(self.at, name="" if frame.listed else name))
        elif self.text.startswith("[", self.at, self.end):
            self.frames.append(_Frame(self.at, frame, name))
        else:
            return False
        self.at += 1
        return True

    def _scalar(self, strings: Mapping[str, str]) -> Scalar:
        sign = self.text[self.at : self.at + 1] if self.at < self.end else ""
        if sign in _CLOSERS:
            return self._string(sign, pattern(strings[sign], re.DOTALL))
        begin = self.at
        self.at = self._after(_BARE)
        raw = self.text[begin : self.at].rstrip()
        return Scalar(raw, whole=begin + len(raw) < self.end, loose=":" in raw or "=" in raw)

    def _string(self, sign: str, string: re.Pattern[str]) -> Scalar:
        begin = self.at + 1
        self.at = begin
        stop = self._after(string)
        # It stops at the quote that ends it, at the end of the text, or at a backslash with nothing behind it there.
        whole = stop < self.end and self.text[stop] != "\\"
        self.at = stop + 1 if whole else self.end
        raw = self.text[begin : stop if whole else self.end]
        return Scalar(raw, whole=whole, loose=_is_loose(raw, sign))


def _is_loose(raw: str, sign: str) -> bool:
    """Whether a string holds a quote that might have ended it."""
    if not any(quote in raw for quote in _FAMILY[sign]):
        return False
    return "\\" not in raw or pattern(_LOOSE[sign], re.DOTALL).match(raw) is not None
