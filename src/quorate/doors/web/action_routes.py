"""Routes that do something: start, answer, review, cancel, resume; and those that only ask what would be."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from fractions import Fraction
from typing import Annotated, Any, Final, TypedDict, cast

from starlette.responses import Response

from quorate.doors.web.encoding import JsonResponse
from quorate.doors.web.operation import ApiCall, Operation
from quorate.errors import NotTrusted
from quorate.frozen import dataclass
from quorate.service.fields import body_class, request_fields, request_from_fields
from quorate.service.forecasts import Forecast, fault_statement
from quorate.service.prepare import prepare
from quorate.service.record_comparison import WhatIf, recount
from quorate.service.records import look_up
from quorate.service.request import Note, PreparedRequest
from quorate.views.document import number

__all__ = ["OPERATIONS"]


class StartReply(TypedDict):
    """A deliberation that is on its way."""

    id: str
    state: str
    url: str
    notes: list[dict[str, Any]]


StartBody: Final = body_class("StartBody", request_fields("http"))
"""What a caller asks for: the question, and what it says of the options."""


async def start_deliberation(call: ApiCall) -> Response:
    key = call.request.headers.get("idempotency-key", "")
    id_, notes = await call.workspace.start(asdict(call.body(StartBody)), key)
    return await _begun(call, id_, notes)


async def _begun(call: ApiCall, id_: str, notes: tuple[Note, ...] = ()) -> Response:
    url = f"/api/deliberations/{id_}"
    told = {
        "id": id_,
        "state": await call.workspace.current_state(id_),
        "url": url,
        "notes": [note.document() for note in notes],
    }
    return JsonResponse(told, 202, headers={"Location": url, "X-Quorate-Id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """What a person answers."""

    seat: str
    text: str


class Done(TypedDict):
    """That it is on record."""

    id: str


async def answer_ask(call: ApiCall) -> Response:
    id_, said = await call.id(), call.body(AnswerRequest)
    # A caller may put a person on its panel; if it could also answer for them, it would vote itself.
    if call.origin.interface != "page" and not call.workspace.operator.allows_people:
        raise NotTrusted(
            "nothing was recorded: a person answers on the owner's page, at the address that quorate serve printed. "
            "The owner can let every caller answer for people"
        )
    await call.workspace.answer(id_, said.seat, said.text)
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What a person says of a verdict."""

    outcome: str
    by: str
    because: str


async def review_verdict(call: ApiCall) -> Response:
    id_, said = await call.id(), call.body(ReviewRequest)
    await call.workspace.review(id_, outcome=said.outcome, by=said.by, because=said.because, origin=call.origin)
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRequest:
    """What turned out right."""

    value: str
    by: str = ""
    because: str = ""


async def record_outcome(call: ApiCall) -> Response:
    id_, said = await call.id(), call.body(OutcomeRequest)
    await call.workspace.record_outcome(id_, said.value, by=said.by, because=said.because, origin=call.origin)
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Why it is given up."""

    because: str = ""


async def cancel_deliberation(call: ApiCall) -> Response:
    id_, said = await call.id(), call.body(CancelRequest)
    await call.workspace.cancel(id_, said.because or "cancelled")
    return JsonResponse({"id": id_})


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingRequest:
    """There is nothing to say."""


async def resume_deliberation(call: ApiCall) -> Response:
    id_ = await call.id()
    call.body(NothingRequest)
    await call.workspace.resume(id_)
    return await _begun(call, id_)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What is supposed."""

    rulebook: Annotated[str | None, "Another rulebook, by name."] = None
    without: Annotated[tuple[str, ...], "Seats to leave out."] = ()
    settings: Annotated[
        Mapping[str, str | int | float | bool], "Settings of the count or of a rule, such as `supermajority.at_least`."
    ] = field(default_factory=dict[str, str | int | float | bool])


