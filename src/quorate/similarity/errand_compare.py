"""The `compare` errand: how alike texts are, and which options are the same words."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final

from quorate.errors import QuorateError
from quorate.frozen import dataclass, fast_init
from quorate.model import Errand, Found
from quorate.similarity.backend import Backend, Score
from quorate.similarity.backend_choice import choose, score_texts
from quorate.similarity.same_option import VERSION, asks_for_order, fold, same_pairs

__all__ = ["PairScores", "comparer", "likeness_of"]


WORDS_ALONE: Final = "overlap"
_PAIR: Final = 2
_SHORT: Final = 4_000
"""Characters of two speeches, as they mostly are."""


@fast_init
@dataclass(frozen=True, slots=True)
class PairScores:
    """Scores of pairs, the pairs that are the same words, who said so, and what went wrong."""

    scores: tuple[Score, ...]
    same: tuple[tuple[int, int], ...]
    by: str
    why: str


def likeness_of(texts: Sequence[str], backend: Backend, *, options: bool = True, question: str = "") -> PairScores:
    """Compare texts. Speeches are only scored: nobody merges them.

    Without a question nobody knows whether order matters, so lists that differ in order are not the same.
    """
    found = score_texts(texts, backend)
    if not options:
        return PairScores(found.scores, (), found.by, found.why)
    same = same_pairs(texts, any_order=not asks_for_order(question))
    return PairScores(_with_equals(texts, same, found.scores), same, f"{found.by}, {VERSION}", found.why)


def _with_equals(
    texts: Sequence[str], same: tuple[tuple[int, int], ...], scores: tuple[Score, ...]
) -> tuple[Score, ...]:
    """The same scores, but what is equal after folding is entirely alike: 1,000 and 1000 on every backend."""
    equal = {(i, j): Fraction(1) for i, j in same if fold(texts[i]) == fold(texts[j])}
    if not equal:
        return scores
    raised = {(i, j): score for i, j, score in scores} | equal
    return tuple((i, j, score) for (i, j), score in sorted(raised.items()))


def comparer(chosen: Backend | str = "auto", folder: Path | None = None) -> Callable[[Errand], Awaitable[Found]]:
    """What the clerk runs for `compare`, by a backend or the name of one; the work is done beside the loop.

    What is short and compared by its words alone takes less than to hand it to a thread and back.
    """

    async def compare(errand: Errand) -> Found:
        at_once = chosen == WORDS_ALONE and _is_short(errand)
        likeness = (
            _likeness(errand, chosen, folder) if at_once else await asyncio.to_thread(_likeness, errand, chosen, folder)
        )
        return Found(
            kind=errand.kind,
            round=errand.round,
            seat=errand.seat,
            about=errand.about,
            scores=likeness.scores,
            same=likeness.same,
            by=likeness.by,
            why=likeness.why,
        )

    return compare


def _is_short(errand: Errand) -> bool:
    """Whether it takes no time."""
    texts = errand.texts
    return len(texts) <= _PAIR and sum(map(len, texts)) <= _SHORT


def _likeness(errand: Errand, chosen: Backend | str, folder: Path | None) -> PairScores:
    """A backend that is not there gives way to the best there is, and the reason is told."""
    compare = partial(likeness_of, errand.texts, options=errand.about == "options", question=errand.question)
    if not isinstance(chosen, str):
        return compare(chosen)
    try:
        backend, why = choose(chosen, folder), ""
    except QuorateError as missing:
        backend, why = choose("auto", folder), str(missing)
    found = compare(backend)
    return replace(found, why="; ".join(filter(None, (why, found.why)))) if why else found
