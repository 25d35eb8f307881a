"""The wire formats, each with a server's side of it: a reply as its provider documents it, whole or streamed."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.middleware.deadline import TimeLimit
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Prompt, Seat
from quorate.panelists import Panelist
from quorate.panelists.http.anthropic import Anthropic
from quorate.panelists.http.client import Http
from quorate.panelists.http.gemini import Gemini
from quorate.panelists.http.openai import OpenAI
from quorate.panelists.http.responses import Responses
from quorate.panelists.http.wire_format import Endpoint, SamplingOptions, Wire
from tests import servers
from tests.servers import STREAM_HEAD, Act, chunk, event, http, sends

MODEL = "test-model"


def once(panelist: Panelist) -> Panelist:
    """One attempt, which asks again only without what the endpoint declines."""
    return Retry(panelist, TimeLimit(), Retries(attempts=1))


KEY = "sk-proj-canary-0123456789abcdef"


def named(kind: str, **said: object) -> bytes:
    """A server-sent event with its name on a line of its own."""
    return f"event: {kind}\n".encode() + event({"type": kind, **said})


def message(text: str, **other: object) -> dict[str, Any]:
    """A message of Anthropic's."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
        **other,
    }


def message_events(words: list[str], stop: str = "end_turn") -> list[bytes]:
    begun = {**message(""), "content": [], "stop_reason": None, "usage": {"input_tokens": 11, "output_tokens": 1}}
    deltas = [named("content_block_delta", index=0, delta={"type": "text_delta", "text": word}) for word in words]
    thought = named("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "Hm."})
    return [
        named("message_start", message=begun),
        named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        named("ping"),
        thought,
        *deltas,
        named("content_block_stop", index=0),
        named("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 7}),
        named("message_stop"),
    ]


def generated(text: str, **other: object) -> dict[str, Any]:
    """Generated content of Google's."""
    parts = [{"text": "Hm.", "thought": True}, {"text": text}]
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 4, "thoughtsTokenCount": 3},
        "modelVersion": MODEL,
        "responseId": "r1",
        **other,
    }


def generated_events(words: list[str], stop: str = "STOP") -> list[bytes]:
    def piece(word: str, finish: dict[str, str]) -> bytes:
        return event(generated("", candidates=[{"content": {"parts": [{"text": word}]}, "index": 0, **finish}]))

    return [*(piece(word, {}) for word in words[:-1]), piece(words[-1], {"finishReason": stop})]


def response(text: str, **other: object) -> dict[str, Any]:
    """A response of OpenAI's."""
    said = {"type": "output_text", "text": text, "annotations": []}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": MODEL,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "role": "assistant", "status": "completed", "content": [said]},
        ],
        "usage": {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18},
        **other,
    }


def response_events(words: list[str]) -> list[bytes]:
    deltas = [named("response.output_text.delta", delta=word, output_index=1) for word in words]
    whole = response("".join(words))
    return [
        named("response.created", response={**whole, "output": []}),
        *deltas,
        named("response.completed", response=whole),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One wire format and how its provider speaks it."""

    wire: type[Wire]
    path: str
    streams: str
    key: str
    whole: Callable[[str], dict[str, Any]]
    events: Callable[[list[str]], list[bytes]]
    trouble: Callable[[int, str], dict[str, Any]]

    def panelist(self, url: str, client: Http, tuning: SamplingOptions | None = None) -> Wire:
        there = Endpoint(url=url, model=MODEL, key=KEY, variable="TEST_API_KEY")
        return self.wire(there, client, tuning)

    def says(self, text: str, **other: object) -> Act:
        """A whole reply, or a stream of its words if that was asked for."""

        async def act(writer: Any, seen: servers.Seen) -> bool:  # noqa: ANN401  a stream writer
            if "stream" in seen.path or seen.body.get("stream"):
                words = [word if place == 0 else f" {word}" for place, word in enumerate(text.split(" "))]
                return await self.streamed(*self.events(words))(writer, seen)
            return await sends(http(json.dumps({**self.whole(text), **other}).encode()), "keep")(writer, seen)

        return act

    def streamed(self, *pieces: bytes) -> Act:
        return sends(STREAM_HEAD + b"".join(map(chunk, (*pieces, b""))), "keep")

    def fails(self, status: int, why: str = "no", *headers: str) -> Act:
        """An error as this provider sends it."""
        return sends(http(json.dumps(self.trouble(status, why)).encode(), status, *headers), "keep")


def _anthropic_trouble(status: int, why: str) -> dict[str, Any]:
    kinds = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": why}, "request_id": "req_1"}


def _google_trouble(status: int, why: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": why, "status": "INVALID_ARGUMENT"}}


def _openai_trouble(status: int, why: str) -> dict[str, Any]:
    del status
    return {"error": {"message": why, "type": "invalid_request_error", "param": None, "code": None}}


def _chunks(words: list[str]) -> list[bytes]:
    return [*servers.events(servers.completion("".join(words))), b"data: [DONE]\n\n"]


FORMATS: Mapping[str, Format] = {
    "completions": Format(
        wire=OpenAI,
        path="/v1/chat/completions",
        streams="/v1/chat/completions",
        key="authorization",
        whole=servers.completion,
        events=_chunks,
        trouble=_openai_trouble,
    ),
    "messages": Format(
        wire=Anthropic,
        path="/v1/messages",
        streams="/v1/messages",
        key="x-api-key",
        whole=message,
        events=message_events,
        trouble=_anthropic_trouble,
    ),
    "generate": Format(
        wire=Gemini,
        path=f"/v1/models/{MODEL}:generateContent",
        streams=f"/v1/models/{MODEL}:streamGenerateContent?alt=sse",
        key="x-goog-api-key",
        whole=generated,
        events=generated_events,
        trouble=_google_trouble,
    ),
    "responses": Format(
        wire=Responses,
        path="/v1/responses",
        streams="/v1/responses",
        key="authorization",
        whole=response,
        events=response_events,
        trouble=_openai_trouble,
    ),
}


def ask(text: str = "Shall we?", wants: str = "speech") -> Ask:
    return Ask(Seat(name="Safety"), "analysis", Prompt(text), wants=wants, mark="5eed5eed5eed")


def whole(said: object) -> servers.Act:
    return sends(http(json.dumps(said).encode()), "keep")