class ReplayResult(TypedDict):
    """What the ballots on record come to then."""

    verdict: dict[str, Any]
    changed: bool
    because: str


async def replay_verdict(call: ApiCall) -> Response:
    id_, said = await call.id(), call.body(ReplayRequest)
    settings = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in said.settings.items()
    }
    supposed = WhatIf(rulebook=said.rulebook, without=said.without, settings=settings)
    found = await look_up(call.workspace.ledger, id_)
    return JsonResponse((await asyncio.to_thread(recount, found.record, supposed)).document())


async def forecast_deliberation(call: ApiCall) -> Response:
    request = replace(request_from_fields(asdict(call.body(StartBody)), "http"), only_forecast=True)
    prepared = await prepare(request, replace(call.workspace.operator, ledger=call.workspace.ledger))
    return JsonResponse(await asyncio.to_thread(_forecast, prepared))


def _forecast(prepared: PreparedRequest) -> dict[str, Any]:
    expected, charter = prepared.forecast(), prepared.charter
    told = expected.document()
    cost = cast("dict[str, Any]", told["cost"])
    statement = fault_statement(charter, prepared.env)
    return {
        **cost,
        "at_most": told["at_most"],
        "if_agreed": told["if_agreed"],
        "price": expected.price,
        "protocol": charter.protocol,
        "rulebook": statement["rulebook"],
        "withstands": statement["withstands"],
        "seats": [_seat(sat.seat, sat.model, expected) for sat in expected.convened.seated],
        "turned_away": told["turned_away"],
        "notes": [note.document() for note in prepared.notes],
    }


def _seat(seat: str, model: str, expected: Forecast) -> dict[str, object]:
    asks = [ask for ask in expected.asks if ask.seat == seat]
    priced = all(ask.priced for ask in asks)
    money = sum((ask.likely.money for ask in asks), Fraction(0))
    return {"seat": seat, "model": model, "calls": len(asks), "price": number(money) if priced else None}


class ForecastResult(TypedDict):
    """What a deliberation would take; what is unknown is null."""

    calls: int
    tokens: int
    money: float | None
    at_most: dict[str, Any]
    if_agreed: dict[str, Any] | None
    price: str
    protocol: str
    rulebook: str
    withstands: dict[str, Any] | None
    seats: list[dict[str, Any]]
    turned_away: list[str]
    notes: list[dict[str, Any]]


OF_ONE: Final = "/api/deliberations/{id}"
OPERATIONS: Final = (
    Operation(
        method="POST",
        path="/api/deliberations",
        about="Start a deliberation. The id comes as soon as the question is on record.",
        answer=start_deliberation,
        body=StartBody,
        returns=StartReply,
        headers={"Idempotency-Key": "The same key with the same body starts nothing twice, even after a crash."},
        status=202,
        errors=(400, 403, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/answer",
        about="Answer for a seat that a person holds: from the owner's page, or where the operator lets every caller.",
        answer=answer_ask,
        body=AnswerRequest,
        returns=Done,
        errors=(400, 403, 404, 409),
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
        path=f"{OF_ONE}/outcome",
        about="Record what turned out right. It labels the verdict and changes nothing about it.",
        answer=record_outcome,
        body=OutcomeRequest,
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
        returns=StartReply,
        status=202,
        errors=(400, 403, 404, 409),
    ),
    Operation(
        method="POST",
        path=f"{OF_ONE}/replay",
        about="Count recorded ballots again: another rulebook, without a seat, another threshold. Nothing is written.",
        answer=replay_verdict,
        body=ReplayRequest,
        returns=ReplayResult,
        errors=(400, 404, 409),
    ),
    Operation(
        method="POST",
        path="/api/forecast",
        about="What a deliberation would take, and what its panel withstands. Nobody is asked.",
        answer=forecast_deliberation,
        body=StartBody,
        returns=ForecastResult,
        errors=(400, 403),
        narrow="leave out the setting memory",
    ),
)
