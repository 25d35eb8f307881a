"""What happens in one deliberation, encoded once and shown to all who watch it; whoever stops reading is dropped.

Frames are kept in one list that all viewers share: a viewer is a place in it. So nobody has a queue that could grow,
a slow viewer costs nothing but its place, and the deliberation never waits for anybody.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from quorate.chair import State, replay, steps
from quorate.doors.web.encoding import frame
from quorate.ledger import Entry
from quorate.model import Adjourn, Ask, Event
from quorate.panelists import WordListener
from quorate.views.document import state_of
from quorate.views.floor import floor
from quorate.views.spoken_tail import Tail

__all__ = ["EventStream", "Publisher", "Viewer", "entry_document"]

HEARTBEAT: Final = 15.0
"""Seconds after which a line that means nothing shows that the connection stands."""
STALLED: Final = 10.0
"""Seconds that a viewer may take to read what is sent, before it is dropped."""
AT_ONCE: Final = 256
"""Frames that are sent together at most."""
TAIL: Final = 2000
"""Characters of what is being said that are shown at most; the whole comes with its entry."""
BEAT: Final = 0.1
"""Seconds between two showings of what is being said."""
_DATA: Final = b"data: "
_END: Final = b"\n\n"
TOGETHER: Final = 0.03
"""Seconds in which entries gather before they are sent: the replies of a round come in one commit."""
SLICE: Final = 50
"""Viewers that are woken before others get their turn: a deliberation goes on between them."""


def entry_document(entry: Entry, state: State) -> dict[str, object]:
    """What is shown of one entry; `state` is everything up to it."""
    return {"number": entry.number, "time": entry.time, "floor": floor(entry.event, state)}


@dataclass(eq=False)
class Publisher:
    """One deliberation as it is shown: every entry so far as a frame, and what is being said right now."""

    id: str
    frames: list[bytes] = field(default_factory=list[bytes])
    state: State | None = None
    ending: bytes = b""
    closing: bool = False
    viewers: set["Viewer"] = field(default_factory=set["Viewer"])
    words: dict[tuple[str, str, str], "_Words"] = field(default_factory=dict[tuple[str, str, str], "_Words"])
    told: int = 0
    """How often what is being said has changed."""
    _events: list[Event] = field(default_factory=list[Event])
    _waking: "asyncio.Task[None] | None" = None
    _again: bool = False

    def watch(self, entry: Entry, state: State) -> None:
        """Show an entry once it is durable; one that is shown already is not shown again."""
        if entry.number != len(self.frames) + 1:
            return
        self.state = state
        self._events.append(entry.event)
        self.frames.append(frame("entry", entry_document(entry, state), entry.number))
        self._settle(entry.event)
        self._wake()

    def catch_up(self, entries: Iterable[Entry]) -> None:
        """Show what was written by others, or before.

        Raises:
            LedgerMismatch: it does not begin as a record does.
        """
        for entry in entries:
            if entry.number == len(self.frames) + 1:
                self.watch(entry, replay([entry.event]) if self.state is None else self.state.after(entry.event))

    def catch_up_events(self, events: Sequence[Event], times: Sequence[str]) -> None:
        """The same from a record that has no numbers and links of its own."""
        self.catch_up(
            Entry(number=number, time=time, event=event, before="", hash="")
            for number, (event, time) in enumerate(zip(events, times, strict=True), 1)
        )

    def finish(self) -> None:
        """Say that nothing more will come, if that is so: a verdict is there and nothing is left to ask."""
        if self.state is not None and self.is_over and not self.ending:
            self.ending = frame("end", {"state": self.standing})
            self._wake()

    def reopen(self) -> None:
        """More may come after all."""
        self.ending = b""

    def documents(self, after: int) -> list[bytes]:
        """What follows an entry, each as JSON."""
        return [one[one.index(_DATA) + len(_DATA) : -len(_END)] for one in self.frames[after:]]

    @property
    def is_over(self) -> bool:
        """Whether the deliberation has ended."""
        return self.state is not None and self.state.closed is not None and steps(self.state) == (Adjourn(),)

    @property
    def standing(self) -> str:
        """How it stands, as the one document says it."""
        return state_of(self._events)

    def close(self) -> None:
        """Let go of every viewer; each can come again and will miss nothing."""
        self.closing = True
        self._wake()

    def listen(self, ask: Ask) -> WordListener:
        """Show what a seat is saying while it says it, as a person wants to watch it: the end, and no ballot."""
        key = (ask.seat.name, ask.round, ask.about.name if ask.about else "")
        told = self.words[key] = _Words(*key)

        def overheard(words: str) -> None:
            told.tail.add(words)
            if told.timer is None:
                told.timer = asyncio.get_running_loop().call_later(BEAT, self._tell, told)

        return overheard

    def _tell(self, words: "_Words") -> None:
        words.timer = None
        self.told += 1
        words.number, words.frame = self.told, words.encode()
        self._wake()

    def _settle(self, event: Event) -> None:
        """What was said stands in an entry now."""
        key = (getattr(event, "seat", ""), getattr(event, "round", ""), getattr(event, "about", ""))
        words = self.words.pop(key, None) if type(event).__name__ != "Asked" else None
        if words is not None and words.timer is not None:
            words.timer.cancel()

    def _wake(self) -> None:
        if self._waking is not None and not self._waking.done():
            self._again = True
        elif self.viewers:
            self._waking = asyncio.get_running_loop().create_task(self._wake_all())

    async def _wake_all(self) -> None:
        """Wake everybody, a few at a time, once what comes together is there: a send costs more than what is in it."""
        while True:
            await asyncio.sleep(TOGETHER)
            self._again = False
            for place, viewer in enumerate(tuple(self.viewers), 1):
                viewer.woken.set()
                if place % SLICE == 0:
                    await asyncio.sleep(0)
            if not self._again:
                return


@dataclass(slots=True)
class _Words:
    """What one seat is saying."""

    seat: str
    round: str
    about: str
    tail: Tail = field(default_factory=Tail)
    timer: asyncio.TimerHandle | None = None
    number: int = 0
    frame: bytes = b""

    def encode(self) -> bytes:
        return frame(
            "words", {"seat": self.seat, "round": self.round, "about": self.about, "text": self.tail.text[-TAIL:]}
        )


class Viewer:
    """One who watches: how far it has come."""

    def __init__(self, publisher: Publisher, after: int) -> None:
        self.publisher = publisher
        self.woken = asyncio.Event()
        self.gone = False
        self._place = after
        self._told = 0

    def take(self) -> bytes:
        """What it has not seen yet, as much as is sent at once."""
        publisher, place = self.publisher, self._place
        entries = publisher.frames[place : place + AT_ONCE]
        self._place += len(entries)
        words = [one.frame for one in publisher.words.values() if one.number > self._told]
        self._told = publisher.told
        return b"".join((*entries, *words))

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to send."""
        return self.gone or self.publisher.closing or (self._has_all and bool(self.publisher.ending))

    @property
    def _has_all(self) -> bool:
        return self._place >= len(self.publisher.frames)

    @property
    def waits(self) -> bool:
        """Whether all that is there has been sent."""
        return self._has_all and not self.is_done


