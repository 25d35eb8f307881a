"""Where deliberations are held: one ledger, one set of connections, one bound on what is in flight."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Final, NamedTuple, Self, cast

from quorate.chair import State, steps
from quorate.engine.errands import Clerk
from quorate.engine.local_panelists import LocalPanelists, weights_folder
from quorate.engine.loop import ActiveDeliberation, Listen, Publish, hold
from quorate.engine.recompute import Audit, AuditRecord
from quorate.engine.seating import Seating
from quorate.engine.similarity_backend import Likeness, likeness_named
from quorate.engine.verify import MISREAD, record_of, refuse
from quorate.errors import LedgerError, NotRecorded, QuorateError
from quorate.evidence.root_folder import check_root
from quorate.evidence.search_settings import SEARCHING, Note, SearchSettings
from quorate.ledger import Book, Entry, Ledger, new_id
from quorate.ledger.lease import taken_error
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.rate_limit import Paces
from quorate.middleware.telemetry import watch_deliberation, watcher
from quorate.model import Adjourn, Convened, Event, Failed, Routed, SeatModel
from quorate.model.texts import is_forgotten
from quorate.panelists import Panelist
from quorate.panelists.person import Present
from quorate.settings.consent import Consent
from quorate.settings.provider_settings import ProviderLimits
from quorate.views import Record

__all__ = ["Runner", "Watch", "clerk_of", "plainly", "seating_of"]

Watch = Publish
"""Sees an entry once it is durable, with everything written up to it as the engine has folded it."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Runner:
    """`async with Runner(ledger) as runner`: hold new deliberations and resume old ones, many at a time."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        ledger: Ledger,
        *,
        env: Mapping[str, str] = _NOTHING,
        concurrency: int = 64,
        note: Note | None = None,
        present: Present | None = None,
        provider_limits: ProviderLimits | None = None,
        consent: Consent | None = None,
        seating: Seating | None = None,
    ) -> None:
        """`env` holds keys, proxies and certificates; `concurrency` bounds the asks in flight over everything held.

        `note` is told of what takes long besides, such as reading many sources. `present` puts an ask to the person at
        the keyboard; without it what is asked of people waits in the record. `provider_limits` says how providers are
        treated: their pace, their breaker, a cache, the table of routes. `consent` says what a record may make us do;
        without it whoever calls answers for that. A `seating` that is given is shared with others, has its own
        concurrency, limits and people, and is closed by whoever gave it.
        """
        self.ledger = ledger
        self._env = env
        self._note = note
        self._consent = consent
        self._seating = seating or seating_of(
            ledger, env=env, concurrency=concurrency, provider_limits=provider_limits, present=present
        )
        self._shared = seating is not None
        self._watched = self._seating.watched

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._shared:
            await self._seating.close()

    async def check(self, convened: Convened, panelists: Mapping[str, Panelist] | None = None) -> None:
        """See that a deliberation could be held: every seat can be asked and every limit kept.

        Raises:
            NoModel: a seat's model wants a key that is not there.
            PriceUnknown: a money budget over a model without a price.
            UnknownName: no such backend to compare texts.
            BadSetting: sources, what finds them, or the folder to look in are not there.
        """
        _likeness(convened, self._env)
        if any(name in SEARCHING for name, _ in convened.settings):
            _means(convened, self._env).check()
        if convened.lookups is not None:
            check_root(convened.lookups.root)
        await self._seating.check(convened, panelists)

    async def hold(  # noqa: PLR0913 - who answers, and who is told of what
        self,
        convened: Convened,
        *,
        id_: str = "",
        left: bool = False,
        state: State | None = None,
        panelists: Mapping[str, Panelist] | None = None,
        watch: Watch | None = None,
        listen: Listen | None = None,
        begun: Callable[[str], None] | None = None,
    ) -> Record:
        """Hold a new deliberation; `watch` sees entries once they are durable, `listen` words as they are written.

        Each entry comes with the state after it: whoever shows what is going on has nothing to fold and nobody to ask.
        An `id_` is one that `new_id` made for this deliberation; without one it is made here. It may have been `left`
        by a process that was killed before it had written anything. A `state` is the one that it was opened to.

        Raises:
            OwnerLost: what was left has been begun by another process meanwhile.
            LedgerError: the record cannot be kept.
            NoModel: a seat's model wants a key that is not there.
            PriceUnknown: a money budget over a model without a price.
        """
        id_ = id_ or new_id()
        await self.check(convened, panelists)
        self._begins(convened)
        first = None if begun is None else partial(begun, id_)
        news = _News(watch, first)
        async with self.ledger.own(id_, watch=news.settled if watch or first else None, fresh=not left) as book:
            if book.entries:
                raise taken_error(id_)
            # What begins here has lost no words yet.
            opened = state if state is not None and state.convened is convened else State.open(convened)
            entry, audit = book.write(convened), Audit(state=opened)
            news.publish(entry, audit.state)
            return await self._go_on(book, audit, panelists, _Ears(listen, news))

    async def resume(
        self,
        id_: str,
        *,
        panelists: Mapping[str, Panelist] | None = None,
        watch: Watch | None = None,
        listen: Listen | None = None,
        catch_up: Callable[[AuditRecord], None] | None = None,
    ) -> Record:
        """Go on where the record stops; what was recorded or spooled is not bought again.

        `catch_up` is given what is on record, once it has been judged and before anything is asked.

        Raises:
            LedgerMismatch: it is not what its words come to, or words of it are gone.
            LedgerError: the record cannot be read or kept, or another process is at it.
            NotTrusted: it names what would act, and nobody allowed that.
        """
        whole = await self.ledger.find(id_)
        news = _News(watch)
        async with self.ledger.own(whole, watch=news.settled if watch else None) as book:
            if not book.entries:
                raise NotRecorded(f"deliberation {whole!r} is empty; ask the question again")
            found, audit = len(book.entries), Audit.of([entry.event for entry in book.entries])
            earlier = record_of(whole, book.entries, audit)
            refuse(earlier, *MISREAD)
            if catch_up is not None:
                catch_up(earlier)
            if isinstance(audit.state.closed, Failed):
                audit.reopen()
            record = await self._sit(book, audit, panelists, _Ears(listen, news))
            if len(record.events) > found:
                # Entries from before the resume are judged in full only now that there is a verdict on them.
                refuse(record, *MISREAD)
            return record

    async def _sit(self, book: Book, audit: Audit, panelists: Mapping[str, Panelist] | None, ears: "_Ears") -> Record:
        state = audit.state
        # What is open has something to do, and to ask what costs as much as the guard.
        if state.closed is None or steps(state) != (Adjourn(),):
            if is_forgotten(state.brief.seed):
                raise LedgerError(
                    f"deliberation {book.id!r} cannot continue: its seed is not in this record, because its words were "
                    "forgotten or it was imported before it had ended"
                )
            self._may_go_on(book)
            return await self._go_on(book, audit, panelists, ears)
        return record_of(book.id, book.entries, audit)

    async def _go_on(self, book: Book, audit: Audit, panelists: Mapping[str, Panelist] | None, ears: "_Ears") -> Record:
        clerk, publish = self._clerk(audit.state), ears.news.publish if ears.news.watch else None
        active = ActiveDeliberation(
            book=book, audit=audit, panelists={}, clerk=clerk, listen=ears.listen, publish=publish
        )
        with watch_deliberation(self._watched, book.id, audit.state.convened.protocol):
            await self._seat(active, panelists)
            try:
                await hold(active)
            except BaseExceptionGroup as several:
                raise plainly(several) from None
            finally:
                # They know it too, and neither would go before the garbage collector looks around.
                active.panelists = {}
        return record_of(book.id, book.entries, audit)

    def _begins(self, convened: Convened) -> None:
        if self._consent is not None:
            self._consent.begin(convened)

    def _may_go_on(self, book: Book) -> None:
        """A record may come from anywhere: see that what it names was allowed.

        Raises:
            NotTrusted: it was not.
        """
        if self._consent is not None:
            self._consent.require_record(book.id, [entry.event for entry in book.entries])

    def _clerk(self, state: State) -> Clerk:
        return clerk_of(state, self._env, self._note)

    async def _seat(
        self, active: ActiveDeliberation, panelists: Mapping[str, Panelist] | None, begun: float | None = None
    ) -> None:
        """Seat the panelists; `begun` is when the deliberation began on the event loop's clock, now if not said."""
        seating, given = self._seating, panelists or {}
        for routed in seating.route(active.state):
            active.note(routed)

        def moved(seat: str, models: tuple[str, ...], why: str) -> None:
            active.note(Routed(seated=seating.placed(seat, models), why=why))

        def identified(sat: SeatModel, named: str) -> SeatModel | None:
            return None if sat.seat in given else seating.identified(sat, named)

        active.identified = identified
        events: Sequence[Event] = [entry.event for entry in active.book.entries]
        active.panelists = await seating.seat(
            active.state, events, panelists, active.sent, moved=moved, begun=begun, age=_age(active.book.entries)
        )


