"""Others' text as it may be shown: nothing in it steers a terminal, hides from a reader or forges a line of ours."""

import re
from typing import Final

from quorate.model.characters import STEERING, escaped_json, is_plain
from quorate.model.once import lazy_pattern

__all__ = ["harmless_markdown", "one_line", "visible", "visible_json"]

_LINKING: Final = lazy_pattern(r"(?<=\])(?=[(\[:])|(?<=!)(?=\[)")
_HTML: Final = lazy_pattern(r"<(?=[A-Za-z/!?])")


def visible(text: str) -> str:
    r"""Show what steers or hides as an escape such as \u202e; tabs and newlines stay, and so does everything else."""
    lines = text.replace("\r\n", "\n")
    return lines if is_plain(lines) else STEERING.sub(_escaped, lines)


def one_line(text: str, most: int = 0) -> str:
    """The same in one line, cut after `most` characters where that is given."""
    line = " ".join(visible(text).split())
    return line if not most or len(line) <= most else f"{line[: most - 1]}…"


def visible_json(text: str) -> str:
    """A JSON text with the same meaning in which nothing steers or hides."""
    return escaped_json(text)


def harmless_markdown(text: str) -> str:
    """Visible text as Markdown that loads no picture, links nowhere else than it says and holds no HTML."""
    # A backslash before "<" could itself be escaped by one of theirs; an entity cannot.
    return _HTML.sub("&lt;", _LINKING.sub(r"\\", visible(text)))


def _escaped(found: re.Match[str]) -> str:
    point = ord(found[0])
    if point <= 0xFF:  # noqa: PLR2004
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004
