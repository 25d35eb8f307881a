"""A deliberation held a turn at a time, by whoever comes: for frameworks that have steps of their own.

The loop, the limits and the record are those of a runner. Whoever takes a turn says what is to be done now, and of
that only what the chair orders is done: what is on record already is not asked again.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from weakref import WeakValueDictionary

from quorate.chair import State, steps, steps_before_verdict
from quorate.engine.due_steps import ADJOURN, DueStep, Order, orders_at
from quorate.engine.loop import ActiveDeliberation, hold
from quorate.engine.person_entries import review
from quorate.engine.recompute import Audit, AuditRecord
from quorate.engine.runner import Runner, plainly
from quorate.engine.verify import MISREAD, record_of, refuse
from quorate.errors import LedgerError
from quorate.ledger import Book, Entry, Ledger
from quorate.ledger.ids import fresh as fresh_id
from quorate.ledger.ids import is_called
from quorate.middleware.telemetry import CallWatcher, watch_deliberation
from quorate.model import (
    Adjourn,
    Asked,
    Convened,
    Event,
    Failed,
    Origin,
    Reviewed,
    Step,
)
from quorate.model.texts import is_forgotten
from quorate.panelists import Panelist
from quorate.settings.consent import Consent
from quorate.settings.provider_settings import ProviderLimits
from quorate.views import Record

__all__ = ["Stepper"]

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})

GATHERING: Final = 0.01
"""So many seconds whoever leaves first waits for the others: what seats say at the same time shares one commit."""
KEPT: Final = 256
"""So many open deliberations stay folded between two turns; the others are judged anew when somebody comes back."""


@dataclass(slots=True)
class _Turn(ActiveDeliberation):
    """A deliberation in which only what somebody waits for is done; the rest is left for another turn."""

    wanted: Counter[DueStep] = field(default_factory=Counter[DueStep])
    to_the_end: int = 0
    users: int = 0
    bells: list[asyncio.Event] = field(default_factory=list[asyncio.Event])
    running: asyncio.Task[State] | None = None
    watched: CallWatcher | None = None
    asked_at: tuple[int, bool] = (-1, False)
    ordered: tuple[Order, ...] = ()
    told: AuditRecord | None = None

    def record(self) -> AuditRecord:
        """All of it so far, put together once for all who leave at the same entry, and for whoever looks at it then."""
        if self.told is None or len(self.told.events) != self.audit.entries:
            self.told = record_of(self.book.id, self.book.entries, self.audit)
        return self.told

    def due(self) -> tuple[Order, ...]:
        """What the chair orders, asked once for each entry, and for a verdict only if somebody here wants one."""
        now = self.audit.entries, self.to_the_end > 0
        if self.asked_at != now:
            ordered = (steps if self.to_the_end else steps_before_verdict)(self.state)
            known = {id(order.step): order for order in self.ordered}
            self.asked_at, self.ordered = now, tuple(known.get(id(step)) or Order.of(step) for step in ordered)
        return self.ordered

    def orders(self) -> tuple[Step, ...]:
        """What is to be done now for those who are here; what is in flight for nobody any more is given up."""
        ordered = self._ordered()
        wanted = {order.key for order in ordered}
        for key in [key for key, flight in self.flights.items() if key not in wanted and not flight.done()]:
            self.flights.pop(key).cancel()
        if self.waiting:  # whoever has only people left to wait for need not wait for the others
            self._ring()
        return tuple(order.step for order in ordered)

    def only_waits(self) -> bool:
        """Whether all that is left for those who are here has been put to people who answer later."""
        return bool(self.waiting) and self._waits(self._ordered())

    def _ordered(self) -> tuple[Order, ...]:
        """All that is to be done for those who are here; when that is nothing, they adjourn."""
        return self.due() if self.to_the_end else tuple(orders_at(self.due(), +self.wanted)) or (ADJOURN,)

    def _waits(self, left: Sequence[Order]) -> bool:
        return bool(left) and all(order.key in self.waiting for order in left)

    def note(self, event: Event) -> None:
        """The same, and everyone who waits looks up; that something goes out has done nothing yet."""
        ActiveDeliberation.note(self, event)
        if not isinstance(event, Asked):
            self._ring()

    async def until_done(self, wanted: Sequence[DueStep] | None) -> None:
        """Do this much, or everything; several may wait at once, and one loop works for them all.

        What was put to people who answer later is left.

        Raises:
            LedgerError: the record cannot be kept.
        """
        places, bell = Counter(wanted or ()), asyncio.Event()
        self.wanted.update(places)
        self.to_the_end += wanted is None
        self.bells.append(bell)
        self.stirred.set()
        try:
            while (left := self._left(None if wanted is None else places)) and not self._waits(left):
                bell.clear()
                running = self._running()
                await bell.wait()
                if running.done():
                    running.result()
        finally:
            self.wanted.subtract(places)
            self.to_the_end -= wanted is None
            self.bells.remove(bell)

    def _left(self, places: Mapping[DueStep, int] | None) -> tuple[Order, ...]:
        ordered = self.due()
        if places is None:
            return () if ordered == (ADJOURN,) else ordered
        return tuple(orders_at(ordered, places))

    def _running(self) -> asyncio.Task[State]:
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._held())
            self.running.add_done_callback(lambda _: self._ring())
        return self.running

    async def _held(self) -> State:
        # Whoever comes first may go first, so the span belongs to the loop that works for all, not to one of them.
        with watch_deliberation(self.watched, self.book.id, self.state.convened.protocol):
            return await hold(self)

    def _ring(self) -> None:
        for bell in self.bells:
            bell.set()

    def ends_as(self, entries: Sequence[Entry]) -> bool:
        """Whether this is the record as we have it, with all its words; only then does what we know of it hold."""
        return self.audit.entries == len(entries) and [*self.book.entries] == [*entries]

    def come_back(self, book: Book) -> None:
        """Go on with the record as it was left: who answers, what was spent and what was allowed is known."""
        self.book = book
        self.flights.clear()
        self.waiting.clear()
        self.stirred.clear()

    def begin_anew(self) -> None:
        """Forget what was tried while nobody could be asked."""
        self.audit.reopen()
        self.asked_at, self.ordered, self.told, self.seen = (-1, False), (), None, 0

    async def leave(self) -> None:
        """Give up what is still under way: nobody waits for it any more."""
        if self.running is not None and not self.running.done():
            self.running.cancel()
            await asyncio.wait([self.running])


class Stepper(Runner):
    """`async with Stepper(ledger) as turns`: begin deliberations, and go on with them a turn at a time."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        ledger: Ledger,
        *,
        env: Mapping[str, str] = NOTHING,
        concurrency: int = 64,
        panelists: Mapping[str, Panelist] | None = None,
        provider_limits: ProviderLimits | None = None,
        consent: Consent | None = None,
    ) -> None:
        """As for a runner; `panelists` answer for their seats in every deliberation held here."""
        super().__init__(ledger, env=env, concurrency=concurrency, provider_limits=provider_limits, consent=consent)
        self._panelists = panelists
        self._stepper: dict[str, tuple[_Turn, AsyncExitStack]] = {}
        self._begun: dict[str, float] = {}
        self._left: dict[str, _Turn] = {}
        self._doors = WeakValueDictionary[str, asyncio.Lock]()

    async def begin(self, convened: Convened, called: str = "") -> str:
        """Open a record and let the guard look at the question; one that was begun under the same name is gone on with.

        Raises:
            LedgerError: the record cannot be kept.
            NoModel: a seat's model wants a key that is not there.
            PriceUnknown: a money budget over a model without a price.
        """
        async with self._door(called):
            id_ = await self._called(called) if called else ""
            if not id_:
                await self.check(convened, self._panelists)
                self._begins(convened)
                id_ = fresh_id(called)
            async with self._turn(id_, convened, fresh=not called) as turn:
                if isinstance(turn.state.closed, Failed):
                    self._may_go_on(turn.book)
                    turn.begin_anew()
                await turn.until_done(())
        return id_

    def _door(self, name: str) -> asyncio.Lock:
        """One at a time; a door that nobody stands at is forgotten."""
        return self._doors.setdefault(name, asyncio.Lock())

    async def _called(self, called: str) -> str:
        async for summary in self.ledger.list():
            if not summary.imported and is_called(summary.id, called):
                return summary.id
        return ""

    async def take(self, id_: str, wanted: Sequence[DueStep] | None = None) -> Record:
        """Do what of this the chair orders, or all that is left to the end, and give the record as it is then.

        Raises:
            LedgerMismatch: it is not what its words come to, or words of it are gone.
            LedgerError: the record cannot be read or kept, or another process is at it.
        """
        async with self._turn(id_) as turn:
            try:
                await turn.until_done(wanted)
            except BaseExceptionGroup as several:
                raise plainly(several) from None
            record = turn.record()
            if turn.state.closed is not None:
                # Entries from before the resume are judged in full only now that there is a verdict on them.
                refuse(record, *MISREAD)
            return record

    async def read(self, id_: str) -> Record:
        """The record as it is.

        Raises:
            NotRecorded: there is none.
        """
        entries = await self.ledger.read(id_)
        turn, _ = self._stepper.get(id_, (None, None))
        return record_of(id_, entries, turn.audit if turn is not None and turn.ends_as(entries) else None)

    async def look(self, id_: str) -> Record:
        """The record as it was left here last, else as it is: enough to say what is due, for who does it looks anew.

        Raises:
            NotRecorded: there is none.
        """
        with self.at_rest(id_) as record:
            return record or await self.read(id_)

    @contextmanager
    def at_rest(self, id_: str) -> Generator[Record | None]:
        """The record as it was left here last, for whoever looks at it from any thread; none while anybody is at it.

        It is taken out as long as somebody looks, in one step, so nobody works on it meanwhile: who would has the
        ledger, and judges the record anew.
        """
        left = None if id_ in self._stepper else self._left.pop(id_, None)
        try:
            yield None if left is None else left.record()
        finally:
            if left is not None and id_ not in self._stepper:
                self._left.setdefault(id_, left)

    async def review(self, id_: str, *, outcome: str, by: str, because: str, origin: Origin) -> Record:
        """Write what a person says of the verdict, unless that is the last thing on record.

        Raises:
            BadSetting: there is no verdict to review, no such outcome, or no name or reason.
            LedgerError: the record cannot be read or kept, or another process is at it.
        """
        record = await self.read(id_)
        last = record.events[-1]
        if isinstance(last, Reviewed) and (last.outcome, last.by, last.because) == (outcome, by, because):
            return record
        return await review(self.ledger, id_, outcome=outcome, by=by, because=because, origin=origin)

    @asynccontextmanager
    async def _turn(self, id_: str, convened: Convened | None = None, *, fresh: bool = False) -> AsyncGenerator[_Turn]:
        """One deliberation for all who are here at once; the last to go lets go of the record, and all is durable."""
        async with self._door(id_):
            if id_ not in self._stepper:
                self._stepper[id_] = await self._opened(id_, convened, fresh=fresh)
            turn, open_ = self._stepper[id_]
            turn.users += 1
        try:
            yield turn
        except BaseException:
            await self._gone(turn, open_)
            raise
        if await self._gone(turn, open_):
            await turn.book.committed(within=GATHERING)

    async def _gone(self, turn: _Turn, open_: AsyncExitStack) -> bool:
        """One less at a deliberation; whether others stay. Who lets go of a record commits it in the same turn."""
        id_ = turn.book.id
        async with self._door(id_):
            turn.users -= 1
            if not turn.users:
                del self._stepper[id_]
                await self._closed(turn, open_)
            return turn.users > 0

    async def _opened(self, id_: str, convened: Convened | None, *, fresh: bool) -> tuple[_Turn, AsyncExitStack]:
        open_ = AsyncExitStack()
        async with AsyncExitStack() as opening:
            book = await opening.enter_async_context(self.ledger.own(id_, fresh=fresh))
            if convened is not None and not book.entries:
                book.write(convened)
            left = self._left.pop(id_, None)
            if left is not None and left.ends_as(book.entries):
                left.come_back(book)
                return left, opening.pop_all()
            audit = Audit.of([entry.event for entry in book.entries])
            refuse(record_of(id_, book.entries, audit), *MISREAD)
            state = audit.state
            if is_forgotten(state.brief.seed) and state.closed is None:
                raise LedgerError(
                    f"deliberation {id_!r} cannot continue: its texts were deleted; ask the question again"
                )
            if state.closed is None or steps(state) != (Adjourn(),):
                self._may_go_on(book)
            turn = _Turn(book=book, audit=audit, panelists={}, clerk=self._clerk(state), watched=self._watched)
            begun = self._begun.setdefault(id_, asyncio.get_running_loop().time())
            await self._seat(turn, self._panelists, begun)
            open_ = opening.pop_all()
        return turn, open_

    async def _closed(self, turn: _Turn, open_: AsyncExitStack) -> None:
        await turn.leave()
        id_ = turn.book.id
        self._left.pop(id_, None)
        if turn.state.closed is not None:
            self._begun.pop(id_, None)
        elif turn.book.entries:
            turn.due()  # whoever looks at it finds that worked out, and changes nothing
            self._left[id_] = turn
            for oldest in list(self._left)[:-KEPT]:
                del self._left[oldest]
        await open_.aclose()
