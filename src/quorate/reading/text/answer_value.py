"""A value behind a name as models write it: quoted with quotes inside, a list, or bare up to what follows."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.model.once import lazy_pattern
from quorate.reading.text.escapes import unescape

__all__ = ["AnswerValue", "read_value", "strip_quotes"]

_QUOTES: Final[Mapping[str, str]] = MappingProxyType({'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"})
_NAME: Final = r"[\"'“‘][^\"'”’\n]{0,48}+[\"'”’]\s{0,8}+:"
_FOLLOWS: Final = rf"\s*+(?:[,;]?\s*+(?:\}}|\]\s*+\}}|```|\Z)|[,;]\s*+{_NAME}|\n\s*+{_NAME})"
"""What stands behind a value that has ended: the end of the object, or the next name."""
_ENDS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {close: re.compile(rf"\\.|{close}(?={_FOLLOWS})", re.DOTALL) for close in _QUOTES.values()}
)
_BRACKETS: Final[Mapping[str, str]] = MappingProxyType({"[": "]", "{": "}", "(": ")"})
_STRUCTURE: Final = lazy_pattern(r"\\.|[\[\]{}()\"']", re.DOTALL)
_LONGEST: Final = 20_000
"""Characters of a list or an object that are looked through for its end."""


@dataclass(frozen=True, slots=True)
class AnswerValue:
    """What a value says, and where it ends."""

    text: str
    end: int


def read_value(text: str, at: int, limit: int) -> AnswerValue:
    """The value that begins here and ends before `limit`, where the next name stands."""
    begin = at
    while begin < limit and text[begin] in " \t\r\n*":
        begin += 1
    if text.startswith('\\"', begin):
        return _escaped_string(text, begin + 2, limit)
    sign = text[begin : begin + 1]
    if sign in _QUOTES and begin < limit:
        return _string(text, begin + 1, limit, _QUOTES[sign])
    if sign in _BRACKETS and begin < limit:
        return _bracketed(text, begin, limit)
    return _bare(text, begin, limit)


def _string(text: str, begin: int, limit: int, close: str) -> AnswerValue:
    """A quote ends it only where the object can go on behind it: any other is the writer's own, left unescaped."""
    for found in _ENDS[close].finditer(text, begin, limit):
        if found[0][0] != "\\":
            return AnswerValue(unescape(text[begin : found.start()]), found.end())
    stop = _first(text, "\n", begin, limit)
    last = text.rfind(close, begin, stop)
    end = last if last > begin else stop
    return AnswerValue(unescape(text[begin:end]).strip(), end)


def _escaped_string(text: str, begin: int, limit: int) -> AnswerValue:
    end = _first(text, '\\"', begin, limit)
    return AnswerValue(unescape(text[begin:end]).strip(), end)


def _bracketed(text: str, begin: int, limit: int) -> AnswerValue:
    """A list or an object, up to the bracket that ends it; quotes hide brackets."""
    waiting: list[str] = []
    quote = ""
    for found in _STRUCTURE.finditer(text, begin, begin + _LONGEST):
        sign = found[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign if not text[found.start() - 1].isalnum() else ""
        elif sign in _BRACKETS:
            waiting.append(_BRACKETS[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
            if not waiting:
                return AnswerValue(text[begin : found.end()], found.end())
    return _bare(text, begin, limit)


def _bare(text: str, begin: int, limit: int) -> AnswerValue:
    """Words without quotes, to the end of their line or of the object, or to the next name."""
    end = _first(text, "}", begin, _first(text, "\n", begin, limit))
    return AnswerValue(text[begin:end].rstrip(" \t,;\r\n"), end)


def _first(text: str, sign: str, begin: int, limit: int) -> int:
    """Where a sign stands first; the limit, if it stands nowhere before that."""
    return begin + len(text[begin:limit].partition(sign)[0])


def strip_quotes(text: str) -> str:
    """A text without the quotation marks around it, nor what stands behind the second of them."""
    said = text.strip()
    close = _QUOTES.get(said[:1])
    inside, ended, _ = said[1:].partition(close) if close else ("", "", "")
    return inside if ended else said
