"""Characters that steer a terminal or hide from a reader, and JSON that is written without them."""

import json
from typing import Final

from quorate.model.once import lazy_pattern

__all__ = ["STEERING", "escaped_json", "is_plain"]

STEERING: Final = lazy_pattern(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"  # soft hyphen, joiners, Arabic and Syriac signs
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # letters and marks that show nothing
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff0-\ufffb"  # widths, separators, directions
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # other scripts' controls
    "\U000e0000-\U000e0fff"  # tags and selectors
    "\ud800-\udfff"  # halves of a character
    "]"
)


def is_plain(text: str) -> bool:
    """Whether nothing steers or hides in it for certain: to compile what looks for it takes longer than most texts."""
    printed = text.replace("\n", "").replace("\t", "").isprintable()
    return printed and (text.isascii() or _PRINTED.isdisjoint(text))


_PRINTED: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))))
)
"""Of all that hides, what Python takes for printable."""


def escaped_json(text: str) -> str:
    """A JSON text with the same meaning in which nothing steers or hides."""
    return text if is_plain(text) else STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text)
