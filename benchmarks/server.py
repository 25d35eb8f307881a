"""A mock provider in a process of its own: real HTTP, a fixed latency, replies of the size models write.

`python -m benchmarks.server 0.05` prints its port and serves until its standard input ends.
"""

import asyncio
import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from subprocess import PIPE, Popen
from typing import Final

__all__ = ["LATENCY", "answered", "serving"]

LATENCY: Final = 0.05

_LENGTH: Final = re.compile(rb"\r\nContent-Length: *(\d+)", re.IGNORECASE)
_MARK: Final = re.compile(rb'\\"mark\\": \\"([0-9a-f]{12})\\"')
_STRUCTURED: Final = b'"json_schema"'
_VOTES: Final = b"continue_debate"

_SENTENCE: Final = (
    "What speaks for it is that the copy can be made again from last night's backup, which was restored twice this "
    "month, and that nobody has named a test that needs what is in it today. "
)
_SPEECH: Final = _SENTENCE * 6


@contextmanager
def serving(latency: float = LATENCY) -> Generator[str]:
    """A mock provider while it is needed; gives the address of its API."""
    command = [sys.executable, "-m", "benchmarks.server", str(latency)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        if process.stdout is None or process.stdin is None:
            raise AssertionError("both were asked for")
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.stdin.close()
            process.wait()


def answered(body: bytes) -> bytes:
    """The whole HTTP message that answers a request: a ballot under the prompt's mark where one is wanted."""
    mark = _MARK.search(body)
    write = _vote if _VOTES in body else _ballot
    text = _SPEECH if mark is None else write(mark[1].decode(), alone=_STRUCTURED in body)
    completion = {
        "id": "chatcmpl-0123456789abcdef",
        "object": "chat.completion",
        "created": 1767225600,
        "model": "mock",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "logprobs": None, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0},
        "system_fingerprint": "fp_0123456789",
    }
    whole = json.dumps(completion).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(whole)}\r\n\r\n"
    return head.encode() + whole


def _ballot(mark: str, *, alone: bool) -> str:
    reasoning = _SPEECH if alone else _SENTENCE.strip()
    paper = {"mark": mark, "reasoning": reasoning, "decision": "WARN", "confidence": 70, "risk": 30}
    return json.dumps(paper) if alone else f"{_SPEECH}\n\nBALLOT {json.dumps(paper)}"


def _vote(mark: str, *, alone: bool) -> str:
    reasoning = _SPEECH if alone else _SENTENCE.strip()
    paper = {"mark": mark, "option": "Delete it", "confidence": 0.8, "rationale": reasoning, "continue_debate": False}
    return json.dumps(paper) if alone else f"{_SPEECH}\n\nVOTE: {json.dumps(paper)}"


class _Connection(asyncio.BufferedProtocol):
    """One connection: requests one after the other, each answered after the latency."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._piece = bytearray(16_384)
        self._came = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport if isinstance(transport, asyncio.Transport) else None

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None

    def get_buffer(self, sizehint: int) -> bytearray:
        del sizehint
        return self._piece

    def buffer_updated(self, nbytes: int) -> None:
        """Collect a request until it is whole."""
        self._came += memoryview(self._piece)[:nbytes]
        head = self._came.find(b"\r\n\r\n") + 4
        length = _LENGTH.search(self._came, 0, head) if head > len(b"\r\n") else None
        if length is None or len(self._came) < head + int(length[1]):
            return
        body = bytes(self._came[head:])
        self._came.clear()
        asyncio.get_running_loop().call_later(self._latency, self._answer, body)

    def _answer(self, body: bytes) -> None:
        if self._transport is not None:
            self._transport.write(answered(body))


async def _serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    server = await loop.create_server(lambda: _Connection(latency), "127.0.0.1", 0, backlog=2048)
    loop.add_reader(sys.stdin, over.set)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await over.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]) if len(sys.argv) > 1 else LATENCY))
