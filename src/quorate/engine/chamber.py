"""Where deliberations are held: one ledger, one set of connections, one bound on what is in flight."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Final, Self, cast

from quorate.chair import Docket, replay, steps
from quorate.engine.clerk import Clerk
from quorate.engine.loop import Listen, Sitting, hold
from quorate.engine.seating import Seating
from quorate.errors import LedgerError, NotRecorded, QuorateError
from quorate.ledger import Book, Entry, Ledger, new_id
from quorate.model import Adjourn, Convened, Event
from quorate.model.texts import FORGOTTEN
from quorate.panelists import Panelist
from quorate.views import Record

__all__ = ["Chamber", "Watch", "record_of"]

Watch = Callable[[Entry], None]

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Chamber:
    """`async with Chamber(ledger) as chamber`: hold new deliberations and resume old ones, many at a time."""

    def __init__(self, ledger: Ledger, *, env: Mapping[str, str] = _NOTHING, concurrency: int = 64) -> None:
        """`env` holds keys, proxies and certificates; `concurrency` bounds the asks in flight over everything held."""
        self._ledger = ledger
        self._seating = Seating(env, concurrency)
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._open.enter_async_context(self._seating)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def check(self, convened: Convened, panelists: Mapping[str, Panelist] | None = None) -> None:
        """See that a deliberation could be held: every seat can be asked and every limit kept.

        Raises:
            NoModel: a seat's model wants a key that is not there.
            PriceUnknown: a money budget over a model without a price.
        """
        await self._seating.check(convened, panelists)

    async def hold(
        self,
        convened: Convened,
        *,
        panelists: Mapping[str, Panelist] | None = None,
        watch: Watch | None = None,
        listen: Listen | None = None,
        begun: Callable[[str], None] | None = None,
    ) -> Record:
        """Hold a new deliberation; `watch` sees entries once they are durable, `listen` words as they are written.

        Raises:
            LedgerError: the record cannot be kept.
            NoModel: a seat's model wants a key that is not there.
            PriceUnknown: a money budget over a model without a price.
        """
        id_ = new_id()
        await self.check(convened, panelists)
        first = None if begun is None else partial(begun, id_)
        async with self._ledger.own(id_, watch=_seen(watch, first)) as book:
            book.write(convened)
            return await self._sit(book, panelists, listen)

    async def resume(
        self,
        id_: str,
        *,
        panelists: Mapping[str, Panelist] | None = None,
        watch: Watch | None = None,
        listen: Listen | None = None,
    ) -> Record:
        """Go on where the record stops; what was recorded or spooled is not bought again.

        Raises:
            LedgerError: the record cannot be read or kept, or another process is at it.
        """
        whole = await self._ledger.find(id_)
        async with self._ledger.own(whole, watch=watch) as book:
            if not book.entries:
                raise NotRecorded(f"deliberation {whole!r} holds nothing to go on from; hold it anew")
            return await self._sit(book, panelists, listen)

    async def _sit(self, book: Book, panelists: Mapping[str, Panelist] | None, listen: Listen | None) -> Record:
        docket = replay(entry.event for entry in book.entries)
        if steps(docket) != (Adjourn(),):
            if docket.brief.seed == FORGOTTEN:
                raise LedgerError(
                    f"deliberation {book.id!r} cannot go on: its seed is not in this record, because its words were "
                    "forgotten or it was imported before it had ended"
                )
            await self._hold(book, docket, panelists, listen)
        return record_of(book.id, book.entries)

    async def _hold(
        self, book: Book, docket: Docket, panelists: Mapping[str, Panelist] | None, listen: Listen | None
    ) -> None:
        events: Sequence[Event] = [entry.event for entry in book.entries]
        sitting = Sitting(book=book, docket=docket, panelists={}, clerk=_clerk(docket), listen=listen)
        sitting.panelists = await self._seating.seat(docket, events, panelists, sitting.sent)
        try:
            await hold(sitting)
        except BaseExceptionGroup as several:
            raise _plainly(several) from None


def _clerk(docket: Docket) -> Clerk:
    return Clerk.equipped(dict(docket.convened.settings).get("similarity", "auto"))


def _seen(watch: Watch | None, first: Callable[[], None] | None) -> Watch | None:
    """Tell of the id as of everything else: once it is durable."""
    if first is None:
        return watch

    def seen(entry: Entry) -> None:
        if entry.number == 1:
            first()
        if watch is not None:
            watch(entry)

    return seen


def _plainly(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, not that it went wrong in a group: our own errors first."""
    flat = tuple(_single(several))
    return next((error for error in flat if isinstance(error, QuorateError)), flat[0])


def _single(several: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in several.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _single(cast("BaseExceptionGroup[BaseException]", error))
        else:
            yield error


def record_of(id_: str, entries: Sequence[Entry]) -> Record:
    """A deliberation for the views: its events and how long it took."""
    times = [datetime.fromisoformat(entries[place].time) for place in (0, -1)] if entries else []
    seconds = (times[1] - times[0]).total_seconds() if times else 0.0
    return Record(id=id_, events=[entry.event for entry in entries], seconds=seconds)
