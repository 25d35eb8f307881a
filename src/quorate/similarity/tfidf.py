"""TF-IDF with a fixed background: which words are common is a list, never learned from the texts at hand."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Final

from quorate.frozen import dataclass
from quorate.similarity.backend import ALL_UP_TO, FLOOR, Score, round_score
from quorate.similarity.common_words import COMMON
from quorate.similarity.words import FORMS, Word, stems, words

__all__ = ["Tfidf", "term_weights", "tfidf"]

_RARE, _COMMON = 2.0, 1.0
"""The weights of words: twice as much for what is not on the list of common ones."""


@dataclass(frozen=True, slots=True)
class Tfidf:
    """The cosine of two texts' words, each weighed by its rarity."""

    name: str

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        """Every pair of a few texts; of many, those that are alike at all."""
        few = len(texts) <= ALL_UP_TO
        met = defaultdict[str, list[tuple[int, float]]](list)
        found: dict[tuple[int, int], float] = {}
        for j, text in enumerate(texts):
            vector = term_weights(text)
            for i, score in _products(vector, met).items():
                if few or score >= FLOOR:
                    found[i, j] = score
            for stem, weight in vector.items():
                met[stem].append((j, weight))
        pairs = ((i, j) for j in range(len(texts)) for i in range(j)) if few else found
        for i, j in sorted(pairs):
            yield i, j, round_score(found.get((i, j), 0))


def tfidf() -> Tfidf:
    """The backend. It needs nothing but a list of words, which is always there."""
    return Tfidf("tfidf 3")


def _products(vector: Mapping[str, float], met: Mapping[str, Sequence[tuple[int, float]]]) -> dict[int, float]:
    """The product of one text with each before it that shares a word."""
    sums = defaultdict[int, float](float)
    for stem, weight in vector.items():
        for i, other in met.get(stem, ()):
            sums[i] += weight * other
    return sums


def term_weights(text: str) -> dict[str, float]:
    """A text's words by weight, of length 1; in the order of the words, so that sums are always taken alike."""
    counts = Counter(_analysed(text))
    weights = {stem: counts[stem] * rarity(stem) for stem in sorted(counts)}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {stem: weight / length for stem, weight in weights.items()} if length else weights


def _analysed(text: str) -> tuple[str, ...]:
    """What weighs something; where nothing does, every word, and a text without words is one of its own."""
    return stems(text) or tuple(word.text for word in words(text)) or (text,)


@lru_cache(maxsize=FORMS)
def rarity(stem: str) -> float:
    """The weight of a word, by whether it is a common one."""
    return _COMMON if stem in _COMMON_STEMS else _RARE


_COMMON_STEMS: Final = frozenset(Word(word, word).stem for word in COMMON)
