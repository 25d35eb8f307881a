"""A real server on loopback that speaks chat completions, keeps a log, and can misbehave in every way we know of.

`python -m tests.servers 0.05` runs one by itself with 50 ms latency, prints its address and serves until killed.
"""

import asyncio
import gzip
import json
import re
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

Act = Callable[[asyncio.StreamWriter, "Seen"], Awaitable[bool]]
"""Answers one request; false if the connection cannot be used again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(slots=True)
class Endpoint:
    """`async with Endpoint(...) as endpoint`: acts or texts are answered in order, then `otherwise` for ever."""

    script: list[str | Act] = field(default_factory=list)
    otherwise: str | Act = "Fine."
    latency: float = 0.0
    key: str = ""
    declines: tuple[str, ...] = ()
    seen: list[Seen] = field(default_factory=list)
    port: int = 0
    most_at_once: int = 0
    connections: int = 0
    _at_once: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._served(await _request(reader), writer):
                pass
        writer.close()
        self._tasks.discard(task)

    async def _served(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        self.seen.append(seen)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            act = self._act(seen)
            return await (said(act) if isinstance(act, str) else act)(writer, seen)
        finally:
            self._at_once -= 1

    def _act(self, seen: Seen) -> str | Act:
        if self.key and seen.headers.get("authorization") != f"Bearer {self.key}":
            return failing(401, "Incorrect API key provided: " + seen.headers.get("authorization", "none"))
        declined = next((name for name in self.declines if declined_by(seen.body, name)), None)
        if declined:
            return failing(400, f"Unsupported parameter: '{declined}' is not supported with this model.")
        return self.script.pop(0) if self.script else self.otherwise


def declined_by(body: Mapping[str, Any], name: str) -> bool:
    return name in body or body.get("response_format", {}).get("type") == name


async def _request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(head[0].split(" ")[1], headers, json.loads(body or b"{}"))


def http(body: bytes, status: int = 200, *headers: str, kind: str = "application/json") -> bytes:
    """A whole HTTP message."""
    lines = (f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers)
    return "\r\n".join((*lines, "", "")).encode() + body


def completion(text: str, **other: object) -> dict[str, Any]:
    """A chat completion as providers document it."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "test-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        **other,
    }


MARK = "@mark@"
"""In an answer: the mark that this request asks a ballot to bear, as a model copies it."""
_MARKS = re.compile(r'\\"mark\\": \\"([0-9a-f]{12})')


def _own(text: str, seen: Seen) -> str:
    marks = _MARKS.findall(json.dumps(seen.body)) if MARK in text else []
    return text.replace(MARK, marks[-1]) if marks else text


def said(text: str, **other: object) -> Act:
    """Answer with a completion, streamed if that was asked for."""

    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        whole = completion(_own(text, seen), **{"model": seen.body.get("model"), **other})
        if not seen.body.get("stream"):
            writer.write(http(json.dumps(whole).encode()))
            return True
        usage = "include_usage" in seen.body.get("stream_options", {})
        writer.write(STREAM_HEAD + b"".join(map(chunk, (*events(whole, usage=usage), b"data: [DONE]\n\n", b""))))
        return True

    return act


def sends(wire: bytes, then: str = "close") -> Act:
    """Write these bytes, then `close`, `reset`, keep the connection (`keep`) or hold it open for ever (`hang`)."""

    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        writer.write(wire)
        await writer.drain()
        if then == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
        if then == "hang":
            await asyncio.sleep(3600)
        return then == "keep"

    return act


def failing(status: int, message: str = "no", *headers: str) -> Act:
    """An error as providers send it."""
    return sends(http(json.dumps({"error": {"message": message}}).encode(), status, *headers), "keep")


def repeating(head: bytes, piece: bytes, pause: float = 0.0) -> Act:
    """Send a head, then the same piece for ever."""

    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return act


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


def event(said: object) -> bytes:
    return b"data: " + json.dumps(said).encode() + b"\n\n"


def events(whole: Mapping[str, Any], *, usage: bool = True) -> list[bytes]:
    """A completion as a stream of events, a word at a time, with a comment as gateways send them."""
    choice, name = whole["choices"][0], {"model": whole["model"]}
    words = str(choice["message"]["content"]).split(" ")
    deltas = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    parts = [event({**name, "choices": [{"delta": {"content": delta}, "finish_reason": None}]}) for delta in deltas]
    last = event({**name, "choices": [{"delta": {}, "finish_reason": choice["finish_reason"]}]})
    tail = [event({**name, "choices": [], "usage": whole["usage"]})] if usage else []
    return [b": comment\n\n", *parts, last, *tail]


