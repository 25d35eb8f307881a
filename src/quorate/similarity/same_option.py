"""Which options are one: only those whose words and signs are known to be the same.

Two options are one if, after folding and without harmless words, the same words and signs remain in the same order.
Whatever this file does not name keeps two options apart: every other word, every sign, every spelling it doesn't fold.
An option wrongly kept apart costs a vote its company and is told; one wrongly merged counts a vote for its opposite.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from quorate.similarity.common_words import ENGLISH, FOREIGN, word_set

__all__ = ["VERSION", "asks_for_order", "fold", "is_same", "same_pairs"]

VERSION: Final = "same words 1"

_TEXTS: Final = 4096
_LONGEST: Final = 2_000
"""Longer texts are no options; they are compared to the letter."""

_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")
_APOSTROPHE: Final = re.compile(r"(?<=[^\W\d_])\u2019(?=[^\W\d_])")
_THOUSANDS: Final = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9]|[.,][0-9])")
_PLAIN_WORD: Final = re.compile(r"(?<![^\W_])(?<!['’])[a-z]{4,}(?![^\W_])(?!['’])")
_WORDS_ALONE: Final = re.compile(r"\(?[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*[).,;:!?]*")
"""Any other sign makes a name of it, where -s is no plural: two paths, two flags, two users."""
_HAS_WORD: Final = re.compile(r"[^\W_]")
_JOINED: Final = "\u241f"
"""Stands for a hyphen between letters: it separates words as a space does, but harmless words beside it count."""

_QUOTES: Final = (
    *('""', "''", "“”", "‘’", "«»", "»«", "„“", "„”", "「」", "『』"),
    *("\u201a\u2018", "\u201a\u2019", "\u2039\u203a"),
)

_NO_PLURALS: Final = word_set(
    "always besides does goes hers imaps ldaps links moins menos news nichts ours perhaps sometimes theirs towards "
    "yours"
)
_VOWEL: Final = re.compile("[aeiouy]")

_ARTICLES: Final = frozenset({"a", "an", "the"})
_JOINTS: Final = frozenset({"for", "of"})
_DROPPED_IN_ENGLISH: Final = frozenset({"a", "an", "for", "of"})
"""Harmless in English only: `an` and `a` are prepositions elsewhere, and `of` is Dutch for `or`."""
_NO_NOUN: Final = word_set(
    "a an the and or nor but not no never than then as if is are was were be to for of in on at by with from into onto "
    "before after over under above below between against versus vs without within until since via per"
)
"""No article stands before these, so an `a` that does is a letter: plan a or plan b."""
_LEADING: Final = frozenset({"use", "adopt", "choose"})
_DOING: Final = frozenset({"implement", "prioritize"})
_TWO: Final = 2
_LIST: Final = re.compile(r"[^\W\d_]+(?:(?:,| and|, and) [^\W\d_]+)+")
_BETWEEN: Final = re.compile(r",? and |, ")

_ORDER_WORDS: Final = re.compile(
    r"\b(?:order\w*|rank\w*|sort\w*|priorit\w*|sequenc\w*|first|second|last|next|then|before|after|steps?|stages?|"
    r"phases?|schedul\w*|queue|precede\w*|follow\w*|top|start|begin|route|from|plan|pipeline|earl\w*|later|ahead|"
    r"initial\w*|arrang\w*|success\w*|chronolog\w*|hierarch\w*|important|lead\w*|and|who\b.*\bwho)\b",
    re.IGNORECASE,
)
"""A question with `and`, or twice `who`, may ask for two things: who should be chair and deputy."""
_ASKS: Final = re.compile(r"\b(?:which|what|who|whom|should|shall|can|could)\b", re.IGNORECASE)
"""Words of English questions that other languages don't have, as they have do, is and will."""


class _Chunk(NamedTuple):
    """What stands between white space; `whole` if no hyphen joined it to its neighbour.

    `joint` is the `for` or `of` dropped before it: either may be missing, but one does not stand for the other.
    """

    text: str
    written: str
    whole: bool
    joint: str = ""


class _Form(NamedTuple):
    """What remains of a text with `implement` and `prioritize`, without them, and whether it has a listed verb."""

    words: tuple[_Chunk, ...]
    bare: tuple[_Chunk, ...]
    has_verb: bool


def is_same(a: str, b: str, *, any_order: bool = False) -> bool:
    """Whether two options are the same words and signs; `any_order`: lists may name their items in another order."""
    if fold(a) == fold(b):
        return _HAS_WORD.search(a) is not None
    one, other = _form(a), _form(b)
    return (
        _equal(one.words, other.words, any_order=any_order)
        or (not other.has_verb and _equal(one.bare, other.words, any_order=any_order))
        or (not one.has_verb and _equal(one.words, other.bare, any_order=any_order))
    )


def same_pairs(texts: Sequence[str], *, any_order: bool = False) -> tuple[tuple[int, int], ...]:
    """The places of every two texts that are one, the smaller first.

    Texts are sorted by what must agree, so a thousand options are not half a million comparisons.
    """
    buckets: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        bare = _form(text).bare
        buckets.setdefault(tuple(sorted(one.text.strip(",") for one in bare if one.text != "and")), []).append(place)
    return tuple(
        sorted(
            (i, j)
            for places in buckets.values()
            for at, i in enumerate(places)
            for j in places[at + 1 :]
            if is_same(texts[i], texts[j], any_order=any_order)
        )
    )


def asks_for_order(question: str) -> bool:
    """Whether the order of a list may matter: the question speaks of order, or nobody can tell that it doesn't."""
    return _ASKS.search(question) is None or _ORDER_WORDS.search(question) is not None


