"""How decisions on one question went over time: what changed, what contradicts what, and which of them holds."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from heapq import nsmallest
from typing import Final

from quorate.frozen import dataclass
from quorate.ledger import Summary
from quorate.model import Question
from quorate.offline.earlier_decisions import (
    SAME,
    EarlierDecision,
    EarlierDecisions,
    is_same_text,
    question_score,
)
from quorate.similarity.same_option import is_same

__all__ = ["Contradiction", "TimelineEntry", "contradictions", "count_changes", "timeline"]

MOST_PAIRS: Final = 100_000
"""Pairs that are looked at for contradictions, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """A decision in its place: whether what was settled before it came out otherwise, and what has replaced it."""

    decision: EarlierDecision
    changed: bool
    same_terms: bool
    score: float
    replaced_by: str = ""


async def timeline(earlier: EarlierDecisions, question: Question) -> list[TimelineEntry]:
    """Every decision on a question, the oldest first; those in other terms are among them, and say so."""
    found = list[EarlierDecision]()
    for place in earlier.same_text(question.text):
        decision = await earlier.open(place)
        if decision is not None and is_same_text(question, decision.question):
            found.append(decision)
    found.sort(key=lambda one: (one.begun, one.id))
    entries = list[TimelineEntry]()
    for place, decision in enumerate(found):
        later = await earlier.replacement(decision)
        entries.append(
            TimelineEntry(
                decision=decision,
                changed=_is_change(found[:place], decision),
                same_terms=decision.has_terms_of(question),
                score=question_score(question.text, decision.question.text),
                replaced_by="" if later is None else later.id,
            )
        )
    return entries


def _is_change(before: Sequence[EarlierDecision], decision: EarlierDecision) -> bool:
    """Whether the last that was settled under the same protocol, here and in the same terms, came out otherwise."""
    fit = [one for one in before if _is_comparable(one, decision)]
    return bool(fit) and not says_the_same(fit[-1], decision)


def _is_comparable(one: EarlierDecision, other: EarlierDecision) -> bool:
    both = one.is_settled and other.is_settled and one.is_own and other.is_own
    return both and one.protocol == other.protocol and one.has_terms_of(other.question)


def says_the_same(one: EarlierDecision, other: EarlierDecision) -> bool:
    """Whether two outcomes are one: the same word, or options that would be counted as one."""
    if one.outcome is None or other.outcome is None or one.outcome == other.outcome:
        return one.outcome == other.outcome
    return is_same(one.outcome, other.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two settled decisions on the same question, in the same terms and under one protocol, that came out otherwise."""

    earlier: EarlierDecision
    later: EarlierDecision
    score: float

    @property
    def is_resolved(self) -> bool:
        """Whether the later supersedes the earlier; a panel does not supersede what a person said."""
        return self.later.replaces(self.earlier)


async def contradictions(earlier: EarlierDecisions, limit: int, id_: str = "") -> list[Contradiction]:
    """Pairs of decisions that cannot both hold, the newest first; with an id, only those that it is part of."""
    found = list[Contradiction]()
    async for pair in _pairs(earlier, id_):
        if len(found) >= limit:
            break
        found.append(pair)
    return found


async def _pairs(earlier: EarlierDecisions, id_: str) -> AsyncIterator[Contradiction]:
    for one, other, score in await asyncio.to_thread(_candidates, earlier, id_):
        late, early = await earlier.open(one), await earlier.open(other)
        if late is None or early is None:
            continue
        early, late = sorted((early, late), key=lambda decision: (decision.begun, decision.id))
        opposed = _is_comparable(early, late) and not says_the_same(early, late)
        if opposed and is_same_text(early.question, late.question):
            yield Contradiction(earlier=early, later=late, score=score)


def _candidates(earlier: EarlierDecisions, id_: str) -> list[tuple[int, int, float]]:
    """Pairs that by the list may contradict each other, the newest first: nothing else need be opened.

    Of one question asked a thousand times there are half a million pairs, so only so many are kept.
    """
    listed = earlier.summaries
    own = next((place for place, one in enumerate(listed) if one.id == id_), None)
    if own is None:
        pairs: Iterator[tuple[int, int, float]] = iter(()) if id_ else earlier.index.pairs(SAME)
    else:
        alike = earlier.index.search(listed[own].question, SAME)
        pairs = ((min(own, one.place), max(own, one.place), one.score) for one in alike if one.place != own)
    return nsmallest(MOST_PAIRS, (pair for pair in pairs if _may_differ(listed[pair[0]], listed[pair[1]])))


def _may_differ(one: Summary, other: Summary) -> bool:
    held = not (one.imported or other.imported or one.awaits or other.awaits)
    # Whether a review counts is only known once the record is opened, so either outcome may be the one that holds.
    return held and one.protocol == other.protocol and len(_outcomes(one) | _outcomes(other)) > 1


def _outcomes(summary: Summary) -> set[str | None]:
    return {summary.outcome} if summary.reviewed is None else {summary.outcome, summary.reviewed}


def count_changes(entries: Sequence[TimelineEntry]) -> int:
    """How often what was settled came out otherwise."""
    return sum(entry.changed for entry in entries)
