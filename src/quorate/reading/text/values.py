"""Reads a word, a percentage and a piece of prose as they are written, or not at all."""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern
from quorate.reading.text.escapes import unescape

LONGEST: Final = 4_000
"""Characters of a rationale that are kept; the reply itself is kept whole elsewhere."""

_CONTROL: Final[Mapping[int, None]] = MappingProxyType(
    dict.fromkeys((*range(9), 11, 12, *range(13, 32), *range(127, 160)))
)
_CONTROLS: Final = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]+")
"""The same in a text that is not ASCII, which takes ten times as long to translate."""
_LONGEST_NUMBER: Final = 80
_GROUPED: Final = lazy_pattern(r"[+-]?\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?", re.ASCII)


def percentage(written: str) -> tuple[Fraction, bool] | None:
    """A number from 0 to 100 as a share, and whether it was taken for one: 0.85 is 85 %, 1 is 1 %, 0.85 % is 0.85 %."""
    digits = written[:_LONGEST_NUMBER].strip()
    if len(written) > _LONGEST_NUMBER or not digits.isascii() or digits.startswith("-"):
        return None
    return _hundredths(digits)


@lru_cache(maxsize=1024)
def _hundredths(digits: str) -> tuple[Fraction, bool] | None:
    number = exact(digits.removesuffix("%").rstrip())
    if number is None or number > 100:  # noqa: PLR2004  the scale itself
        return None
    if 0 < number < 1 and not digits.endswith("%"):
        return number, True
    return number / 100, False


def prose(written: str) -> str:
    """A text as it reads, without control characters and of bearable length."""
    return plain(unescape(written[: 6 * LONGEST]))


def plain(text: str) -> str:
    """A text that says what it says, without control characters and of bearable length."""
    return without_controls(text)[:LONGEST]


def without_controls(text: str) -> str:
    """A text of any length without control characters, but for the ends of its lines."""
    return (text.translate(_CONTROL) if text.isascii() else _CONTROLS.sub("", text)).strip()


def of_one(written: str) -> Fraction | None:
    """A number from 0 to 1; 85 % is one too."""
    digits = written[:_LONGEST_NUMBER].strip()
    if len(written) > _LONGEST_NUMBER or not digits.isascii() or digits.startswith("-"):
        return None
    number = exact(digits.removesuffix("%").rstrip())
    if number is None:
        return None
    value = number / 100 if digits.endswith("%") else number
    return value if value.numerator <= value.denominator else None


def number_digits(written: str) -> str:
    """A number of any size as it is written, thousands without their commas; empty if it is none."""
    said = written.strip(" \"'*_")
    digits = said.replace(",", "") if _GROUPED.fullmatch(said) else said
    return digits if len(said) <= _LONGEST_NUMBER and exact(digits) is not None else ""
