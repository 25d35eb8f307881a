"""What a client looks up: models that can be asked here, and earlier decisions; in AI Counsel's shapes."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.result_shapes import ContradictionEntry, DecisionEntry, DecisionList, ModelEntry, ModelList
from quorate.doors.mcp.results import cut_text
from quorate.engine.discovery import Answerer, discover
from quorate.errors import BadSetting
from quorate.ledger import Summary
from quorate.settings.resolve import resolve
from quorate.settings.table import DISABLED, ENABLED, PANEL, ROUTES

__all__ = ["list_models", "newest", "query"]

MOST: Final = 500
"""So many decisions, the newest, are compared."""
COMPARED: Final = 100
"""So many of them with each other."""
SAME: Final = 0.9
"""From here on two questions count as one."""
NEAR: Final = 3
SHORT: Final = 300
Json = dict[str, Any]


async def list_models(held: Deliberations, adapter: str | None) -> ModelList:
    """Every model that was found here and is not disabled, by adapter."""
    env = dict(os.environ)
    resolved = resolve({PANEL.name: "tribunal"}, env, Path.home())
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
    """Earlier decisions: like a question, in contradiction, or one after the other.

    Raises:
        BadSetting: there is nothing to look for, or no such operation here.
    """
    decided = [one for one in await newest(held, MOST) if one.outcome is not None or one.reviewed is not None]
    if operation == "find_contradictions":
        return await asyncio.to_thread(_contradictions, decided, limit)
    if operation == "analyze_patterns":
        raise BadSetting("patterns are not analysed; quorate report sums up outcomes, agreement and cost")
    if id_ is not None:
        text = next((one.question for one in decided if one.id.startswith(id_)), text)
    if not text.strip():
        raise BadSetting("there is nothing to look for; give query_text, or decision_id of an earlier decision")
    scored = await asyncio.to_thread(_scores, text, decided)
    if operation == "trace_evolution":
        return _evolution(scored, threshold, limit)
    return _similar(scored, threshold, limit)


def _scores(text: str, decided: Sequence[Summary]) -> list[tuple[float, Summary]]:
    """How like the question each is, the most alike first."""
    from quorate.similarity.backend_choice import choose

    backend = choose("tfidf")
    found = [(max((float(s) for *_, s in backend.scores([text, one.question])), default=0.0), one) for one in decided]
    return sorted(found, key=lambda pair: (-pair[0], pair[1].id))


def _decision(score: float, one: Summary) -> DecisionEntry:
    return DecisionEntry(
        id=one.id,
        question=cut_text(one.question, SHORT),
        consensus=cut_text(one.reviewed or one.outcome or "", SHORT),
        reviewed=one.reviewed is not None,
        protocol=one.protocol,
        timestamp=one.begun,
        score=round(score, 3),
    )


def _similar(scored: Sequence[tuple[float, Summary]], threshold: float, limit: int) -> DecisionList:
    results = [_decision(score, one) for score, one in scored if score >= threshold][:limit]
    missed = None if results else _diagnostics(scored, threshold)
    return DecisionList(type="similar_decisions", count=len(results), results=results, diagnostics=missed)


def _diagnostics(scored: Sequence[tuple[float, Summary]], threshold: float) -> Json:
    best = scored[0][0] if scored else 0.0
    return {
        "total_decisions": len(scored),
        "best_match_score": round(best, 3),
        "near_misses": [
            {"question": cut_text(one.question, SHORT), "score": round(score, 3)} for score, one in scored[:NEAR]
        ],
        "suggested_threshold": round(best, 2),
        "message": f"nothing scored {threshold} or more; the best match has {best:.3f}",
    }


def _evolution(scored: Sequence[tuple[float, Summary]], threshold: float, limit: int) -> DecisionList:
    """The most alike, in the order in which they were decided."""
    alike = [(score, one) for score, one in scored if score >= threshold][:limit]
    timeline = [_decision(score, one) for score, one in sorted(alike, key=lambda pair: pair[1].begun)]
    changes = sum(before.consensus != after.consensus for before, after in pairwise(timeline))
    return DecisionList(type="evolution", count=len(timeline), results=timeline, changes=changes)


def _contradictions(decided: Sequence[Summary], limit: int) -> DecisionList:
    """Pairs of decisions on what is nearly one question, with other outcomes."""
    found: list[ContradictionEntry] = []
    for place, one in enumerate(decided[:COMPARED]):
        for score, other in _scores(one.question, decided[place + 1 : COMPARED]):
            if score < SAME or len(found) == limit:
                break
            if (one.reviewed or one.outcome) != (other.reviewed or other.outcome):
                pair = [_decision(score, one), _decision(score, other)]
                found.append(ContradictionEntry(decisions=pair, score=round(score, 3)))
    return DecisionList(type="contradictions", count=len(found), results=found)
