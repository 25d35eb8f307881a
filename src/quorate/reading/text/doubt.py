"""Whether an object that can be read was read by a guess, with the beginning of another value behind it."""

import re
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.reading.text.letter_case import lower_case, page_in_lower_case
from quorate.reading.text.objects import Object, garbled_names
from quorate.reading.text.page import Page

__all__ = ["STRAY", "STRAY_NAMES", "is_guessed", "stray_of"]


def stray_of(names: str) -> re.Pattern[str]:
    """How the beginning of another value looks, in a form with these names; in lower case if they are."""
    begins = all(name[:1].isalnum() for name in names.split("|"))  # and then both say the same, the second faster
    source = r"(?a:\b)" if begins else "(?<![A-Za-z0-9_])"
    source += rf"(?:{names})[\"'\u2018-\u201f*\\]{{0,3}}+\s*+[:=]"
    return lazy_pattern(source) if names.isascii() and names.lower() == names else lazy_pattern(source, re.IGNORECASE)


STRAY_NAMES: Final = (
    r"decision|choice|option|outcome|answer|value|probability|estimate|confidence|risk|mark|"
    r"claims?|points|arguments|evidence|leaning|leans|position|agreed|open|"
    r"a[_ -](?:evidence|logic)|b[_ -](?:evidence|logic)"
)
STRAY: Final = stray_of(STRAY_NAMES)
"""How the beginning of another value of an answer looks."""


def is_guessed(page: Page, whole: Object, stray: re.Pattern[str] = STRAY) -> bool:
    """Whether an object was read by a guess at where a value ends, and another value of an answer stands there.

    `stray` is how the beginning of such a value looks in the form at hand.
    """
    members = [member for part in whole.walk() for member in part.members]
    loose = [value.raw for _, value in members if value and value.loose] + garbled_names(members)
    return bool(loose) and (any(_is_stray(stray, raw) for raw in loose) or _follows(stray, page, whole.end))


def _is_stray(stray: re.Pattern[str], raw: str) -> bool:
    """Whether the beginning of a value stands in a text; nothing else is looked for where no value can begin."""
    if ":" not in raw and "=" not in raw:
        return False
    return stray.search(raw if stray.flags & re.IGNORECASE else lower_case(raw)) is not None


def _follows(stray: re.Pattern[str], page: Page, at: int) -> bool:
    if page.text.find(":", at, page.end) < 0 and page.text.find("=", at, page.end) < 0:
        return False
    text = page.text if stray.flags & re.IGNORECASE else page_in_lower_case(page.text)
    return stray.search(text, at, page.end) is not None
