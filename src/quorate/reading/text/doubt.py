"""Why an object that can be read is not to be trusted: two marks in one, or a guess with another value behind it."""

import re
from collections.abc import Sequence
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.reading.text.objects import Object, garbled_names
from quorate.reading.text.page import Page

__all__ = ["STRAY", "STRAY_NAMES", "doubtful", "is_guessed", "stray_of"]


def stray_of(names: str) -> re.Pattern[str]:
    """How the beginning of another value looks, in a form whose members have these names."""
    return lazy_pattern(rf"(?<![A-Za-z0-9_])(?:{names})" + r"[\"'\u2018-\u201f*\\]{0,3}+\s*+[:=]", re.IGNORECASE)


STRAY_NAMES: Final = (
    r"decision|choice|option|outcome|answer|value|probability|estimate|confidence|risk|mark|"
    r"claims?|points|arguments|evidence|leaning|leans|position|agreed|open|[ab][_ -](?:evidence|logic)"
)
STRAY: Final = stray_of(STRAY_NAMES)
"""How the beginning of another value of an answer looks."""


def is_guessed(page: Page, whole: Object, stray: re.Pattern[str] = STRAY) -> bool:
    """Whether an object was read by a guess at where a value ends, and another value of an answer stands there.

    `stray` is how the beginning of such a value looks in the form at hand.
    """
    members = [member for part in whole.walk() for member in part.members]
    loose = [value.raw for _, value in members if value and value.loose] + garbled_names(members)
    return bool(loose) and (any(map(stray.search, loose)) or stray.search(page.text, whole.end, page.end) is not None)


def doubtful(marks: Sequence[str], *, guess: bool) -> str:
    """A word why what can be read may be two things run into one; else nothing."""
    return "duplicate" if len(set(marks)) > 1 else "ambiguous" if guess else ""
