"""Which objects of a reply may be a ballot, and the marks they carry. Every form reads by this one rule.

A seat writes objects for many reasons: what it rejected, what it thought before, an example. So an object inside
another counts only under one of a few listed names, or if it carries the seat's own mark. Two such objects in one are
no ballot at all: nobody can tell which of them is meant.
"""

import re
from collections.abc import Callable
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.reading.text.objects import Object

__all__ = ["LISTED", "all_marks", "ballots_in", "has_key", "marks_in"]

LISTED: Final = frozenset({"ballot", "vote", "decision", "answer", "arguments"})
"""Names under which models, and the tool calls that some of them write as text, put a ballot."""

_MARK: Final = lazy_pattern(r"[0-9a-f]{12}")
_MARK_IN_LABEL: Final = lazy_pattern(r"(?<![0-9a-z])[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)


def ballots_in(whole: Object, states: Callable[[Object], bool], mark: str) -> list[Object]:
    """The object itself and those directly in it that may be a ballot; `states` tells whether one looks like it."""
    inner = [
        part
        for part in whole.inner
        if states(part) and (part.name in LISTED or (mark != "" and mark in marks_in(part)))
    ]
    return [whole, *inner] if states(whole) else inner


def has_key(part: Object, keys: frozenset[str]) -> bool:
    """Whether an object has one of these keys for a value of its own, not for a ballot inside it."""
    for name, value in part.members:
        if name in keys:
            holds_ballot = value is None and name in LISTED and any(inner.name == name for inner in part.inner)
            if not holds_ballot:
                return True
    return False


def marks_in(part: Object) -> tuple[str, ...]:
    """The marks an object states; a value that does not look like a mark is none."""
    written = [value.raw.strip().lower() for name, value in part.members if value and name == "mark"]
    return tuple([found for found in written if _MARK.fullmatch(found)]) if written else ()


def all_marks(text: str, begin: int, whole: Object, *parts: Object) -> tuple[str, ...]:
    """The different marks that bear on a ballot: in its label, in the object around it, and in itself.

    A ballot is the seat's own only if there is no other mark among them, so none of the places is left out.
    """
    label = _MARK_IN_LABEL.findall(text[begin : whole.start].lower()) if begin < whole.start else ()
    stated = [found for part in (whole, *parts) for found in marks_in(part)]
    return tuple(dict.fromkeys((*stated, *label)))
