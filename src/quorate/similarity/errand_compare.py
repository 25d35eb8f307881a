"""The `compare` errand: how alike texts are, and which of them contradict each other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final

from quorate.analysis.option_groups import LOWEST, grey_from
from quorate.errors import QuorateError
from quorate.frozen import dataclass, fast_init
from quorate.model import Errand, Found
from quorate.similarity.backend import Backend, Score
from quorate.similarity.backend_choice import choose, score_texts
from quorate.similarity.contradiction import VERSION, refusal
from quorate.similarity.exact_answers import ExactForm, exact_form, plain_name
from quorate.similarity.lexicon import is_loaded

__all__ = ["PairScores", "comparer", "likeness_of"]


WORDS_ALONE: Final = "overlap"
_PAIR: Final = 2
_SHORT: Final = 4_000
"""Characters of two speeches, as they mostly are."""


@fast_init
@dataclass(frozen=True, slots=True)
class PairScores:
    """Scores of pairs, the pairs that must not be merged and why, who said so, and what went wrong."""

    scores: tuple[Score, ...]
    refused: tuple[tuple[int, int, str], ...]
    by: str
    why: str


def likeness_of(texts: Sequence[str], backend: Backend, *, options: bool = True) -> PairScores:
    """Compare texts; the guard looks at every pair of options that any backend or setting might take for the same.

    It does not look at speeches: nobody merges them.
    """
    found = score_texts(texts, backend)
    if not options:
        return PairScores(found.scores, (), found.by, found.why)
    scores = _with_equals(texts, found.scores)
    begins = min(LOWEST, grey_from(found.by, len(texts)))
    reasons = ((i, j, refusal(texts[i], texts[j])) for i, j, score in scores if score >= begins)
    return PairScores(scores, tuple(one for one in reasons if one[2]), f"{found.by}, {VERSION}", found.why)


def _with_equals(texts: Sequence[str], scores: tuple[Score, ...]) -> tuple[Score, ...]:
    """The same scores, but that what is equal as an exact answer or a name is wholly alike, however it is written."""
    alike: dict[ExactForm | str, list[int]] = {}
    for place, text in enumerate(texts):
        alike.setdefault(exact_form(text) or plain_name(text) or text, []).append(place)
    equal = {pair for places in alike.values() for pair in combinations(places, 2)}
    if not equal:
        return scores
    raised = {(i, j): score for i, j, score in scores} | dict.fromkeys(equal, Fraction(1))
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
            # The kind alone: what differs are words of the texts, and words must be forgettable.
            refused=tuple((i, j, why.partition(":")[0]) for i, j, why in likeness.refused),
            by=likeness.by,
            why=likeness.why,
        )

    return compare


def _is_short(errand: Errand) -> bool:
    """Whether it takes no time; options are looked at by the guard, whose lexicon takes a while to load."""
    texts = errand.texts
    return (not _of_options(errand) or is_loaded()) and len(texts) <= _PAIR and sum(map(len, texts)) <= _SHORT


def _of_options(errand: Errand) -> bool:
    return errand.about == "options"


def _likeness(errand: Errand, chosen: Backend | str, folder: Path | None) -> PairScores:
    """A backend that is not there gives way to the best there is, and the reason is told."""
    texts, options = errand.texts, _of_options(errand)
    if not isinstance(chosen, str):
        return likeness_of(texts, chosen, options=options)
    try:
        backend, why = choose(chosen, folder), ""
    except QuorateError as missing:
        backend, why = choose("auto", folder), str(missing)
    found = likeness_of(texts, backend, options=options)
    return replace(found, why="; ".join(filter(None, (why, found.why)))) if why else found