@lru_cache(maxsize=_TEXTS)
def fold(text: str) -> str:
    """A text without what never matters: case, white space, quotation marks, a final full stop and the like."""
    return " ".join(chunk.text for chunk in _chunks(text))


def _equal(one: tuple[_Chunk, ...], other: tuple[_Chunk, ...], *, any_order: bool) -> bool:
    words, others = tuple(chunk.text for chunk in one), tuple(chunk.text for chunk in other)
    if words == others:
        clashes = (_clash(a.joint, b.joint) for a, b in zip(one, other, strict=True))
        return not any(clashes) and any(map(_HAS_WORD.search, words))
    items = _items(words) if any_order and not any(chunk.joint for chunk in (*one, *other)) else None
    return items is not None and items == _items(others)


def _clash(joint: str, other: str) -> bool:
    return bool(joint and other) and joint != other


def _items(words: tuple[str, ...]) -> list[str] | None:
    """The items of a list in alphabetical order; none if it is not a list of single words.

    In `no tests and reviews` the first word belongs to both items, so items of several words are left alone. Two
    words with a mere comma between them are no list either: `merge, never`.
    """
    text = " ".join(words)
    items = _BETWEEN.split(text) if _LIST.fullmatch(text) else []
    if len(items) == _TWO and "and" not in words:
        return None
    return sorted(items) if items and _NO_NOUN.isdisjoint(items) else None


@lru_cache(maxsize=_TEXTS)
def _form(text: str) -> _Form:
    chunks = _chunks(text)
    said = [chunk.text for chunk in chunks]
    has_verb = any(word in _LEADING | _DOING for word in said) or ("go", "with") in pairwise(said)
    kept = _without_harmless(chunks)
    begin = _leading_verb(kept)
    words = kept[begin:]
    bare = [chunk for place, chunk in enumerate(words) if not _is_doing(words, place, begins=begin == 0)]
    return _Form(tuple(words), tuple(bare), has_verb)


def _leading_verb(words: list[_Chunk]) -> int:
    """How many words at the beginning only say that something is chosen; the last word is what is chosen."""
    first = [chunk.text for chunk in words[:2] if chunk.whole]
    if len(words) > _TWO and first == ["go", "with"]:
        return _TWO
    return int(len(words) > 1 and first[:1] != [] and words[0].whole and words[0].text in _LEADING)


def _is_doing(words: list[_Chunk], place: int, *, begins: bool) -> bool:
    """Whether this is `implement` or `prioritize` at the beginning, or `implement` whose `to` has been dropped."""
    chunk = words[place]
    if not chunk.whole or chunk.text not in _DOING or place == len(words) - 1:
        return False
    return (place == 0 and begins) or (chunk.text == "implement" and chunk.written == _AFTER_TO)


_AFTER_TO: Final = "to implement"


def _without_harmless(chunks: tuple[_Chunk, ...]) -> list[_Chunk]:
    english = _is_english(chunks)
    kept = list[_Chunk]()
    after_to, joint = False, ""
    for place, chunk in enumerate(chunks):
        following = chunks[place + 1] if place + 1 < len(chunks) else None
        if chunk.whole and _is_harmless(chunk, following, first=place == 0, english=english):
            after_to = chunk.text == "to"
            joint += chunk.text if chunk.text in _JOINTS else ""
            continue
        kept.append(chunk._replace(written=_AFTER_TO if after_to else chunk.written, joint=joint))
        after_to, joint = False, ""
    return kept


def _is_harmless(chunk: _Chunk, following: _Chunk | None, *, first: bool, english: bool) -> bool:
    word = chunk.text
    if word == "please":
        return True
    if following is None or not following.text[:1].isalnum() or (word in _DROPPED_IN_ENGLISH and not english):
        return False
    if word in _ARTICLES:
        return following.text not in _NO_NOUN and (chunk.written != "A" or first)
    return word in _JOINTS or (word == "to" and following.text == "implement")


def _is_english(chunks: tuple[_Chunk, ...]) -> bool:
    words = {chunk.text for chunk in chunks}
    return all(map(str.isascii, words)) and bool(words & ENGLISH) and not words & FOREIGN


@lru_cache(maxsize=_TEXTS)
def _chunks(text: str) -> tuple[_Chunk, ...]:
    if len(text) > _LONGEST:
        return (_Chunk(text, text, whole=False),)
    plain = _without_quotes(" ".join(unicodedata.normalize("NFC", text).split()))
    plain = _APOSTROPHE.sub("'", _THOUSANDS.sub(lambda found: found.group().replace(",", ""), plain))
    if plain.endswith(".") and not plain.endswith(".."):
        plain = plain[:-1].rstrip()
    found = list[_Chunk]()
    for written in plain.split():
        parts = _HYPHEN.sub(_JOINED, written).split(_JOINED) if _JOINED not in written else [written]
        singular = _singular if _WORDS_ALONE.fullmatch(written) else re.Match.group
        found += [_Chunk(_PLAIN_WORD.sub(singular, part.lower()), part, whole=len(parts) == 1) for part in parts]
    return tuple(found)


def _singular(found: re.Match[str]) -> str:
    """Without the -s of the plural. Without a vowel it is no noun's: HTTPS is not the plural of HTTP."""
    word = found.group()
    stem = word[:-1]
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or word in _NO_PLURALS:
        return word
    return stem if _VOWEL.search(stem) else word


def _without_quotes(text: str) -> str:
    """Without marks that open before a word and close after one; an apostrophe or a sign for inches stays."""
    for begin, end in _QUOTES:
        if begin in text and end in text:
            inside = rf"(?=[^\s{begin}{end}])([^{begin}{end}]*)(?<=\S)"
            text = re.sub(rf"(?<![^\s(\[{{]){begin}{inside}{end}(?![\w{begin}{end}])", r"\1", text)
    return text