WHOLE = json.dumps(completion("Fine.")).encode()
SOME = event({"choices": [{"delta": {"content": "and on "}}]})

FAULTS: Mapping[str, Act] = {
    "rate_limited": failing(429, "slow down", "Retry-After: 0"),
    "rate_limited, come back never": failing(429, "slow down", "Retry-After: 99999999999"),
    "rate_limited, come back yesterday": failing(429, "slow down", "Retry-After: -5"),
    "rate_limited, nonsense": failing(429, "slow down", "Retry-After: soon"),
    "internal error": failing(500),
    "bad gateway": sends(http(b"<h1>502</h1>", 502, kind="text/html"), "keep"),
    "overloaded": failing(529),
    "closed at once": sends(b""),
    "reset": sends(b"", "reset"),
    "half closed": sends(http(WHOLE)[:-20]),
    "half a head": sends(b"HTTP/1.1 200 OK\r\nContent-"),
    "no HTTP at all": sends(b"\x16\x03\x01 hello\r\n\r\n"),
    "a head without end": repeating(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 4096),
    "wrong length": sends(http(WHOLE).replace(b"Content-Length: ", b"Content-Length: 9")),
    "truncated JSON": sends(http(WHOLE[:-20]), "keep"),
    "empty": sends(http(b""), "keep"),
    "HTML": sends(http(b"<!doctype html><title>Log in</title>", kind="text/html"), "keep"),
    "JSON of another kind": sends(http(b'{"hello": [1, 2]}'), "keep"),
    "a list": sends(http(b"[]"), "keep"),
    "no choices": sends(http(b'{"choices": []}'), "keep"),
    "deep": sends(http(b'{"a":' * 100_000), "keep"),
    "gzip bomb": sends(http(gzip.compress(bytes(16 * 1024 * 1024)), 200, "Content-Encoding: gzip"), "keep"),
    "not gzip": sends(http(WHOLE, 200, "Content-Encoding: gzip"), "keep"),
    "error in a success": sends(http(b'{"error": {"code": 502, "message": "upstream"}}'), "keep"),
    "redirect": sends(http(b"", 307, "Location: http://192.0.2.1/"), "keep"),
    "silent": sends(b"", "hang"),
    "one byte a second": repeating(http(WHOLE)[: -len(WHOLE)], b" ", 1.0),
    "too much": repeating(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" " * 65536),
}
"""Every way to fail an ask that waits for the whole reply."""

STREAM_FAULTS: Mapping[str, Act] = {
    "empty stream": sends(STREAM_HEAD + chunk(b"")),
    "stream cut between events": sends(STREAM_HEAD + chunk(SOME) + chunk(b"")),
    "stream cut within an event": sends(STREAM_HEAD + chunk(SOME[:20]) + chunk(b"")),
    "stream cut within a chunk": sends(STREAM_HEAD + chunk(SOME)[:20]),
    "stream reset": sends(STREAM_HEAD + chunk(SOME), "reset"),
    "line without end": repeating(STREAM_HEAD, chunk(b"data: " + b"x" * 65536)),
    "stream that falls silent": sends(STREAM_HEAD + chunk(SOME), "hang"),
    "error in the stream": sends(
        STREAM_HEAD + chunk(SOME + event({"error": {"code": 529, "message": "busy"}})) + chunk(b"")
    ),
    "garbage in the stream": sends(STREAM_HEAD + chunk(b"data: {{{\n\ndata: []\n\nnonsense\n\n") + chunk(b"")),
}
"""Every way to fail an ask that listens while the reply is written."""

ENDLESS = repeating(STREAM_HEAD, chunk(SOME * 500))
"""A stream that no cap ends."""


async def main(latency: float) -> None:
    """Serve until killed."""
    async with Endpoint(latency=latency, otherwise="Fine. " * 100) as endpoint:
        sys.stdout.write(f"{endpoint.url}\n")
        sys.stdout.flush()
        while True:
            endpoint.seen.clear()
            await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
