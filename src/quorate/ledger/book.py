"""A deliberation in the hands of its owner: what ledgers have in common."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, TypeVar

from quorate.errors import LedgerError, OwnerLost
from quorate.ledger import Entry, Row, Summary
from quorate.ledger.chain import first, now, seal
from quorate.ledger.lease import Owner
from quorate.ledger.summary import add_entry, summarize
from quorate.model import Asked, Event, Spoken

T = TypeVar("T")
Watch = Callable[[Entry], None]


class Sink(Protocol):
    """Where a book's rows go."""

    def put(self, book: "OpenBook", row: Row, summary: Summary, /) -> None:
        """Take a row, to be durable soon; the book is told. Only the row says how many entries there are.

        Raises:
            LedgerUnwritable: it cannot be taken.
            OwnerLost: another process has taken over.
        """
        ...

    def hurry(self) -> None:
        """Somebody waits for what was taken."""
        ...


_UNLISTED: Final = frozenset({Asked, Spoken})
"""Most entries, and none of them changes what the list says."""


class OpenBook:
    """Numbers and links events, and tells those who wait once they are durable. Lives on one event loop."""

    def __init__(self, id_: str, entries: Sequence[Entry], sink: Sink, watch: Watch | None) -> None:
        self.id = id_
        self._entries = list(entries)
        self._sink: Sink | None = sink
        """Let go of once nothing more is written: it knows this book, and neither would go before the other."""
        self._watch = watch
        self.is_watched = watch is not None
        """Whether somebody is shown entries as they become durable."""
        self._summary = summarize(id_, entries)
        self._told = self._durable = len(entries)
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._loop = asyncio.get_running_loop()
        self.failure: LedgerError | None = None
        self.stored: Sequence[Row] = ()
        """What the ledger held of it when it was let go, where it keeps that for whoever takes it again."""

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    def write(self, event: Event) -> Entry:
        """Number, link and spool an event; it is committed behind, in order.

        Raises:
            LedgerUnwritable: this or an earlier write failed.
            OwnerLost: another process has taken over.
        """
        sink = self._open_sink()
        entries = self._entries
        before = entries[-1].hash if entries else first(self.id)
        row = seal(event, len(entries) + 1, before, now())
        entry = Entry(number=row.number, time=row.time, event=event, before=before, hash=row.hash)
        summary = self._summary if event.__class__ in _UNLISTED else add_entry(self._summary, entry)
        try:
            sink.put(self, row, summary)
        except LedgerError as error:
            self.fail(error)
            raise
        entries.append(entry)
        self._summary = summary
        return entry

    async def committed(self, *, within: float = 0.0) -> None:
        """Wait until all that was written is durable and has been watched; who can wait so many seconds hurries nobody.

        Raises:
            LedgerUnwritable: it cannot be.
            OwnerLost: another process has taken over.
        """
        sink = self._open_sink()
        if self._durable < len(self._entries):
            done = self._loop.create_future()
            self._waiting.append((len(self._entries), done))
            if not within:
                sink.hurry()
                await done
                return
            hurry = self._loop.call_later(within, sink.hurry)
            try:
                await done
            finally:
                hurry.cancel()

    def settle(self, number: int) -> None:
        """Hear that all up to a number is durable."""
        told, self._told = self._told, number
        if self._watch is None:
            self._wake(number)
            return
        for entry in self._entries[told:number]:
            # Each on its own: one that raises must keep neither the others nor the waiters waiting.
            self._loop.call_soon(self._watch, entry)
        self._loop.call_soon(self._wake, number)

    def fail(self, error: LedgerError) -> None:
        """Hear that nothing more will become durable, and why."""
        self.failure, self._sink = self.failure or error, None
        for _, done in self._waiting:
            if not done.done():
                done.set_exception(_again(self.failure))
        self._waiting.clear()

    def _wake(self, number: int) -> None:
        self._durable = number
        if not self._waiting:
            return
        for wanted, done in self._waiting:
            if wanted <= number and not done.done():
                done.set_result(None)
        self._waiting = [(wanted, done) for wanted, done in self._waiting if wanted > number]

    def _open_sink(self) -> Sink:
        if self.failure is not None:
            raise _again(self.failure)
        if self._sink is None:
            raise AssertionError("a book without a failure has its sink")
        return self._sink


News = tuple[asyncio.AbstractEventLoop, Callable[[], None]]
"""What is to be called on which event loop."""


@dataclass(slots=True, eq=False)
class OwnedBook:
    """A deliberation that is owned here, and the book to tell."""

    book: OpenBook
    token: int
    loop: asyncio.AbstractEventLoop
    owner: Owner | None = None
    """Who is to take it together with its first rows, if it is not taken yet."""
    renewed: float = field(default_factory=time.monotonic)
    failure: LedgerError | None = None
    summary: Summary | None = None
    """What the list says of it."""
    dropped: bool = False

    @property
    def owes(self) -> bool:
        """Whether something that was written could not be committed, and the next owner may."""
        return self.failure is not None and not isinstance(self.failure, OwnerLost)

    def news(self, outcome: int | LedgerError) -> News:
        """How far the book is durable, or why it is not, to be told on its own thread."""
        if isinstance(outcome, int):
            return self.loop, partial(self.book.settle, outcome)
        self.failure = self.failure or outcome
        return self.loop, partial(self.book.fail, outcome)


def _again(error: LedgerError) -> LedgerError:
    """The same error for one more reader: a raised one carries its first reader's traceback."""
    return type(error)(*error.args)


async def sure(job: "asyncio.Future[T]", undo: Callable[[T], None]) -> T:
    """Wait for a job; if we are cancelled it is done all the same, so it is undone then."""

    def undone(job: "asyncio.Future[T]") -> None:
        if not job.cancelled() and job.exception() is None:
            undo(job.result())

    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        job.add_done_callback(undone)
        raise


def tell(news: Iterable[News]) -> None:
    """One call into each event loop for all that it is to hear: to wake one costs more than to listen."""
    calls: dict[asyncio.AbstractEventLoop, list[Callable[[], None]]] = {}
    for loop, call in news:
        calls.setdefault(loop, []).append(call)
    for loop, each in calls.items():
        with suppress(RuntimeError):  # a loop that is closed has nobody left to tell
            loop.call_soon_threadsafe(_call_all, each)


def _call_all(calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        call()
