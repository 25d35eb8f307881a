"""What a text in quotation marks says: escapes of JSON become their signs, commands of LaTeX stay as they are."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.once import lazy_pattern

__all__ = ["unbroken", "unescape"]

_ESCAPE: Final = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|[A-Za-z]++|.)", re.DOTALL)
_SIGNS: Final[Mapping[str, str]] = MappingProxyType({"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"})
_THEMSELVES: Final = frozenset("\"'\\/")
_LATEX: Final = frozenset(
    {
        *("bar", "begin", "beta", "big", "bigl", "bigr", "binom", "bmod", "boxed", "bot", "bullet", "bf"),
        *("flat", "forall", "frac"),
        *("neq", "ne", "nu", "nabla", "neg", "notin", "nmid"),
        *("rangle", "rceil", "rfloor", "rho", "right", "rightarrow", "rm"),
        *(
            "tan",
            "tanh",
            "tau",
            "text",
            "textbf",
            "textit",
            "tfrac",
            "theta",
            "therefore",
            "tilde",
            "times",
            "to",
            "top",
            "triangle",
        ),
        *("underline", "underbrace", "uparrow", "upsilon"),
    }
)
"""Commands of LaTeX that begin like an escape of JSON: a fraction is no form feed."""


def unescape(raw: str) -> str:
    """What a quoted text says, half a surrogate pair shown as a replacement sign."""
    if "\\" in raw:
        raw = _ESCAPE.sub(_character, raw)
    return unbroken(raw)


def unbroken(text: str) -> str:
    """The same text, half a surrogate pair shown as a replacement sign: nothing could store or send it."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(escape: re.Match[str]) -> str:
    sign = escape[1]
    if sign in _THEMSELVES:
        return sign
    if sign[0] == "u" and len(sign) == _CODE:
        return _by_code(sign, escape[0])
    if sign[0] in _SIGNS and sign not in _LATEX:
        return _SIGNS[sign[0]] + sign[1:]
    return escape[0]


_CODE: Final = 5


def _by_code(sign: str, otherwise: str) -> str:
    try:
        return chr(int(sign[1:], 16))
    except ValueError:
        return otherwise