class Leave(Protocol):
    """Told when a viewer has gone, and whether it was because it had stopped reading."""

    async def __call__(self, viewer: Viewer, *, stalled: bool) -> None: ...


class EventStream(Response):
    """Sends a viewer what it watches until that ends, it goes, or it stops reading."""

    media_type = "text/event-stream"

    def __init__(self, viewer: Viewer, leave: Leave) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._viewer = viewer
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._viewer.gone = scope["method"] == "HEAD"
        stalled = False
        watched = asyncio.create_task(self._notice(receive))
        self._viewer.publisher.viewers.add(self._viewer)
        try:
            async with asyncio.timeout(STALLED):
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send_all(send)
        except TimeoutError:
            stalled = True
        finally:
            self._viewer.publisher.viewers.discard(self._viewer)
            watched.cancel()
            await self._leave(self._viewer, stalled=stalled)

    async def _notice(self, receive: Receive) -> None:
        """See when the other side goes."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self._viewer.gone = True
        self._viewer.woken.set()

    async def _send_all(self, send: Send) -> None:
        viewer = self._viewer
        await _put(send, b": quorate\n\n")
        while True:
            viewer.woken.clear()
            frames = viewer.take()
            if frames:
                await _put(send, frames)
            if viewer.is_done:
                break
            if viewer.waits:
                await _await_news(viewer, send)
        await _put(send, viewer.publisher.ending, more=False)


async def _await_news(viewer: Viewer, send: Send) -> None:
    while not viewer.woken.is_set():
        try:
            async with asyncio.timeout(HEARTBEAT):
                await viewer.woken.wait()
        except TimeoutError:
            await _put(send, b": still here\n\n")


async def _put(send: Send, body: bytes, *, more: bool = True) -> None:
    """Send, or give up on a viewer that does not read.

    Raises:
        TimeoutError: it does not.
    """
    async with asyncio.timeout(STALLED):
        await send({"type": "http.response.body", "body": body, "more_body": more})
