"""Which stretch of a reply is not private thinking, however its model marks that; linear in time."""

import re
from collections.abc import Iterator
from typing import Final

from quorate.model.template_tokens import THINKING

__all__ = ["public_span"]

_SIGNS: Final = ("<", "[", "\u25c1")
_QUOTES: Final = "\"'`\u201c\u201d\u2018\u2019"
_BEFORE_A_QUOTE: Final = " \t\r\n([{:,;"

_TAGS: Final = "|".join(sorted(map(re.escape, THINKING), key=len, reverse=True))
_MARKUP: Final = re.compile(
    rf"<\s{{0,2}}+(?P<tag>/?)\s{{0,2}}+(?P<name>{_TAGS})(?:\s{{1,4}}+[\w-]{{1,20}}+=[^<>]{{0,64}}+|\s{{0,2}}+)>"
    r"|\[(?P<bracket>/?)THINK\]"
    r"|\u25c1(?P<arrow>/?)think\u25b7"
    r"|<\|(?P<thought>begin|end)_of_thought\|>"
    r"|<\|(?P<thinking>START|END)_THINKING\|>"
    r"|<\|channel>\s{0,4}+thought(?P<turn>)|<channel\|>"
    r"|<\|channel\|>(?P<final>\s{0,4}+final\b[^<]{0,64}+(?:<\|constrain\|>[^<]{0,64}+)?<\|message\|>)?(?P<channel>)"
    r"|<\|(?P<message>start|end|return|call)\|>",
    re.IGNORECASE | re.ASCII,
)
_SPELT_OUT: Final = re.compile(r"\Aanalysis(?=[A-Z])")
"""How harmony begins where a server has dropped its tokens; `assistantfinal` is where the answer does."""
_ANSWERS: Final = "assistantfinal"


def public_span(text: str) -> tuple[int, int]:
    """Where the words meant for others begin and end: behind the last thinking that ended, before any that did not.

    A tag in quotation marks is a mention and neither begins nor ends anything. A tag ends only what its like began, and
    whatever stands before one that ends is private: some templates begin the thinking themselves.
    """
    if _SPELT_OUT.match(text):
        at = text.rfind(_ANSWERS)
        return (at + len(_ANSWERS), len(text)) if at >= 0 else (len(text), len(text))
    start, begun, kind = 0, len(text), ""
    for found, family, begins in _tags(text):
        if not begins:
            start, kind = found.end(), "" if kind == family else kind
        elif not kind:
            kind, begun = family, found.start()
    return start, max(start, begun) if kind else len(text)


def _tags(text: str) -> Iterator[tuple[re.Match[str], str, bool]]:
    """Every tag that is no mention, as `_read` has it; a harmony message means nothing before there is a channel."""
    if not any(sign in text for sign in _SIGNS):
        return
    channels = False
    for found in _MARKUP.finditer(text):
        if _mentioned(text, found) or (found["message"] and not channels):
            continue
        family, begins = _read(found)
        channels = channels or family == "channel"
        yield found, family, begins


def _read(found: re.Match[str]) -> tuple[str, bool]:
    """Of which kind a tag is, and whether thinking begins there or ends."""
    parts = found.groupdict()
    if parts["name"] is not None:
        name = parts["name"].lower()
        return ("think" if name == "thinking" else name), not parts["tag"]
    for family in ("bracket", "arrow"):
        if parts[family] is not None:
            return family, not parts[family]
    for family, opens in (("thought", "begin"), ("thinking", "start")):
        if parts[family] is not None:
            return family, parts[family].lower() == opens
    if parts["channel"] is not None or parts["message"] is not None:
        return "channel", parts["final"] is None
    return "turn", parts["turn"] is not None


def _mentioned(text: str, found: re.Match[str]) -> bool:
    """Whether a tag stands in quotation marks that begin and end with it."""
    begin, end = found.span()
    before, after = text[max(0, begin - 2) : begin], text[end : end + 1]
    if not after or not before or after not in _QUOTES or before[-1] not in _QUOTES:
        return False
    return len(before) == 1 or before[0] in _BEFORE_A_QUOTE
