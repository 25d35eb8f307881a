"""What a connection may take, tried with raw sockets: slow, long, many and ambiguous requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.web.connection import ServerLimits
from tests.web.client import QUESTION, TOKEN, Caller, provider, serving

pytestmark = pytest.mark.promise

SHORT = 0.3
"""Seconds; only that an answer comes is looked at, never when."""
HEAD = 32 * 1024


@asynccontextmanager
async def limited(home: Path, url: str = "", **limits: Any) -> AsyncIterator[Caller]:  # noqa: ANN401 - any of them
    async with serving(home, url, more={"limits": ServerLimits(**limits)}) as api:
        try:
            yield api
        finally:
            while OPENED:
                writer = OPENED.pop()
                writer.transport.abort()
                with suppress(ConnectionError):
                    await writer.wait_closed()


OPENED: list[asyncio.StreamWriter] = []
"""Connections of the test at work."""


class Socket:
    """A connection on which a test writes what it likes."""

    def __init__(self, api: Caller, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.host = f"Host: 127.0.0.1:{api.server.port}\r\n".encode()
        self.post = (
            b"POST /api/forecast HTTP/1.1\r\n" + self.host + f"Authorization: Bearer {TOKEN}\r\n".encode()
            + b"Content-Type: application/json\r\n"
        )  # fmt: skip

    @classmethod
    async def to(cls, api: Caller) -> "Socket":
        reader, writer = await asyncio.open_connection("127.0.0.1", api.server.port)
        OPENED.append(writer)
        return cls(api, reader, writer)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        with suppress(ConnectionError):
            await self.writer.drain()

    async def answer(self) -> tuple[int, bytes]:
        """The next answer's status and body; 0 where the connection is closed without one."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return 0, b""
        lines = head.lower().split(b"\r\n")
        length = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0)
        return int(head.split()[1]), await self.reader.readexactly(length)

    async def is_closed(self) -> bool:
        """Whether the server closes it, once all that was sent has been read."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass
        return True

    async def trickle(self, pieces: bytes = b"x") -> None:
        """Send byte after byte until the server has had enough."""
        with suppress(ConnectionError):
            while not self.writer.transport.is_closing():
                self.writer.write(pieces)
                await self.writer.drain()
                await asyncio.sleep(SHORT / 10)


GET = b"GET /healthz HTTP/1.1\r\n"
SLOW: dict[str, bytes] = {"nothing": b"", "half a line": b"GET /hea", "half a head": GET + b"X-Slow: "}


@pytest.mark.parametrize("beginning", list(SLOW))
@pytest.mark.parametrize("earlier", [0, 1, 3])
async def test_a_head_that_does_not_come_is_refused_on_every_request(
    tmp_path: Path, beginning: str, earlier: int
) -> None:
    async with limited(tmp_path, head_time=SHORT, idle_time=SHORT) as api:
        socket = await Socket.to(api)
        for _ in range(earlier):
            await socket.send(GET + socket.host + b"\r\n")
            assert await socket.answer() == (200, b"ok\n")
        await socket.send(SLOW[beginning])
        status, _ = await socket.answer()
        # Between two requests there is nothing to answer: the connection is closed.
        assert status == (0 if earlier and not SLOW[beginning] else 408)
        assert await socket.is_closed()


@pytest.mark.parametrize("earlier", [0, 2])
async def test_a_head_that_trickles_is_refused_on_every_request(tmp_path: Path, earlier: int) -> None:
    async with limited(tmp_path, head_time=SHORT) as api:
        socket = await Socket.to(api)
        for _ in range(earlier):
            await socket.send(GET + socket.host + b"\r\n")
            assert (await socket.answer())[0] == 200
        await socket.send(GET + b"X-Slow: ")
        trickle = asyncio.create_task(socket.trickle())
        assert (await socket.answer())[0] in {0, 408}
        assert await socket.is_closed()
        trickle.cancel()


BODIES = {
    "with a length": b"Content-Length: 1000000\r\n\r\n{",
    "in chunks": b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
}


@pytest.mark.parametrize("body", list(BODIES))
@pytest.mark.parametrize("earlier", [0, 2])
async def test_a_body_that_does_not_come_is_refused_on_every_request(tmp_path: Path, body: str, earlier: int) -> None:
    async with limited(tmp_path, body_time=SHORT) as api:
        socket = await Socket.to(api)
        for _ in range(earlier):
            await socket.send(socket.post + b"Content-Length: 2\r\n\r\n{}")
            assert (await socket.answer())[0] == 400
        await socket.send(socket.post + BODIES[body])
        status, told = await socket.answer()
        assert (status, json.loads(told)["error"]["code"]) == (408, "request_timeout")
        assert await socket.is_closed()


async def test_a_body_that_trickles_is_refused_also_behind_an_answer(tmp_path: Path) -> None:
    async with limited(tmp_path, body_time=SHORT) as api:
        for authorization, wanted in ((socket_token(), 408), (b"", 401)):
            socket = await Socket.to(api)
            head = b"POST /api/forecast HTTP/1.1\r\n" + socket.host + b"Content-Type: application/json\r\n"
            await socket.send(head + authorization + b"Content-Length: 1000000\r\n\r\n")
            trickle = asyncio.create_task(socket.trickle(b" "))
            assert (await socket.answer())[0] == wanted
            assert await socket.is_closed()
            trickle.cancel()


def socket_token() -> bytes:
    return f"Authorization: Bearer {TOKEN}\r\n".encode()


async def test_a_client_that_does_not_read_its_answers_is_dropped(tmp_path: Path) -> None:
    async with limited(tmp_path, write_time=SHORT) as api:
        socket = await Socket.to(api)
        # Answers that nobody reads fill every buffer between us.
        with suppress(ConnectionError):
            while not socket.writer.transport.is_closing():
                request = b"GET /openapi.json HTTP/1.1\r\n" + socket.host + socket_token() + b"\r\n"
                socket.writer.write(request * 50)
                await asyncio.wait_for(socket.writer.drain(), 20)
                await asyncio.sleep(0.01)


def heads(size: int) -> dict[str, bytes]:
    """Heads of so many bytes in all, in ways in which a parser may count them."""
    many = b"".join(b"X-%05d: 1\r\n" % number for number in range(size // 12))
    return {
        "one long header": b"X-Long: " + b"x" * (size - 10) + b"\r\n",
        "many small headers": many + b"X-Rest: " + b"x" * max(0, size - len(many) - 10) + b"\r\n",
        "white space": b"X-White: " + b" " * (size - 12) + b"x\r\n",
    }


@pytest.mark.parametrize("kind", list(heads(100)))
@pytest.mark.parametrize("pieces", [1_000_000, 1000], ids=["at once", "in pieces"])
@pytest.mark.parametrize("earlier", [0, 1])
async def test_a_head_is_taken_up_to_32_kilobytes(tmp_path: Path, kind: str, pieces: int, earlier: int) -> None:
    async with limited(tmp_path) as api:
        for size, wanted in ((HEAD - 200, 200), (HEAD + 1, 431), (200_000, 431)):
            socket = await Socket.to(api)
            for _ in range(earlier):
                await socket.send(GET + socket.host + b"\r\n")
                assert (await socket.answer())[0] == 200
            head = GET + socket.host + heads(size)[kind] + b"\r\n"
            for start in range(0, len(head), pieces):
                await socket.send(head[start : start + pieces])
            assert (await socket.answer())[0] == wanted


async def test_a_long_head_behind_another_request_is_refused(tmp_path: Path) -> None:
    async with limited(tmp_path) as api:
        socket = await Socket.to(api)
        long = GET + socket.host + heads(100_000)["many small headers"] + b"\r\n"
        await socket.send(GET + socket.host + b"\r\n" + long)
        assert [(await socket.answer())[0] for _ in range(2)] == [200, 431]


async def test_a_long_path_counts_as_head(tmp_path: Path) -> None:
    async with limited(tmp_path) as api:
        socket = await Socket.to(api)
        await socket.send(b"GET /healthz?" + b"x" * HEAD + b" HTTP/1.1\r\n" + socket.host + b"\r\n")
        status, told = await socket.answer()
        assert (status, json.loads(told)["error"]["code"]) == (431, "too_large")


async def test_a_refused_connection_is_let_go_though_its_client_stays(tmp_path: Path) -> None:
    async with limited(tmp_path, head_time=SHORT, body_time=SHORT) as api:
        for beginning in (b"no request\r\n\r\n", GET, GET + b"X: " + b"x" * HEAD):
            socket = await Socket.to(api)
            await socket.send(beginning)
            assert (await socket.answer())[0] in {400, 408, 431}
            # Nobody is there any more, so what is sent comes back as an error.
            await socket.trickle()


AMBIGUOUS = (
    b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
    b"transfer-encoding: CHUNKED\r\ncontent-length: 0\r\n",
    b"Content-Length: 2\r\nTransfer-Encoding: identity\r\n",
    b"Content-Length: 2\r\nTransfer-Encoding: gzip, chunked\r\n",
    b"Content-Length: 2\r\nTransfer-Encoding : chunked\r\n",
    b"Content-Length: 2\r\nContent-Length: 3\r\n",
    b"Content-Length: +2\r\n",
    b"Content-Length: 2, 3\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
)


@pytest.mark.parametrize("ambiguous", AMBIGUOUS)
async def test_a_request_whose_end_is_ambiguous_is_refused(tmp_path: Path, ambiguous: bytes) -> None:
    async with limited(tmp_path) as api:
        socket = await Socket.to(api)
        smuggled = b"0\r\n\r\n" + GET + socket.host + b"\r\n"
        await socket.send(socket.post + ambiguous + b"\r\n" + smuggled)
        status, told = await socket.answer()
        assert (status, json.loads(told)["error"]["code"]) == (400, "bad_request")
        # What follows is nobody's request.
        assert (await socket.answer())[0] == 0


async def test_idle_connections_make_room_for_new_ones(tmp_path: Path) -> None:
    async with limited(tmp_path, connections=5) as api:
        slow = [await Socket.to(api) for _ in range(5)]
        for socket in slow:
            await socket.send(b"GET /hea")
        for _ in range(3):
            socket = await Socket.to(api)
            await socket.send(GET + socket.host + b"\r\n")
            assert await socket.answer() == (200, b"ok\n")
        # Who has waited longest goes first.
        assert await slow[0].is_closed()


async def test_where_all_connections_are_at_work_one_more_is_told_so_and_streams_do_not_count(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with (
        provider(gate=gate) as endpoint,
        limited(tmp_path, endpoint.url, connections=3, streams=4, idle_time=SHORT) as api,
    ):
        id_ = await api.start(QUESTION)
        path = f"GET /api/deliberations/{id_}/events HTTP/1.1\r\n".encode()
        streams = list[Socket]()
        for _ in range(4):
            streams.append(socket := await Socket.to(api))
            await socket.send(path + socket.host + socket_token() + b"\r\n")
            assert (await socket.answer())[0] == 200

        socket = await Socket.to(api)
        await socket.send(path + socket.host + socket_token() + b"\r\n")
        status, told = await socket.answer()
        assert (status, json.loads(told)["error"]["code"]) == (503, "unavailable")

        # A question that is put like to a model keeps its connection until the panel has answered.
        chat = json.dumps(
            {"model": "quorate:tribunal", "messages": [{"role": "user", "content": "Should we?"}]}
        ).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\n" + socket_token()
        busy = list[Socket]()
        for number in range(1, 4):
            busy.append(waiting := await Socket.to(api))
            await waiting.send(head + waiting.host + b"Content-Length: %d\r\n\r\n%b" % (len(chat), chat))
            while api.server.service.counts.running < 1 + number:  # noqa: ASYNC110 - only a count tells
                await asyncio.sleep(0.01)
        more = await Socket.to(api)
        status, told = await more.answer()
        assert (status, json.loads(told)["error"]["code"]) == (503, "unavailable")
        assert await more.is_closed()

        gate.set()
        for waiting in busy:
            assert (await waiting.answer())[0] == 200
        for socket in streams:
            assert await socket.is_closed()
