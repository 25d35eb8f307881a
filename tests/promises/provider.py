"""A provider in a process of its own: chat completions on loopback, the same reply to the same ask, and its own books.

It knows the deliberation and the seat from the model's name, the life of the process that asks from the key,
and the round from the prompt. Whatever quorate may believe about what it bought, this is the bill.
"""

import asyncio
import json
import os
import re
import socket
import zlib
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any, Final, NamedTuple

CASTS: Final = {
    ("analysis", "Utility"): ("ACT", 90, 20),
    ("analysis", "Accuracy"): ("WARN", 70, 30),
    ("analysis", "Safety"): ("REFUSE", 60, 45),
    ("revision", "Utility"): ("WARN", 75, 30),
    ("revision", "Accuracy"): ("WARN", 80, 25),
    ("revision", "Safety"): ("REFUSE", 65, 40),
}
BUSY: Final = {"gateway": 504, "crowded": 429}
UNREADABLE: Final = ("analysis", "Accuracy", 1)
"""Whose first reply is no ballot, so that the repair question is asked too."""

_MARK: Final = re.compile(r'"mark": "([^"]+)"')
_CHALLENGED: Final = re.compile(r"\nChallenge (\w+)\. Name the weakest")


class Request(NamedTuple):
    """A line of the bill: which life of which process asked what, and whether the whole reply was handed over."""

    life: int
    round: str
    seat: str
    about: str
    attempt: int
    handed: bool

    @property
    def ask(self) -> tuple[str, str, str, int]:
        return self.round, self.seat, self.about, self.attempt


class Model(NamedTuple):
    """What the name of a model means here: `run.seat.manner`.

    A `gateway` answers each ask with 504 at first, a `crowded` one with 429; a `choosy` one takes no form.
    """

    run: str
    seat: str
    manner: str = "plain"

    def at(self, port: int) -> str:
        return f"openai:{'.'.join(self)}@http://127.0.0.1:{port}/v1"


class Provider:
    """What all connections share: the bill, by deliberation."""

    def __init__(self) -> None:
        self.bill: dict[str, list[Request]] = {}

    def requested(self, life: int, body: dict[str, Any]) -> tuple[float, int, bytes, Callable[[], None]]:
        """Note a request; gives how long to think, the status, the reply, and whom to tell once it is handed over."""
        model = Model(*str(body["model"]).split("."))
        prompt = str(body["messages"][0]["content"])
        request = _understood(life, model.seat, prompt)
        bill = self.bill.setdefault(model.run, [])
        place, before = len(bill), [one.ask for one in bill]
        bill.append(request)

        def handed() -> None:
            bill[place] = request._replace(handed=True)

        thinking = 0.002 + zlib.crc32(repr(request.ask).encode()) % 5 / 1000
        if model.manner in BUSY and request.ask not in before:
            return thinking, BUSY[model.manner], b"{}", handed
        if model.manner == "choosy" and "response_format" in body:
            return thinking, 400, b'{"error": {"message": "response_format is not supported"}}', handed
        return thinking, 200, _completion(request, prompt, str(body["model"]), before.count(request.ask)), handed


def _understood(life: int, seat: str, prompt: str) -> Request:
    attempt = 2 if "\n\nYou replied:\n\n" in prompt else 1
    challenged = _CHALLENGED.search(prompt)
    if challenged:
        return Request(life, "challenge", seat, challenged[1], attempt, handed=False)
    round_ = "revision" if "\nThe others challenge you:\n" in prompt else "analysis"
    return Request(life, round_, seat, "", attempt, handed=False)


TOKENS: Final = 40
"""Of the first reply to an ask; each reply to the same ask has one more, so that a record tells which one it holds."""


def _completion(request: Request, prompt: str, model: str, before: int) -> bytes:
    message = {"role": "assistant", "content": _words(request, prompt)}
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": TOKENS + before}
    return json.dumps(
        {"model": model, "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    ).encode()


def _words(request: Request, prompt: str) -> str:
    if request.round == "challenge":
        return f"{request.about} has not said what happens if the backup cannot be restored. {'Show it. ' * 40}"
    if (request.round, request.seat, request.attempt) == UNREADABLE:
        return "It can be done, I should think."
    decision, confidence, risk = CASTS[request.round, request.seat]
    mark = _MARK.findall(prompt)[-1]
    ballot = {"mark": mark, "decision": decision, "confidence": confidence, "risk": risk, "reasoning": "As said."}
    return f"{request.seat} in the {request.round}. {'There is more to say. ' * 40}\n\nBALLOT {json.dumps(ballot)}"


class _Connection(asyncio.Protocol):
    """One keep-alive connection; requests on it come one after the other."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, end, rest = self._came.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        wanted = int(length[1]) if length else 0
        if end and len(rest) >= wanted:
            self._came = rest[wanted:]
            self._answer(head.decode(), rest[:wanted])

    def _answer(self, head: str, body: bytes) -> None:
        if head.startswith("GET /bill/"):
            run = head.split()[1].removeprefix("/bill/")
            self._send(200, json.dumps(self._provider.bill.get(run, [])).encode(), lambda: None)
            return
        life = re.search(r"(?i)authorization: Bearer life-(\d+)", head)
        assert life is not None
        thinking, status, reply, handed = self._provider.requested(int(life[1]), json.loads(body))
        asyncio.get_running_loop().call_later(thinking, self._send, status, reply, handed)

    def _send(self, status: int, body: bytes, handed: Callable[[], None]) -> None:
        if self._transport.is_closing():
            return
        head = f"HTTP/1.1 {status} .\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)
        if not self._transport.get_write_buffer_size():
            handed()


def start() -> tuple[int, int]:
    """Fork a provider; gives its pid and port. It ends when the process that started it does."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    port: int = listening.getsockname()[1]
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(_serve(listening, parent))
        finally:
            os._exit(0)
    listening.close()
    return pid, port


async def _serve(listening: socket.socket, parent: int) -> None:
    provider = Provider()
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(provider), sock=listening)
    async with server:
        while os.getppid() == parent:  # noqa: ASYNC110  nobody tells an orphan
            await asyncio.sleep(0.5)


def billed(port: int, run: str) -> list[Request]:
    """What the provider has on its bill for a deliberation."""
    asking = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        asking.request("GET", f"/bill/{run}")
        return [Request(*line) for line in json.loads(asking.getresponse().read())]
    finally:
        asking.close()
