"""Routes to earlier decisions: those like a question, those that contradict each other, and how one changed."""

from typing import Annotated, Any, Final, TypedDict

from starlette.responses import Response

from quorate.doors.web.encoding import JsonResponse
from quorate.doors.web.operation import ApiCall, Operation
from quorate.frozen import dataclass
from quorate.model import Question

__all__ = ["OPERATIONS"]

LONGEST: Final = 50
"""Decisions of an answer at most: each is checked."""
Decision = dict[str, Any]
How = Annotated[int, "How many at most, up to 50."]


class LookedAt(TypedDict):
    """What was compared: how many decisions, by what, and which were left out because their records do not hold."""

    schema: int
    decisions_compared: int
    backend: str
    unusable: list[dict[str, str]]


class SimilarList(LookedAt):
    """Earlier decisions like a question, the most alike first."""

    similar: list[Decision]


class ContradictionList(LookedAt):
    """Pairs of decisions on the same question with different outcomes, the newest first."""

    contradictions: list[Decision]


class DecisionMemory(LookedAt):
    """What was decided before and after on the question of one deliberation."""

    id: str
    similar: list[Decision]
    timeline: list[Decision]
    changes: int
    contradictions: list[Decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarQuery:
    """What is looked for."""

    question: Annotated[str, "A question, or some words of it."]
    limit: How = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitQuery:
    """How much."""

    limit: How = 10


def _limit(wanted: int) -> int:
    return max(1, min(wanted, LONGEST))


async def find_similar(call: ApiCall) -> Response:
    from quorate.service.decision_memory import EarlierDecisions, similar_document

    query = call.query(SimilarQuery)
    earlier = await EarlierDecisions.of(call.workspace.ledger)
    found = await earlier.similar(Question(text=query.question), _limit(query.limit))
    return JsonResponse(similar_document(earlier, found))


async def find_contradictions(call: ApiCall) -> Response:
    from quorate.service.decision_memory import EarlierDecisions, contradictions, contradictions_document

    limit = _limit(call.query(LimitQuery).limit)
    earlier = await EarlierDecisions.of(call.workspace.ledger)
    return JsonResponse(contradictions_document(earlier, await contradictions(earlier, limit)))


async def show_memory(call: ApiCall) -> Response:
    from quorate.service.decision_memory import EarlierDecisions, memory_document

    limit, id_ = _limit(call.query(LimitQuery).limit), await call.id()
    earlier = await EarlierDecisions.of(call.workspace.ledger)
    return JsonResponse(await memory_document(earlier, id_, limit))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/memory/similar",
        about="Earlier decisions on similar questions; only records that verify.",
        answer=find_similar,
        query=SimilarQuery,
        returns=SimilarList,
        errors=(400,),
        narrow="ask with fewer and rarer words, or a smaller limit",
    ),
    Operation(
        method="GET",
        path="/api/memory/contradictions",
        about="Pairs of decisions on the same question with different outcomes.",
        answer=find_contradictions,
        query=LimitQuery,
        returns=ContradictionList,
        errors=(400,),
        narrow="ask for a smaller limit, or for the memory of one deliberation",
    ),
    Operation(
        method="GET",
        path="/api/deliberations/{id}/memory",
        about="Earlier and later decisions on the same or a similar question, contradictions, and what changed.",
        answer=show_memory,
        query=LimitQuery,
        returns=DecisionMemory,
        errors=(400, 404, 409),
        narrow="ask /api/memory/similar instead, with a small limit",
    ),
)
