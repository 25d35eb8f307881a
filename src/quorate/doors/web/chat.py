"""A panel as a model: whatever can talk to a model over chat completions can ask `quorate:tribunal`.

The reply is the verdict in words with its points. While the panel deliberates nothing is said, for nothing is decided:
progress goes out as comments, which every reader of events skips and which keep the connection open.
"""

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from quorate import presets
from quorate.doors.web.broadcast import Publisher
from quorate.doors.web.encoding import JsonResponse, encode
from quorate.doors.web.ledger_host import LedgerHost
from quorate.doors.web.operation import ApiCall, Operation
from quorate.doors.web.schema import OpenRequest
from quorate.engine.verify import refusal
from quorate.errors import LedgerMismatch, QuorateError, UnknownName
from quorate.frozen import dataclass
from quorate.model import Event, Spoken
from quorate.offline.record_view import CheckedRecord, look_up
from quorate.service.fields import body_class, request_fields
from quorate.views.access import access_sentence
from quorate.views.card import verdict_line
from quorate.views.document import verdict_document
from quorate.views.escape import one_line
from quorate.views.result import Result

__all__ = ["OPERATIONS"]

PREFIX: Final = "quorate:"
QUIET: Final = 5.0
"""Seconds after which a comment shows that the panel is still at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(OpenRequest):
    """One message of the conversation; parts of one that are no text are refused."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[Mapping[str, Any], ...] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(map(_part, self.content))


def _part(part: Mapping[str, Any]) -> str:
    if part.get("type") not in {"text", "input_text"} or not isinstance(part.get("text"), str):
        raise HTTPException(400, "a panel reads text alone; send the parts of a message as text")
    return str(part["text"])


_SAID_ELSEWHERE: Final = frozenset({"question", "context", "panel"})
if TYPE_CHECKING:
    MoreFields = Any
else:
    _MORE = tuple(one for one in request_fields("http") if one.name not in _SAID_ELSEWHERE)
    MoreFields = body_class("MoreFields", _MORE)
