"""What a connection may take: time for a request, bytes for its head, and how many connections there are at once.

Uvicorn bounds the time between two requests and the requests at work. A request that comes slowly it awaits for ever,
and a long head it takes if the head arrives in one piece.
"""

import asyncio
from dataclasses import replace
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from quorate.doors.web.encoding import CODES, encode, error_body
from quorate.frozen import dataclass

__all__ = ["HttpConnection", "ServerLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Seconds, bytes and numbers; streams of events have a number of their own, because they stay open."""

    head_time: float = 20.0
    """Seconds from the first byte of a request, or from the start of its connection, to the end of its head."""
    body_time: float = 30.0
    """Seconds in which the body follows."""
    idle_time: float = 30.0
    """Seconds between two requests on one connection."""
    write_time: float = 30.0
    """Seconds in which a client that has not read what was sent must go on reading."""
    head_size: int = 32 * 1024
    """Bytes of a head."""
    connections: int = 2048
    streams: int = 4096
    work_time: float = 20.0
    """Seconds of work on one request whose work grows with the ledger."""

    def within(self, files: int) -> "ServerLimits":
        """The same where a process may open so many files: what is left over is for ledgers and models."""
        return replace(self, connections=min(self.connections, files // 4), streams=min(self.streams, files // 2))


TOO_LARGE: Final = 431
TOO_LATE: Final = 408
TOO_MANY: Final = 503
LINGER: Final = 2.0
"""Seconds that a connection which is to be closed has to take what was sent."""


class _Parser(h11.Connection):
    """Reads requests, and refuses two kinds that h11 takes."""

    def __init__(self, head_size: int) -> None:
        super().__init__(h11.SERVER, head_size)
        self._head_size = head_size
        self.status = 400
        self.why = ""

    def next_event(self) -> Any:  # noqa: ANN401 - h11 has no name for it
        # h11 measures a head only while it is incomplete.
        awaits_head = self.their_state is h11.IDLE
        before = len(self.trailing_data[0]) if awaits_head else 0
        try:
            event = super().next_event()
            if isinstance(event, h11.Request):
                self._check(event, before - len(self.trailing_data[0]))
        except h11.RemoteProtocolError as wrong:
            self.why = f"this is no request in HTTP/1.1: {wrong}"
            if wrong.error_status_hint == TOO_LARGE:
                self.status = TOO_LARGE
                self.why = f"the head of the request is larger than {self._head_size} bytes; send fewer headers"
            raise
        return event

    def _check(self, request: h11.Request, size: int) -> None:
        if size > self._head_size:
            raise h11.RemoteProtocolError("the head is too large", TOO_LARGE)
        names = {name for name, _ in request.headers}
        # A proxy may believe the one and we the other: then the end of this request is the start of another's.
        if {b"content-length", b"transfer-encoding"} <= names:
            raise h11.RemoteProtocolError("it has both Content-Length and Transfer-Encoding; send one of them")


class HttpConnection(H11Protocol):
    """Uvicorn's connection within limits. A request that is not whole in time is refused, and the connection closed."""

    def __init__(self, *args: Any, limits: ServerLimits, **more: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **more)
        self._limits = limits
        self._parser = self.conn = _Parser(limits.head_size)
        self._is_refused = False
        self._phase: object = None
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def is_stream(self) -> bool:
        """Whether events are sent on it."""
        return self.is_busy and bool(self.scope.get("state", {}).get("streams"))

    @property
    def is_busy(self) -> bool:
        """Whether a request is at work on it."""
        cycle: object = self.cycle
        return cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as it is declared there
        super().connection_made(transport)
        self._watch()
        most, whole = self._limits.connections, self._limits.connections + self._limits.streams
        # Only above the number of both are streams counted against anybody.
        if len(self.connections) > whole or (
            len(self.connections) > most and sum(not one.is_stream for one in self._all()) > most
        ):
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_timer(None)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self._unread = self.loop.call_later(self._limits.write_time, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._watch()
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_refused:
            return
        if self.conn.their_state is not h11.IDLE or self.conn.trailing_data[0]:
            self._watch()
        else:
            # The time of the next request begins with its first byte.
            self._phase = None
            self._set_timer(self._limits.idle_time)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's one message for everything
        """Refuse what cannot be read, in the one form of errors."""
        self.refuse(self._parser.status, self._parser.why)

    def refuse(self, status: int, why: str) -> None:
        """Answer with an error, unless an answer has begun, and close the connection."""
        if self.is_busy:  # whoever works on it learns that nobody waits
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = encode(error_body(CODES[status], why))
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self._close()

    def _close(self) -> None:
        """Send no more, and let go once the client has; to close while it still sends would lose it the answer."""
        self._is_refused = True
        self.transport.write_eof()
        self._set_timer(LINGER)

    def _all(self) -> "list[HttpConnection]":
        return [one for one in self.connections if isinstance(one, HttpConnection)]

    def _make_room(self) -> None:
        """Close the connection that has waited longest without a whole request; if all are at work, this one."""
        waiting = [one for one in self._all() if not one.is_busy and one is not self]
        if waiting:
            min(waiting, key=lambda one: one._since).transport.abort()  # noqa: SLF001 - of the same class
            return
        self.refuse(TOO_MANY, "too many connections are open; close some, or try again")

    def _watch(self) -> None:
        """Time what is still to come of a request. Its bytes do not start the time again."""
        if self._is_refused or self.conn.their_state is self._phase:
            return
        self._phase = self.conn.their_state
        times: dict[object, float] = {h11.IDLE: self._limits.head_time, h11.SEND_BODY: self._limits.body_time}
        self._since = self.loop.time()
        self._set_timer(times.get(self._phase))

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self._is_refused or self.transport.is_closing():
            self.transport.abort()
            return
        if self._phase is None:
            self._close()
            return
        part = "head" if self._phase is h11.IDLE else "body"
        self.refuse(TOO_LATE, f"the {part} of the request did not come in time; send it again")