def seating_of(  # noqa: PLR0913 - each is a setting of its own
    ledger: Ledger,
    *,
    env: Mapping[str, str],
    concurrency: int,
    provider_limits: ProviderLimits | None,
    present: Present | None = None,
    paces: Paces | None = None,
) -> Seating:
    """Who answers in a runner: whoever `env` has keys for, whom `ledger` has recordings of, and who is `present`.

    `paces` are shared with other processes; without them each keeps to its providers' pace for itself.
    """
    local_panelists = LocalPanelists(env=env, ledger=ledger, present=present)
    return Seating(
        env,
        concurrency,
        provider_limits=provider_limits,
        local_panelists=local_panelists,
        watched=watcher(env),
        paces=paces,
    )


def _age(entries: Sequence[Entry]) -> float:
    """How many seconds ago a record began, by its own clock; never less than none, if that was set back."""
    began = datetime.fromisoformat(entries[0].time) if entries else datetime.now(UTC)
    return max(0.0, (datetime.now(UTC) - began).total_seconds())


def clerk_of(state: State, keys: Mapping[str, str], note: Note | None = None) -> Clerk:
    """Runs errands; must be called in the event loop, because what it looks for has until the deadline."""
    convened = state.convened
    until = TimeLimit.of(convened.limits, asyncio.get_running_loop().time()).until
    means = replace(_means(convened, keys, note), until=until)
    clerk = Clerk.equipped(_likeness(convened, keys), means, weights_folder(keys))
    return clerk if convened.lookups is None else clerk.looking_in(convened.lookups.root, keys)


