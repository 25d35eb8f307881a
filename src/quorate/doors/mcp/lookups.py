"""What a client looks up: models that can be asked here, and earlier decisions; in AI Counsel's shapes."""

import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.result_shapes import ContradictionEntry, DecisionEntry, DecisionList, ModelEntry, ModelList
from quorate.doors.mcp.results import cut_text
from quorate.errors import BadSetting
from quorate.ledger import Summary
from quorate.model import Question
from quorate.service.available_models import Answerer, discover
from quorate.service.decision_memory import (
    Contradiction,
    EarlierDecision,
    EarlierDecisions,
    SimilarDecision,
    TimelineEntry,
    contradictions,
    count_changes,
    timeline,
)
from quorate.service.option_table import DISABLED, ENABLED, ROUTES
from quorate.service.process import limited_work

__all__ = ["list_models", "newest", "query"]

NEAR: Final = 3
SHORT: Final = 300
Json = dict[str, Any]


async def list_models(held: Deliberations, adapter: str | None) -> ModelList:
    """Every model that was found here and is not disabled, by adapter."""
    env = dict(os.environ)
    resolved = held.settings()
    enabled, disabled = resolved[ENABLED], resolved[DISABLED]

    def allowed(model: str) -> bool:
        named = not enabled or any(fnmatchcase(model, pattern) for pattern in enabled)
        return named and not any(fnmatchcase(model, pattern) for pattern in disabled)

    answerers = [one for one in await discover(env, resolved[ROUTES]) if adapter in {None, one.name}]
    models = {one.name: [*_models(one, allowed)] for one in answerers}
    return ModelList(
        models=models,
        recommended_defaults={name: one.id for name, listed in models.items() for one in listed if one.default},
        session_defaults=dict(held.session_models),
        missing={one.name: cut_text(one.lacks, SHORT) for one in answerers if one.lacks},
    )


def _models(answerer: Answerer, allowed: Callable[[str], bool]) -> Iterator[ModelEntry]:
    listed = answerer.models or ((answerer.model,) if answerer.model else ())
    usable = [model for model in listed if allowed(model)]
    for model in usable:
        name = model.partition(":")[2] if answerer.kind != "command" else ""
        yield ModelEntry(
            id=cut_text(name, SHORT),
            label=cut_text(model, SHORT),
            tier=answerer.kind,
            default=model == (answerer.model if answerer.model in usable else usable[0]),
        )


async def newest(held: Deliberations, most: int) -> list[Summary]:
    """The deliberations that were begun last."""
    found: list[Summary] = []
    async with held.ledger() as ledger:
        async for summary in ledger.list():
            if len(found) == most:
                break
            found.append(summary)
    return found


async def query(  # noqa: PLR0913, PLR0917 - AI Counsel's parameters
    held: Deliberations, text: str, operation: str, threshold: float, limit: int, id_: str | None
) -> DecisionList:
    """Earlier decisions whose records hold: like a question, in contradiction, or one after the other.

    Raises:
        BadSetting: there is nothing to look for, or no such operation here.
        NotRecorded: no such decision.
    """
    if operation == "analyze_patterns":
        raise BadSetting("patterns are not analysed; quorate report sums up outcomes, agreement and cost")
    narrow = "ask with fewer and rarer words or a smaller limit, or name one decision_id"
    async with held.ledger() as ledger, limited_work(held.answer_within, narrow):
        earlier = await EarlierDecisions.of(ledger)
        if operation == "find_contradictions":
            return _contradictions(await contradictions(earlier, limit, await ledger.find(id_) if id_ else ""))
        if id_ is None and not text.strip():
            raise BadSetting("there is nothing to look for; give query_text, or decision_id of an earlier decision")
        question, own = (Question(text=text), "") if id_ is None else await _own_question(earlier, id_)
        if operation == "trace_evolution":
            return _evolution(await timeline(earlier, question), limit)
        found = await earlier.similar(question, limit, threshold, but=own)
        return await _similar(earlier, question, [one for one in found if one.score >= threshold], threshold)


async def _own_question(earlier: EarlierDecisions, id_: str) -> tuple[Question, str]:
    decision = await earlier.by_id(id_)
    return decision.question, decision.id


def _decision(one: EarlierDecision, score: float, replaced_by: str = "") -> DecisionEntry:
    return DecisionEntry(
        id=one.id,
        question=cut_text(one.question.text, SHORT),
        consensus=cut_text(one.outcome or "", SHORT),
        reviewed=one.review is not None,
        protocol=one.protocol,
        timestamp=one.begun,
        score=round(score, 3),
        decided=one.verdict.decided,
        superseded_by=replaced_by or None,
        demo=one.demo,
        imported=one.imported,
    )


async def _similar(
    earlier: EarlierDecisions, question: Question, found: Sequence[SimilarDecision], threshold: float
) -> DecisionList:
    results = [_decision(one.decision, one.score, one.replaced_by) for one in found]
    near = [] if results else await earlier.similar(question, NEAR, 0.0)
    missed = None if results else _diagnostics(len(earlier.summaries), near, threshold)
    return DecisionList(type="similar_decisions", count=len(results), results=results, diagnostics=missed)


def _diagnostics(total: int, near: Sequence[SimilarDecision], threshold: float) -> Json:
    best = near[0].score if near else 0.0
    return {
        "total_decisions": total,
        "best_match_score": round(best, 3),
        "near_misses": [
            {"question": cut_text(one.decision.question.text, SHORT), "score": round(one.score, 3)} for one in near
        ],
        "suggested_threshold": round(best, 2),
        "message": f"nothing scored {threshold} or more; the best match has {best:.3f}",
    }


def _evolution(entries: Sequence[TimelineEntry], limit: int) -> DecisionList:
    """Every decision on the question, in the order in which they were begun; the newest where there are too many."""
    results = [_decision(one.decision, one.score, one.replaced_by) for one in entries[-limit:]]
    return DecisionList(type="evolution", count=len(results), results=results, changes=count_changes(entries))


def _contradictions(found: Sequence[Contradiction]) -> DecisionList:
    """Pairs of decisions on one question, in the same terms, with other outcomes."""
    results = [
        ContradictionEntry(
            decisions=[_decision(pair.earlier, pair.score), _decision(pair.later, pair.score)],
            score=round(pair.score, 3),
            supersedes=pair.is_resolved,
        )
        for pair in found
    ]
    return DecisionList(type="contradictions", count=len(results), results=results)
