"""A small web on loopback: pages, redirects, and a count of everyone who knocks."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

__all__ = ["Listener", "contacts", "page"]

Answer = Callable[[str], bytes]


def page(body: str, *headers: str, status: int = 200, kind: str = "text/html; charset=utf-8") -> bytes:
    content = body.encode()
    lines = (f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(content)}", "Connection: close")
    return "\r\n".join((*lines, *headers, "", "")).encode("utf-8", "surrogateescape") + content


@dataclass(slots=True)
class Listener:
    """Answers by path and counts connections."""

    host: str
    pages: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    port: int = 0
    knocks: int = 0
    asked: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    every: bytes = b""
    _server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._served, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.knocks += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            pairs = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
            said = {name.casefold(): value.strip() for name, _, value in pairs}
            self.asked.append(path)
            self.heads.append(said)
            self.bodies.append(await reader.readexactly(int(said.get("content-length", "0"))))
            writer.write(self.pages.get(path, self.every or page("<p>A secret of the inner network.</p>")))
            await writer.drain()
        writer.close()


_SEEN: list[str] | None = None


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _SEEN is not None and event == "socket.connect" and isinstance(args[1], tuple):
        _SEEN.append(str(args[1][0]))


sys.addaudithook(_hook)


@contextmanager
def contacts() -> Iterator[list[str]]:
    """Every address that anything in this process connects to meanwhile, whether somebody listens there or not."""
    global _SEEN  # noqa: PLW0603  an audit hook cannot be taken back, so it looks here
    _SEEN = []
    try:
        yield _SEEN
    finally:
        _SEEN = None
