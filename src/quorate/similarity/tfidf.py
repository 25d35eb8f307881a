"""TF-IDF with a fixed background: how rare a word is comes from the lexicon, never from the texts at hand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from math import log
from typing import Any, Final

from quorate.similarity.backend import ALL_UP_TO, FLOOR, Score, rounded
from quorate.similarity.lexicon import FORMS, lexicon
from quorate.similarity.words import stems, words

__all__ = ["Tfidf", "tfidf"]

Matrix = Any
"""One of scipy's, which has no types of its own."""
_BACKGROUND: Final = 250_000
"""About how many words were counted for the lexicon."""


@dataclass(frozen=True, slots=True)
class Tfidf:
    """The cosine of two texts' words, each weighed by its rarity."""

    name: str

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        rows = _weighed(texts)
        likeness = (rows @ rows.T).tocoo()
        few = len(texts) <= ALL_UP_TO
        kept = (likeness.row < likeness.col) & (likeness.data >= (0 if few else float(FLOOR)))
        found = {
            (i, j): rounded(score)
            for i, j, score in zip(
                likeness.row[kept].tolist(), likeness.col[kept].tolist(), likeness.data[kept].tolist(), strict=True
            )
        }
        if few:
            found = {(i, j): found.get((i, j), rounded(0)) for j in range(len(texts)) for i in range(j)}
        for (i, j), score in sorted(found.items()):
            yield i, j, score


def tfidf() -> Tfidf:
    """The backend, if scikit-learn is there.

    Raises:
        ImportError: it is not.
    """
    import sklearn  # noqa: F401, PLC0415 - an extra

    return Tfidf(f"tfidf 2 (scikit-learn {version('scikit-learn')})")


def _weighed(texts: Sequence[str]) -> Matrix:
    """One row a text, of length 1; columns in the order of the words, so that sums are always taken alike."""
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415 - an extra
    from sklearn.preprocessing import normalize  # noqa: PLC0415 - the same

    make: Any = CountVectorizer
    counter = make(analyzer=_analysed, dtype=float)
    counts = counter.fit_transform(texts)
    return normalize(counts.multiply([rarity(stem) for stem in counter.get_feature_names_out()]).tocsr())


def _analysed(text: str) -> tuple[str, ...]:
    """What weighs something; where nothing does, every word, and a text without words is one of its own."""
    return stems(text) or tuple(word.text for word in words(text)) or (text,)


@lru_cache(maxsize=FORMS)
def rarity(stem: str) -> float:
    """The weight of a word: the logarithm of how rarely it is met."""
    return log(_BACKGROUND / (1 + lexicon().count(stem)))
