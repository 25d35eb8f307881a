"""Many questions at once: which are like a text or hold all of its words, and which pairs are nearly one.

It is made of the texts whenever it is wanted and kept nowhere, so nothing in it can outlive what it was made of.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from quorate.similarity.tfidf import term_weights

__all__ = ["IndexMatch", "QuestionIndex"]


class IndexMatch(NamedTuple):
    """A question by its place: how alike it is, from 0 to 1, and whether all words that were looked for stand in it."""

    place: int
    score: float
    has_all_words: bool


def _go_on() -> None:
    """Nothing stops it."""


class QuestionIndex:
    """The words of questions by weight, and by each word the questions that hold it.

    `check` is called again and again while it works, and may stop it by an exception.
    """

    def __init__(self, texts: Iterable[str], check: Callable[[], None] = _go_on) -> None:
        self._check = check
        self._weights = list[Mapping[str, float]]()
        self._holders = defaultdict[str, list[int]](list)
        for place, text in enumerate(texts):
            check()
            weights = term_weights(text)
            self._weights.append(weights)
            for term in weights:
                self._holders[term].append(place)

    def search(self, text: str, floor: float) -> list[IndexMatch]:
        """Those from a score on, and those in which every word stands; the most alike first, equals in their order."""
        wanted = term_weights(text)
        scores, shared = defaultdict[int, float](float), Counter[int]()
        for term, weight in wanted.items():
            self._check()
            for place in self._holders.get(term, ()):
                scores[place] += weight * self._weights[place][term]
                shared[place] += 1
        found = (IndexMatch(place, score, shared[place] == len(wanted)) for place, score in scores.items())
        return sorted(
            (one for one in found if one.score >= floor or one.has_all_words), key=lambda one: (-one.score, one.place)
        )

    def pairs(self, at_least: float) -> Iterator[tuple[int, int, float]]:
        """Every pair so much alike, the smaller place first, in the order of the second.

        A text so much alike lacks little of another's weight, so it holds a word of every part that weighs more.
        """
        lacks = 1 - at_least**2 + _ROUNDING
        met = defaultdict[str, set[int]](set)
        for place, weights in enumerate(self._weights):
            self._check()
            for other in sorted(_holding(self._parts(weights, lacks), met)):
                self._check()
                score = _product(self._weights[other], weights)
                if score >= at_least:
                    yield other, place, score
            for term in weights:
                met[term].add(place)

    def _parts(self, weights: Mapping[str, float], lacks: float) -> list[list[str]]:
        """A text's words, the rarest first, in parts that each weigh more than may be missing."""
        parts, part, weight = list[list[str]](), list[str](), 0.0
        for term in sorted(weights, key=lambda term: (len(self._holders[term]), term)):
            part.append(term)
            weight += weights[term] ** 2
            if weight > lacks:
                parts.append(part)
                part, weight = [], 0.0
        return parts


def _holding(parts: Sequence[Sequence[str]], met: Mapping[str, set[int]]) -> set[int]:
    """The places that hold a word of every part."""
    held: set[int] | None = None
    for part in parts:
        places = [met[term] for term in part if term in met]
        either = places[0] if len(places) == 1 else set[int]().union(*places)
        held = either if held is None else held & either
        if not held:
            break
    return held or set()


_ROUNDING: Final = 1e-9


def _product(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return sum(weight * many[term] for term, weight in few.items() if term in many)
