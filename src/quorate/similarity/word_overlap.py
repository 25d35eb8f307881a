"""Word overlap: the words two texts share among all they have. Always there."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from quorate.frozen import dataclass
from quorate.similarity.backend import ALL_UP_TO, FLOOR, Score, round_score
from quorate.similarity.words import stems, words

__all__ = ["WordOverlap"]

_TEXTS: Final = 512
"""Texts whose words are kept at hand: a speech is compared with the one before it, then with the one after it."""


@dataclass(frozen=True, slots=True)
class WordOverlap:
    """Jaccard's share over stems; a word said twice counts once."""

    name: str = "overlap 3"

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        bags = [_bag(text) for text in texts]
        few = len(texts) <= ALL_UP_TO
        for i, j in combinations(range(len(texts)), 2) if few else _candidates(bags):
            shared = len(bags[i] & bags[j])
            score = Fraction(shared, len(bags[i]) + len(bags[j]) - shared) if shared else Fraction(int(not bags[i]))
            score = score if bags[i] or not bags[j] else Fraction(0)
            if few or score >= FLOOR:
                yield i, j, round_score(score)


@lru_cache(maxsize=_TEXTS)
def _bag(text: str) -> frozenset[str]:
    """What weighs something; where nothing does, every word."""
    return frozenset(stems(text)) or frozenset(word.text for word in words(text))


def _candidates(bags: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Pairs that share a word and may reach the floor; each is met where the later text looks back."""
    holders: dict[str, list[int]] = {}
    for j, bag in enumerate(bags):
        met = Counter(i for stem in bag for i in holders.get(stem, ()))
        for i, shared in sorted(met.items()):
            if shared >= FLOOR * (len(bags[i]) + len(bag) - shared):
                yield i, j
        for stem in bag:
            holders.setdefault(stem, []).append(j)