"""What a deliberation takes besides the question and the panel, which a chat completion says in its own way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest(OpenRequest):
    """A chat completion as clients ask for it. What says how to sample is accepted and means nothing to a panel."""

    model: Annotated[str, "quorate: and the name of a panel that `GET /v1/models` lists."]
    messages: tuple[Message, ...]
    stream: bool | None = None
    stream_options: Mapping[str, Any] | None = None
    n: int | None = None
    quorate: Annotated[MoreFields | None, "What a deliberation needs besides, for callers who know of it."] = None

    def fields(self) -> dict[str, Any]:
        """The question is the last message of the user; all others, such as what a tool gave back, are context.

        Raises:
            HTTPException: nobody asks anything, or several replies are wanted.
        """
        asked = [place for place, message in enumerate(self.messages) if message.role == "user"]
        if not asked or (self.n or 1) != 1:
            raise HTTPException(400, "send one message of the user at least, and ask for one reply")
        others = (message for place, message in enumerate(self.messages) if place != asked[-1])
        context = "\n\n".join(f"{message.role}: {message.text}" for message in others if message.text.strip())
        more: dict[str, Any] = {} if self.quorate is None else asdict(self.quorate)
        return {**more, "question": self.messages[asked[-1]].text, "context": context, "panel": _panel(self.model)}


def _panel(model: str) -> str:
    name = model.removeprefix(PREFIX)
    if name == model:
        raise UnknownName("model", model, [f"{PREFIX}{one}" for one in presets.panels()])
    return name


class ModelEntry(TypedDict):
    """A panel that can be asked like a model."""

    id: str
    object: str
    created: int
    owned_by: str


class ModelEntries(TypedDict):
    """All of them."""

    object: str
    data: list[ModelEntry]


async def list_chat_models(call: ApiCall) -> Response:
    names = (*presets.panels(), *call.workspace.operator.offered)
    data = [{"id": f"{PREFIX}{name}", "object": "model", "created": 0, "owned_by": "quorate"} for name in names]
    return JsonResponse({"object": "list", "data": data})


async def create_chat_completion(call: ApiCall) -> Response:
    request = call.body(ChatRequest)
    id_, _ = await call.workspace.start(request.fields(), call.request.headers.get("idempotency-key", ""))
    publisher, headers = await call.workspace.publisher(id_), {"X-Quorate-Id": id_}
    if request.stream:
        told = bool((request.stream_options or {}).get("include_usage"))
        chunks = _chunks(call.workspace, publisher, request.model, usage=told)
        return StreamingResponse(chunks, media_type="text/event-stream", headers=headers)
    await _ended(call.workspace, publisher)
    return JsonResponse(_completion(await _looked_up(call.workspace, id_), request.model), headers=headers)


async def _ended(workspace: LedgerHost, publisher: Publisher) -> None:
    async for _ in _beats(workspace, publisher):
        pass


async def _beats(workspace: LedgerHost, publisher: Publisher) -> AsyncIterator[int]:
    """How many entries there are, each time something happened or a while passed, until nothing more will happen."""
    while workspace.is_held(publisher.id):
        yield len(publisher.frames)
        await workspace.wait(publisher.id, QUIET)


async def _looked_up(workspace: LedgerHost, id_: str) -> CheckedRecord:
    """The record, once there is a verdict.

    Raises:
        HTTPException: nobody could be asked, the deliberation waits for people, or it stopped.
        LedgerMismatch: its words do not come to its verdict any more, or are gone.
    """
    found = await look_up(workspace.ledger, id_)
    if why := access_sentence(found.record.state):
        raise HTTPException(502, f"deliberation {id_}: {why}")
    if Result.of(found.record).decision is None:
        why = workspace.failures.get(id_, f"it is {Result.of(found.record).state}")
        raise HTTPException(503, f"deliberation {id_} has no verdict: {why}; resume it, or answer for its people")
    if not found.checked.holds:
        raise LedgerMismatch(f"{id_} {refusal(found.checked)}")
    return found


def _words(found: CheckedRecord) -> str:
    """The verdict as a person would tell it: what, why, and the points made."""
    result = Result.of(found.record)
    decision = result.decision
    if decision is None:
        return ""
    verdict = decision.verdict
    # Whoever shows it may trust what a model says, so nothing in it steers a terminal or turns text around.
    lines = [verdict_line(result), "", one_line(verdict.because)]
    if verdict.points:
        lines += ["", *(one_line(f"- {point.who} ({point.kind}): {point.text}") for point in verdict.points)]
    if verdict.cautions:
        lines += ["", *(one_line(f"Caution: {caution.text}") for caution in verdict.cautions)]
    return "\n".join(lines)


def _usage(events: "tuple[Event, ...]") -> dict[str, int]:
    spent = [event.reply.usage.credible for event in events if isinstance(event, Spoken)]
    asked = sum(used.asked or 0 for used in spent)
    answered = sum(used.answered or 0 for used in spent)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _about(found: CheckedRecord) -> dict[str, object]:
    result = Result.of(found.record)
    decision = result.decision
    verdict = verdict_document(decision) if decision else None
    return {"id": found.record.id, "state": result.state, "may_act": result.may_act, "verdict": verdict}


def _completion(found: CheckedRecord, model: str) -> dict[str, object]:
    message = {"role": "assistant", "content": _words(found), "refusal": None}
    return {
        "id": f"chatcmpl-{found.record.id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(tuple(found.record.events)),
        "quorate": _about(found),
    }


async def _chunks(workspace: LedgerHost, publisher: Publisher, model: str, *, usage: bool) -> AsyncIterator[bytes]:
    id_ = publisher.id
    head = {"id": f"chatcmpl-{id_}", "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
    yield _data({**head, **_delta({"role": "assistant", "content": ""}), "quorate": {"id": id_}})
    async for entries in _beats(workspace, publisher):
        yield b": %d entries so far\n\n" % entries
    try:
        found = await _looked_up(workspace, id_)
    except (HTTPException, QuorateError) as wrong:
        yield _data(
            {"error": {"message": getattr(wrong, "detail", str(wrong)), "type": "quorate", "code": "no_verdict"}}
        )
        return
    for line in _lines(_words(found)):
        yield _data({**head, **_delta({"content": line})})
    yield _data({**head, **_delta({}, "stop"), "quorate": _about(found)})
    if usage:
        yield _data({**head, "choices": [], "usage": _usage(tuple(found.record.events))})
    yield b"data: [DONE]\n\n"


def _lines(text: str) -> Iterator[str]:
    yield from text.splitlines(keepends=True)


def _delta(delta: dict[str, str], finish: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}


def _data(value: object) -> bytes:
    return b"data: %b\n\n" % encode(value)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/v1/models",
        about="Panels that can be asked like a model, in the form of OpenAI's API.",
        answer=list_chat_models,
        returns=ModelEntries,
    ),
    Operation(
        method="POST",
        path="/v1/chat/completions",
        about="Ask a panel like a model, in the form of OpenAI's API; plain or streamed.",
        answer=create_chat_completion,
        body=ChatRequest,
        returns=dict[str, Any],
        also=("text/event-stream",),
        errors=(400, 403, 409, 502, 503),
    ),
)
