"""Reads a ballot written without braces: one label a line, as in "**Decision:** WARN"."""

import re
from collections.abc import Mapping
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.model.once import lazy_pattern
from quorate.reading.text.objects import Member, Scalar
from quorate.reading.text.page import Span

# A quoted label is a piece of an object; it is seen so that it counts as a second statement.
_LINE: Final = lazy_pattern(
    r"^(?!\n)[ \t*_#\"'\u2018-\u201f\u200b\ufeff-]{0,12}+(?:\d{1,2}[.)][ \t*_]{0,4}+)?"
    r"(decision|choice|option|outcome|confidence|risk|reasoning|reason|rationale|mark)"
    r"[ \t*_\"'\u2018-\u201f]{0,4}+[:=]([^\r\n]*+)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_OTHER: Final = lazy_pattern(
    r"^[ \t*_#\"'\u2018-\u201f\u200b\ufeff-]{0,12}+(?:\d{1,2}[.)][ \t*_]{0,4}+)?"
    r"([A-Za-z][A-Za-z _-]{0,30}+)[*\"'\u2018-\u201f]{0,4}+[ \t]{0,4}+[:=]([^\r\n]*+)",
    re.MULTILINE,
)
"""A line with any label, as somebody writes what is no part of a ballot."""
_DECIDING: Final = ("decision", "choice", "option", "outcome")
_NUMBERS: Final = ("confidence", "risk")
_STATED: Final = ("decision", *_NUMBERS)
_DECORATION: Final = " \t*_`\"'"
_MOST: Final = 64
_WIDE: Final = MappingProxyType({point: point - 0xFEE0 for point in range(0xFF01, 0xFF5F)})
"""Full-width signs as what they look like, one for one, so that places agree."""
_MARK: Final = lazy_pattern(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class LabelledBallot:
    """The labels found, as members of an object, and the lines they stand on."""

    members: tuple[Member, ...]
    spans: tuple[Span, ...]
    lines: tuple[str, ...] = ()
    """Those that state the decision and its numbers, as they are written."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The different marks on lines of their own; what has not the shape of a mark is none."""
        written = (value.raw.lower() for name, value in self.members if value and name == "mark")
        return tuple(dict.fromkeys(mark for mark in written if _MARK.fullmatch(mark)))


def labelled_ballot(text: str, start: int, end: int, names: Mapping[str, str]) -> LabelledBallot | None:
    """Lines that make up one ballot: decision, confidence and risk each exactly once, else nothing."""
    lowered = text.lower()
    if "confidence" not in lowered or "risk" not in lowered:
        return None
    found = list(islice(_LINE.finditer(text, start, _last_label(text, start, end)), _MOST + 1))
    seen = [names[line[1].lower()] for line in found]
    if len(found) > _MOST or not _is_one_ballot(text, found, seen):
        return None
    lines = tuple(line[0] for line, name in zip(found, seen, strict=True) if name in _STATED)
    members = tuple((line[1].lower(), Scalar(line[2].strip(_DECORATION), whole=line.end() < end)) for line in found)
    return LabelledBallot(members, tuple(line.span() for line in found), lines)


def _is_one_ballot(text: str, found: list[re.Match[str]], seen: list[str]) -> bool:
    """Whether each value is stated once, on lines that are indented alike, with no heading between them.

    Without braces only this tells a ballot's own lines from those under `rejected:`.
    """
    if any(seen.count(name) != 1 for name in _STATED):
        return False
    own = [line for line, name in zip(found, seen, strict=True) if name in {*_STATED, "mark"}]
    indents = {len(line) - len(line.lstrip()) for line in (one[0].expandtabs() for one in own)}
    between = "\n".join(text[one.end() : other.start()] for one, other in pairwise(own))
    return len(indents) == 1 and not any(line.rstrip(_DECORATION).endswith(":") for line in between.splitlines())


def _last_label(text: str, start: int, end: int) -> int:
    """The end of the last line that can have a label: behind it there may be a million without one."""
    sign = max(text.rfind(":", start, end), text.rfind("=", start, end))
    stop = text.find("\n", sign, end) if sign >= 0 else start
    return stop if stop >= 0 else end


def other_labels(text: str, start: int, end: int, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """What else is said on lines with a label, each with what stands behind it; the same line counts once."""
    lines = dict.fromkeys(text[start:end].split("\n")[start > 0 and text[start - 1] != "\n" :])
    written: dict[tuple[str, str], None] = dict.fromkeys(_OTHER.findall("\n".join(lines)))
    found = ((name.strip().lower(), value.strip(_DECORATION)) for name, value in written)
    return [(name, value) for name, value in found if name not in names]


def label_lines(text: str) -> tuple[Span, ...]:
    """Every line that looks like a piece of a ballot, where a decision and a number of one stand in the text."""
    narrow = text if text.isascii() else text.translate(_WIDE)
    lowered = narrow.lower()
    # Most texts have no such line, and to compile what looks for them takes as long as to read several replies.
    if not any(name in lowered for name in _DECIDING) or not any(name in lowered for name in _NUMBERS):
        return ()
    found = list(_LINE.finditer(narrow))
    names = {match[1].lower() for match in found}
    if names.isdisjoint(_DECIDING) or names.isdisjoint(_NUMBERS):
        return ()
    return tuple(match.span() for match in found)
