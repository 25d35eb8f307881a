"""One spelling for every way to write a word, as a reader who cannot be fooled sees it; decoded and backwards too."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from unicodedata import category, normalize
from urllib.parse import unquote

from quorate.model.once import lazy_pattern


def fold(text: str) -> str:
    """Take off accents, width, style, case and what is invisible; join letters that were spaced out.

    Character by character: normalising a whole text takes quadratic time on stacked accents.
    """
    if text.isascii():  # no accent, no style, and two marks that are not spoken
        plain = text.lower().replace("'", "").replace("`", "")
    else:
        plain = text.translate({ord(char): _folded(char) for char in set(text)})
    return SPACED_OUT.sub(_joined, plain)


@lru_cache(4096)
def _folded(char: str) -> str:
    if char in UNSPOKEN:
        return ""
    if category(char) in INERT:
        return char
    kept = (part for part in normalize("NFKD", char) if category(part) not in UNSEEN)
    return "".join(kept).translate(SMALL_CAPITALS).casefold()


def _joined(run: re.Match[str]) -> str:
    return " ".join("".join(LETTER.findall(word)) for word in WIDE_GAP.split(run[0]))


INERT: Final = frozenset({"Cn", "Co"})
UNSEEN: Final = frozenset({"Cf", "Me", "Mn"})
UNSPOKEN: Final = "'\u2019\u02bc\u00b4`"

SMALL_CAPITALS: Final[Mapping[int, int]] = MappingProxyType(
    str.maketrans(
        "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
        "abcdefghijklmnoprstuvwyz",
    )
)

LETTER: Final = lazy_pattern(r"[^\W_]")
WIDE_GAP: Final = lazy_pattern(r"[\s._*\-]{2,3}")
SPACED_OUT: Final = lazy_pattern(r"(?<![^\W_])(?:[^\W_][\s._*\-]{1,3}){4,}[^\W_](?![^\W_])")


ROT13: Final[Mapping[int, int]] = MappingProxyType(
    str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
)
BASE64: Final = lazy_pattern("[0-9A-Za-z+/_-]{20,}+")
PERCENT: Final = lazy_pattern("%[2-7][0-9A-Fa-f]")
HEX: Final = lazy_pattern("(?:[0-9A-Fa-f]{2}|(?!)){12,}+")


def turn_around(folded: str) -> tuple[str, str]:
    """What a folded text, or a word of it, says in ROT13 and backwards. Both are told apart into the same words."""
    return folded.translate(ROT13), folded[::-1]


def unmask(text: str) -> Iterator[str]:
    """What a text says once it is decoded, folded too."""
    if "&#" in text:
        from html import unescape  # noqa: PLC0415  two thousand names of characters, for hardly any text

        yield fold(unescape(text))
    if "%" in text and PERCENT.search(text):
        yield fold(unquote(text))
    if decoded := "\n".join(_decoded(text)):
        yield fold(decoded)


def _decoded(text: str) -> Iterator[str]:
    runs = BASE64.findall(text)
    if not runs:  # then none is hexadecimal either: those digits are among these characters, and it takes more of them
        return
    for run in runs:
        try:
            yield b64decode(run[: len(run) // 4 * 4].translate(URL_SAFE)).decode()
        except (Error, UnicodeDecodeError):
            continue
    for run in HEX.findall(text):
        try:
            yield bytes.fromhex(run).decode()
        except UnicodeDecodeError:
            continue


URL_SAFE: Final[Mapping[int, int]] = MappingProxyType(str.maketrans("-_", "+/"))
