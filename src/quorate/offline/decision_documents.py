"""Earlier decisions as others are given them: JSON documents of the same names at every door, and a log to read."""

from collections.abc import AsyncIterator, Iterator, Sequence

from quorate.offline.decision_history import Contradiction, TimelineEntry, contradictions, count_changes, timeline
from quorate.offline.earlier_decisions import BACKEND, EarlierDecision, EarlierDecisions, SimilarDecision
from quorate.offline.precedents import status_words
from quorate.views.escape import harmless_markdown, one_line

__all__ = [
    "contradictions_document",
    "decision_log",
    "export_document",
    "memory_document",
    "similar_document",
    "timeline_document",
]

Json = dict[str, object]


def similar_document(earlier: EarlierDecisions, found: Sequence[SimilarDecision]) -> Json:
    """Similar decisions, the most alike first."""
    return {"schema": 1, "similar": [_similar(one) for one in found], **_looked_at(earlier)}


def timeline_document(earlier: EarlierDecisions, entries: Sequence[TimelineEntry]) -> Json:
    """How a decision changed, the oldest first."""
    told = [_entry(one) for one in entries]
    return {"schema": 1, "timeline": told, "changes": count_changes(entries), **_looked_at(earlier)}


def contradictions_document(earlier: EarlierDecisions, found: Sequence[Contradiction]) -> Json:
    """Pairs that cannot both hold, the newest first."""
    return {"schema": 1, "contradictions": [_contradiction(one) for one in found], **_looked_at(earlier)}


async def memory_document(earlier: EarlierDecisions, id_: str, limit: int) -> Json:
    """All of that for one deliberation.

    Raises:
        BadSetting: it came to no verdict, or cannot be relied on.
    """
    decision = await earlier.by_id(id_)
    alike = await earlier.similar(decision.question, limit, but=decision.id)
    entries = await timeline(earlier, decision.question)
    opposed = await contradictions(earlier, limit, decision.id)
    return {
        "schema": 1,
        "id": decision.id,
        "similar": [_similar(one) for one in alike],
        "timeline": [_entry(one) for one in entries],
        "changes": count_changes(entries),
        "contradictions": [_contradiction(one) for one in opposed],
        **_looked_at(earlier),
    }


async def export_document(earlier: EarlierDecisions, limit: int) -> Json:
    """Every decision whose record holds, the newest first, and how they stand to each other."""
    decisions = [{**_decision(one), "replaced_by": by or None} async for one, by in _all(earlier)]
    opposed = await contradictions(earlier, limit)
    return {
        "schema": 1,
        "decisions": decisions,
        "contradictions": [
            {"earlier": one.earlier.id, "later": one.later.id, "supersedes": one.is_resolved} for one in opposed
        ],
        **_looked_at(earlier),
    }


async def decision_log(earlier: EarlierDecisions) -> AsyncIterator[str]:
    """The same as Markdown to read and to file, a paragraph for each."""
    yield "# Decisions"
    async for one, replaced_by in _all(earlier):
        yield "\n".join(_paragraph(one, replaced_by))


def _paragraph(one: EarlierDecision, replaced_by: str) -> Iterator[str]:
    yield f"## {one.begun[:10]}: {_line(one.question.text)}"
    yield ""
    yield f"- Outcome: {_line(one.outcome or 'none')}"
    yield f"- How it stands: {'; '.join(status_words(one, replaced_by))}"
    yield f"- Because: {_line(one.verdict.because)}"
    yield f"- Record: {one.id} ({_line(one.protocol)}){f', superseded by {replaced_by}' if replaced_by else ''}"


def _line(text: str) -> str:
    return harmless_markdown(one_line(text))


async def _all(earlier: EarlierDecisions) -> AsyncIterator[tuple[EarlierDecision, str]]:
    for place in range(len(earlier.summaries)):
        decision = await earlier.open(place)
        if decision is not None:
            later = await earlier.replacement(decision)
            yield decision, "" if later is None else later.id


def _looked_at(earlier: EarlierDecisions) -> Json:
    """What was compared, by what, and what was left out because its record does not hold."""
    return {
        "decisions_compared": len(earlier.summaries),
        "backend": BACKEND,
        "unusable": [{"id": id_, "because": why} for id_, why in earlier.unusable.items()],
    }


def _similar(one: SimilarDecision) -> Json:
    return {
        **_decision(one.decision),
        "score": round(one.score, 4),
        "tier": one.tier,
        "all_words": one.has_all_words,
        "same_question": one.has_same_text,
        "same_terms": one.same_terms,
        "differs": one.differs or None,
        "replaced_by": one.replaced_by or None,
    }


def _entry(one: TimelineEntry) -> Json:
    return {
        **_decision(one.decision),
        "score": round(one.score, 4),
        "changed": one.changed,
        "same_terms": one.same_terms,
        "replaced_by": one.replaced_by or None,
    }


def _contradiction(one: Contradiction) -> Json:
    return {
        "earlier": _decision(one.earlier),
        "later": _decision(one.later),
        "score": round(one.score, 4),
        "supersedes": one.is_resolved,
    }


def _decision(one: EarlierDecision) -> Json:
    review, verdict = one.review, one.verdict
    said = None if review is None else {"outcome": review.outcome, "by": review.by, "at": review.at or None}
    return {
        "id": one.id,
        "begun": one.begun,
        "question": one.question.text,
        "protocol": one.protocol,
        "outcome": one.outcome,
        "panel_outcome": verdict.outcome,
        "decided": verdict.decided,
        "rule": verdict.rule,
        "because": verdict.because,
        "review": said,
        "awaits_review": review is None and verdict.awaits_review,
        "settled": one.is_settled,
        "demo": one.demo,
        "imported": one.imported,
    }
