"""Whether words stand in what a seat was shown, however they are written there."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from quorate.model.once import lazy_pattern

__all__ = ["shares_words", "stands_in"]

_SEPARATORS: Final = lazy_pattern(r"[\W_]+")
_PLAIN_SEPARATORS: Final = bytes(sign for sign in range(128) if not chr(sign).isalnum())
"""The same in ASCII, dropped in a twentieth of the time."""
_ENCODED: Final = lazy_pattern(r"%[0-9A-Fa-f]{2}|&(?:#x?[0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|\\+[nrt\"'/]")
_ESCAPED: Final = lazy_pattern(r"\\+u([0-9A-Fa-f]{4})")
_UNSPACED: Final = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese put no space between words, so each sign counts as one."""
_WORD: Final = lazy_pattern(rf"\d+(?:\.\d+)?|{_UNSPACED}|(?:(?!{_UNSPACED})[^\W\d_])+")
_UNSEEN: Final = lazy_pattern("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+")
_COPIED: Final = 8
"""Words in a row that nobody writes twice by chance."""
_READ_AT_ONCE: Final = 1
"""A reply is read from its beginning to its end before the next one is."""


def stands_in(shown: str, pieces: Sequence[str]) -> bool:
    """Whether every piece stands there, whatever its white space, case, punctuation and encoding."""
    folded = _shown_folded(shown)
    words = [text for text in map(_folded, pieces) if text]
    return bool(words) and all(text in folded for text in words)


def shares_words(shown: str, texts: Sequence[str]) -> bool:
    """Whether so many words in a row of one of these texts stand there too that they were copied."""
    rows = {row for text in texts for row in _rows(_words(text))}
    return bool(rows) and not rows.isdisjoint(_rows(_words(shown)))


def _rows(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (tokens[at : at + _COPIED] for at in range(len(tokens) - _COPIED + 1))


@lru_cache(maxsize=_READ_AT_ONCE)
def _shown_folded(shown: str) -> str:
    """Every candidate and every line of one reply is looked for in the same prompt."""
    return _folded(shown)


def _folded(text: str) -> str:
    plain = _plain(text)
    if plain.isascii():
        return plain.encode("ascii").translate(None, _PLAIN_SEPARATORS).decode("ascii")
    return _SEPARATORS.sub("", plain)


def _plain(text: str) -> str:
    """As it reads to somebody who decodes it: escapes are what they stand for, and encodings of signs are gone."""
    if "\\" in text or "%" in text or "&" in text:
        text = _ENCODED.sub(" ", _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
    return (text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))).casefold()


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_plain(text)))
