"""Others' text as it may be shown: nothing in it steers a terminal, hides from a reader or forges a line of ours."""

import json
import re
from typing import Final

__all__ = ["harmless_markdown", "one_line", "visible", "visible_json"]

_STEERING: Final = re.compile(
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
_LINKING: Final = re.compile(r"(?<=\])(?=[(\[:])|(?<=!)(?=\[)")
_HTML: Final = re.compile(r"<(?=[A-Za-z/!?])")


def visible(text: str) -> str:
    r"""Show what steers or hides as an escape such as \u202e; tabs and newlines stay, and so does everything else."""
    return _STEERING.sub(_escaped, text.replace("\r\n", "\n"))


def one_line(text: str, most: int = 0) -> str:
    """The same in one line, cut after `most` characters where that is given."""
    line = " ".join(visible(text).split())
    return line if not most or len(line) <= most else f"{line[: most - 1]}…"


def visible_json(text: str) -> str:
    """A JSON text with the same meaning in which nothing steers or hides."""
    return _STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def harmless_markdown(text: str) -> str:
    """Visible text as Markdown that loads no picture, links nowhere else than it says and holds no HTML."""
    # A backslash before "<" could itself be escaped by one of theirs; an entity cannot.
    return _HTML.sub("&lt;", _LINKING.sub(r"\\", visible(text)))


def _escaped(found: re.Match[str]) -> str:
    point = ord(found[0])
    if point <= 0xFF:  # noqa: PLR2004
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004
