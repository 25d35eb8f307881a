"""A model behind a loopback server that speaks four wire formats and asks for tools nobody offered it."""

import json
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

__all__ = ["ANSWERED", "ASKED", "Call", "LoopbackModel"]

Call = tuple[str, "dict[str, Any] | str"]
"""The name of a tool, with its arguments or the script that it is to run."""

ASKED: Final = 321
ANSWERED: Final = 45
"""Tokens that every reply says it took and gave."""


class LoopbackModel:
    """`with LoopbackModel(text, calls)`: asks for these tool calls first, and gives the text once it has results.

    A call is the name of a tool with its arguments. `bodies` holds every request as it came.
    """

    def __init__(self, text: str, calls: Sequence[Call] = ()) -> None:
        self.text = text
        self.calls = calls
        self.bodies: list[str] = []
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def heard(self) -> str:
        """All that was sent to it."""
        return "\n".join(self.bodies)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Agents that are ended leave their connections open."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: LoopbackModel

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has where it comes from
        """Say nothing."""

    def do_GET(self) -> None:
        self._send({"data": [], "models": []}, 200 if "models" in self.path else 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode(errors="replace")
        path = self.path.partition("?")[0]
        if path.endswith(("count_tokens", ":countTokens")):
            self._send({"input_tokens": ASKED, "totalTokens": ASKED})
            return
        speak = {"/v1/messages": _anthropic, "/v1/responses": _openai, "/v1/chat/completions": _chat}.get(path)
        if "generateContent" in path or "streamGenerateContent" in path:
            speak = _gemini
        if speak is None:
            self._send({"error": {"message": "nothing here"}}, 404)
            return
        self.model.bodies.append(body)
        events, whole = speak(json.loads(body), self.model)
        is_streamed = "stream" in path or json.loads(body).get("stream")
        self._stream(events) if is_streamed else self._send(whole)

    def _send(self, document: dict[str, Any], code: int = 200) -> None:
        content = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, events: list[dict[str, Any]]) -> None:
        lines = (f"event: {event['type']}\n" if "type" in event else "" for event in events)
        content = "".join(f"{line}data: {json.dumps(event)}\n\n" for line, event in zip(lines, events, strict=True))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())


Spoken = tuple[list[dict[str, Any]], dict[str, Any]]
"""The same reply as a stream of events, and whole."""


def _anthropic(body: dict[str, Any], model: LoopbackModel) -> Spoken:
    # A call is asked for only where tools were offered: small requests for a title come without any.
    is_first = '"tool_result"' not in json.dumps(body["messages"])
    blocks: list[dict[str, Any]] = [{"type": "text", "text": model.text}]
    if is_first and model.calls:
        blocks = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(model.calls)
        ]
    stop = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
    usage = {"input_tokens": ASKED, "output_tokens": ANSWERED}
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    message = {**start, "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ending = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}]
    return events, {**start, **ending, "content": blocks, "usage": usage}


def _openai(body: dict[str, Any], model: LoopbackModel) -> Spoken:
    is_first = '_call_output"' not in json.dumps(body["input"])
    text = {"type": "output_text", "text": model.text, "annotations": []}
    items: list[dict[str, Any]] = [
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    ]
    if is_first and model.calls:
        items = [_openai_call(number, name, arguments) for number, (name, arguments) in enumerate(model.calls)]
    usage = {
        "input_tokens": ASKED,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": ANSWERED,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": ASKED + ANSWERED,
    }
    start = {"id": "resp_1", "object": "response", "model": body["model"], "status": "in_progress", "output": []}
    whole = {**start, "status": "completed", "output": items, "usage": usage}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": start}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    return [*events, {"type": "response.completed", "response": whole}], whole


def _chat(body: dict[str, Any], model: LoopbackModel) -> Spoken:
    is_first = not any(message["role"] == "tool" for message in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": model.text}
    if is_first and model.calls and body.get("tools"):
        calls = [
            {
                "index": number,
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for number, (name, arguments) in enumerate(model.calls)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    stop = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": ASKED, "completion_tokens": ANSWERED, "total_tokens": ASKED + ANSWERED}
    start = {"id": "chat_1", "created": 1, "model": body["model"]}
    whole = {
        **start,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": usage,
    }
    chunk = {**start, "object": "chat.completion.chunk"}
    events: list[dict[str, Any]] = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage},
    ]
    return events, whole


def _openai_call(number: int, name: str, arguments: dict[str, Any] | str) -> dict[str, Any]:
    namespace, _, own = name.rpartition(".")
    call: dict[str, Any] = {"call_id": f"call_{number}", "name": own, **({"namespace": namespace} if namespace else {})}
    if isinstance(arguments, str):
        return {"type": "custom_tool_call", "id": f"ctc_{number}", "input": arguments, "status": "completed", **call}
    return {"type": "function_call", "id": f"fc_{number}", "arguments": json.dumps(arguments), **call}


def _gemini(body: dict[str, Any], model: LoopbackModel) -> Spoken:
    is_first = '"functionResponse"' not in json.dumps(body["contents"])
    parts: list[dict[str, Any]] = [{"text": model.text}]
    if "json" in body.get("generationConfig", {}).get("responseMimeType", ""):  # it asks which model to take
        parts = [{"text": json.dumps({"complexity_reasoning": "short", "complexity_score": 1})}]
    elif is_first and model.calls:
        parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in model.calls]
    usage = {
        "promptTokenCount": ASKED,
        "candidatesTokenCount": ANSWERED,
        "totalTokenCount": ASKED + ANSWERED,
    }
    whole = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "gemini-loopback",
    }
    return [whole], whole
