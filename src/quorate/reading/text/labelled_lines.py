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
    r"(decision|choice|option|outcome|confidence|risk|reasoning|reason|rationale|veto|mark)"
    r"[ \t*_\"'\u2018-\u201f]{0,4}+[:=]([^\r\n]*+)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_DECIDING: Final = ("decision", "choice", "option", "outcome")
_NUMBERS: Final = ("confidence", "risk")
_STATED: Final = ("decision", *_NUMBERS)
_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(_DECIDING, "decision")
    | {name: name for name in (*_NUMBERS, "veto", "mark")}
    | dict.fromkeys(("reasoning", "reason", "rationale"), "reasoning")
)
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

    @property
    def marks(self) -> tuple[str, ...]:
        """The different marks on lines of their own; what has not the shape of a mark is none."""
        written = (value.raw.lower() for name, value in self.members if value and name == "mark")
        return tuple(dict.fromkeys(mark for mark in written if _MARK.fullmatch(mark)))


def labelled_ballot(text: str, start: int, end: int) -> LabelledBallot | None:
    """Lines that make up one ballot: decision, confidence and risk each exactly once, else nothing."""
    lowered = text.lower()
    if "confidence" not in lowered or "risk" not in lowered:
        return None
    found = list(islice(_LINE.finditer(text, start, _last_label(text, start, end)), _MOST + 1))
    seen = [_NAMES[line[1].lower()] for line in found]
    if len(found) > _MOST or not _is_one_ballot(text, found, seen):
        return None
    members = tuple((line[1].lower(), Scalar(line[2].strip(_DECORATION), whole=line.end() < end)) for line in found)
    return LabelledBallot(members, tuple(line.span() for line in found))


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
