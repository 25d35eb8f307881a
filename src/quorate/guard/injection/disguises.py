"""What a text says when it is read another way: decoded, shifted, backwards."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping
from html import unescape
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

from quorate.guard.injection.folding import fold

ROT13: Final[Mapping[int, int]] = MappingProxyType(
    str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
)
BASE64: Final = re.compile("[0-9A-Za-z+/_-]{20,}+")
PERCENT: Final = re.compile("%[2-7][0-9A-Fa-f]")
HEX: Final = re.compile("(?:[0-9A-Fa-f]{2}){12,}+")


def unmask(text: str, folded: str) -> Iterator[str]:
    """Every other reading of a text that is worth a look, folded too."""
    yield folded.translate(ROT13)
    yield folded[::-1]
    if "&#" in text:
        yield fold(unescape(text))
    if PERCENT.search(text):
        yield fold(unquote(text))
    if decoded := "\n".join(_decoded(text)):
        yield fold(decoded)


def _decoded(text: str) -> Iterator[str]:
    for run in BASE64.findall(text):
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