def _means(convened: Convened, keys: Mapping[str, str], note: Note | None = None) -> SearchSettings:
    return SearchSettings.of(dict(convened.settings), keys, note)


def _likeness(convened: Convened, keys: Mapping[str, str]) -> "Likeness":
    wanted = dict(convened.settings).get("similarity", "auto")
    return wanted if wanted == "auto" else likeness_named(wanted, keys)


@dataclass(slots=True)
class _News:
    """Keeps the state after an entry until the entry is durable, then hands on both; `first` is told of the id so."""

    watch: Watch | None
    first: Callable[[], None] | None = None
    states: dict[int, State] = field(default_factory=dict[int, State])

    def publish(self, entry: Entry, state: State) -> None:
        self.states[entry.number] = state

    def settled(self, entry: Entry) -> None:
        state = self.states.pop(entry.number, None)
        if entry.number == 1 and self.first is not None:
            self.first()
        if self.watch is not None and state is not None:
            self.watch(entry, state)


class _Ears(NamedTuple):
    """Who follows a deliberation: its words as they are written, and its entries."""

    listen: Listen | None
    news: _News


def plainly(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, not that it went wrong in a group: our own errors first."""
    flat = tuple(_single(several))
    return next((error for error in flat if isinstance(error, QuorateError)), flat[0])


def _single(several: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in several.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _single(cast("BaseExceptionGroup[BaseException]", error))
        else:
            yield error
