"""Routes that do something: start, answer, review, cancel, resume; and those that only ask what would be."""

from dataclasses import dataclass
from typing import Any, Final, TypedDict

from starlette.exceptions import HTTPException
from starlette.responses import Response

from quorate.doors.web.encoding import JsonResponse
from quorate.doors.web.operation import Call, Operation
from quorate.doors.web.operator import StartRequest

__all__ = ["OPERATIONS"]

LONGEST_KEY: Final = 255


class Begun(TypedDict):
    """A deliberation that is on its way."""

    id: str
    state: str
    url: str
    notes: list[str]


async def start_deliberation(call: Call) -> Response:
    key = call.request.headers.get("idempotency-key", "")
    if len(key) > LONGEST_KEY:
        raise HTTPException(400, f"the header Idempotency-Key is longer than {LONGEST_KEY} characters")
    id_, notes = await call.workspace.start(call.body(StartRequest), key)
    return _begun(id_, notes)


def _begun(id_: str, notes: tuple[str, ...] = ()) -> Response:
    url = f"/api/deliberations/{id_}"
    told = {"id": id_, "state": "running", "url": url, "notes": list(notes)}
    return JsonResponse(told, 202, headers={"Location": url, "X-Quorate-Id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """What a person answers."""

    seat: str
    text: str


class Done(TypedDict):
    """That it is on record."""

    id: str


async def answer_ask(call: Call) -> Response:
    id_, said = await call.id(), call.body(AnswerRequest)
    await call.workspace.answer(id_, said.seat, said.text)
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What a person says of a verdict."""

    outcome: str
    by: str
    because: str


async def review_verdict(call: Call) -> Response:
    id_, said = await call.id(), call.body(ReviewRequest)
    await call.workspace.review(id_, said.outcome, said.by, said.because)
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Why it is given up."""

    because: str = ""


async def cancel_deliberation(call: Call) -> Response:
    id_, said = await call.id(), call.body(CancelRequest)
    await call.workspace.cancel(id_, said.because or "cancelled")
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingRequest:
    """There is nothing to say."""


async def resume_deliberation(call: Call) -> Response:
    id_ = await call.id()
    call.body(NothingRequest)
    await call.workspace.resume(id_)
    return _begun(id_)


OF_ONE: Final = "/api/deliberations/{id}"
Document = dict[str, Any]
OPERATIONS: Final = (
    Operation(
        method="POST",
        path="/api/deliberations",
        about="Start a deliberation. The id comes as soon as the question is on record.",
        answer=start_deliberation,
        body=StartRequest,
        returns=Begun,
        headers={"Idempotency-Key": "The same key with the same body starts nothing twice, even after a crash."},
        status=202,
        errors=(400, 403, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/answer",
        about="Answer for a seat that a person holds.",
        answer=answer_ask,
        body=AnswerRequest,
        returns=Done,
        errors=(400, 404, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/review",
        about="Say what you decide about a verdict, as a person.",
        answer=review_verdict,
        body=ReviewRequest,
        returns=Done,
        errors=(400, 404, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/cancel",
        about="Give a deliberation up for good. What was said stays on record.",
        answer=cancel_deliberation,
        body=CancelRequest,
        returns=Done,
        errors=(400, 404, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/resume",
        about="Go on with a deliberation that was interrupted.",
        answer=resume_deliberation,
        body=NothingRequest,
        returns=Begun,
        status=202,
        errors=(400, 403, 404, 409),
    ),
)
