"""Phrases as they are written down, and the places in a text where they are said.

A phrase is words in a row: `ignore|forget .. instruct*`. A bar stands between alternatives, a star for any ending,
a question mark for a word that may be left out, two dots for up to three words, three for six, four for twelve,
a caret for the beginning of a sentence, an exclamation mark for a word that must not follow, and a name between
angle brackets for one of the sets of words.
Each word becomes one character, so that a phrase is a small pattern without nested repetition and takes linear time.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.guard import LATIN_LOOKALIKES
from quorate.guard.injection.folding import fold, turn_around
from quorate.model.once import pattern, worked_out_once

STOP: Final = "\0"
COLON: Final = "\1"
COMMA: Final = "\2"
OTHER: Final = "\3"
FIRST: Final = 0xE000
LONGEST_STEM: Final = 14
_SHORTEST_STEM: Final = 2
REMEMBERED: Final = 4096
LONGEST_REMEMBERED: Final = 24
"""Words whose characters are remembered, and their letters at most: the same few come in every text."""

BETWEEN: Final = f"[{STOP}{COLON}{COMMA}]?"
GAPS: Final[Mapping[str, int]] = MappingProxyType({"..": 3, "...": 6, "....": 12})

UNSPACED: Final = r"\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Scripts whose words are not told apart by spaces, or not reliably."""

ASCII_PAUSE: Final = r".!?;:\n,()\[\]{}\"/>*#\-"
PAUSE: Final = rf"\u3002\u201c-\u201e\u00ab\u00bb\u2013\u2014{ASCII_PAUSE}"
END: Final = frozenset(".!?;\n\u3002")
LEET: Final[Mapping[int, int]] = MappingProxyType(str.maketrans("0134578@$", "oieastbas"))


def has_unspaced(text: str) -> bool:
    """Whether something is written in a script without spaces."""
    return not text.isascii() and bool(pattern(f"[{UNSPACED}]").search(text))


def _words_and_pauses(text: str) -> list[str]:
    """Scripts without spaces take 4 ms to compile, and what is ASCII has none of them."""
    return pattern(_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


_PAUSES: Final = rf"[{PAUSE}][{PAUSE}\s]*+"
_ASCII_PAUSES: Final = rf"[{ASCII_PAUSE}][{ASCII_PAUSE}\s]*+"
_ASCII_TOKEN: Final = rf"[^\W_]++(?:[@$][^\W_]++|(?!))*+|{_ASCII_PAUSES}"
_TOKEN: Final = rf"[^\W_{UNSPACED}]++(?:[@$][^\W_{UNSPACED}]++|(?!))*+|{_PAUSES}"


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as the words it says, and the character that stands for each."""

    words: tuple[str, ...]
    codes: str

    def quote(self, start: int, end: int) -> str:
        """The words between two places, few enough for a sentence."""
        spoken = [word for word in self.words[start:end] if word[0].isalnum()]
        return " ".join(word[:20] for word in spoken[:10])


@dataclass(frozen=True)
class Vocabulary:
    """Words, and beginnings of words, with their characters; all that a written word covers; how beginnings open.

    It has no slots, so that it can remember what stands for a word, however that is turned around.
    """

    whole: Mapping[str, str]
    stems: Mapping[str, str]
    covers: Mapping[str, str]
    openings: frozenset[str]

    def hear(self, folded: str) -> EncodedText:
        words = ("\n", *_words_and_pauses(folded))
        codes = {word: self.code(word) for word in set(words)}
        return EncodedText(words, "".join([codes[word] for word in words]))

    def readings(self, folded: str) -> tuple[frozenset[str], ...]:
        """The characters of all that a text says: as it is written, in ROT13, and backwards."""
        known, anew = self._known_turned, self._turned
        words = {"\n", *_words_and_pauses(folded)}
        codes = [known(word) if len(word) <= LONGEST_REMEMBERED else anew(word) for word in words]
        return tuple(map(frozenset, zip(*codes, strict=True)))

    def characters(self, written: str) -> str:
        """The characters of every word that these alternatives cover."""
        return "".join(self.covers[word] for word in written.split("|"))

    @worked_out_once
    def _known_turned(self) -> Callable[[str], tuple[str, ...]]:
        return lru_cache(REMEMBERED)(self._turned)

    def _turned(self, word: str) -> tuple[str, ...]:
        return tuple(map(self.code, (word, *turn_around(word))))

    def code(self, word: str) -> str:
        """The character that stands for a word or a pause."""
        if not word[0].isalnum():
            return STOP if not END.isdisjoint(word) else COLON if ":" in word else COMMA
        for spelling in _spellings(word):
            if code := self.whole.get(spelling) or self._stem(spelling):
                return code
        return OTHER

    def _stem(self, spelling: str) -> str:
        """What the longest known beginning of a word stands for; few words begin as one of them does."""
        if spelling[:_SHORTEST_STEM] not in self.openings:
            return ""
        ends = range(min(len(spelling), LONGEST_STEM), _SHORTEST_STEM - 1, -1)
        return next((code for end in ends if (code := self.stems.get(spelling[:end]))), "")


def _spellings(word: str) -> Iterable[str]:
    """A word, and what it is read as with letters of other scripts or digits in it; most have none."""
    plain = word.isascii() and word.isalpha()
    return (word,) if plain else dict.fromkeys((word, word.translate(LATIN_LOOKALIKES), word.translate(LEET)))


def learn(phrases: Iterable[str], sets: Mapping[str, str]) -> Vocabulary:
    """Give every word of these phrases and sets a character of its own; a set is known by its name in a phrase.

    Words stand in the vocabulary as texts will be spelled, and what they cover is found by how they are written.
    """
    written = _written(" ".join((*phrases, *sets.values())), sets)
    code = {word: chr(number) for number, word in enumerate(dict.fromkeys(written.values()), FIRST)}
    stems = [word for word in code if word.endswith("*")]
    in_order = sorted(code)
    spelled = code | {stem: "".join(map(code.__getitem__, _covered(stem, in_order))) for stem in stems}
    covers = {word: spelled[spelling] for word, spelling in written.items()}
    return Vocabulary(
        whole={word: character for word, character in code.items() if not word.endswith("*")},
        stems={stem[:-1]: code[stem] for stem in stems},
        openings=frozenset(stem[:_SHORTEST_STEM] for stem in stems),
        covers=covers | {name: "".join(map(covers.__getitem__, words.split("|"))) for name, words in sets.items()},
    )


def _written(text: str, sets: Iterable[str]) -> dict[str, str]:
    """Every word of a text as it is written, with how texts will spell it."""
    for mark in "|!^?":
        text = text.replace(mark, " ")  # to translate them all at once takes twenty times as long
    written = {word: word if word.isascii() else fold(word) for word in dict.fromkeys(text.split())}
    for other in (*sets, *GAPS, ":"):
        written.pop(other, None)
    return written


def _covered(stem: str, in_order: list[str]) -> list[str]:
    """All words that begin so, among words in their order."""
    first, last = (bisect_left(in_order, stem[:-1] + end) for end in ("", "\U0010ffff"))
    return in_order[first:last]
