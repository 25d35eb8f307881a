"""What a panelist is wrapped in, and in which order.

    Deadline ∘ Retry ∘ Fallback ∘ (Cached ∘ Breaker ∘ Metered ∘ Rated ∘ Queued ∘ Redacted ∘ provider), the part in
    brackets for each model of the seat

- Deadline is outermost: waiting for a turn and between attempts counts as time, so everything ends.
- Retry is the only loop, around all models of a seat: attempts do not multiply with models.
- Fallback stands inside it and chooses who is asked at the next attempt.
- Cached stands around one model, outside everything that may cost: what is known already is not asked at all.
- Breaker stands outside the budget: what is not sent reserves nothing.
- Metered stands inside Retry: every attempt is reserved and booked for itself. It stands outside the queue: what waits
  for its turn is already reserved, so a turn is never given in vain.
- Rated waits before it takes a turn, so that a slow provider holds up nobody else.
- Queued stands inside all that waits: only what is really under way holds a turn.
- Redacted is innermost, put there when a model is opened: nothing above it ever holds one of our keys.

Each is a panelist around a panelist and can be tested alone; those that nothing asks for are left out. A seat with one
model, no budget, no pace and no cache, as most are, has what is left of them in one panelist, which does the same.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial

from quorate.errors import PanelistError
from quorate.frozen import dataclass
from quorate.middleware.budget import MOST, Budget, MeteredPanelist
from quorate.middleware.cache import CachedPanelist, ReplyCache
from quorate.middleware.circuit_breaker import Breaker, Circuit
from quorate.middleware.deadline import Deadline, TimeLimit, restart_with_each_word
from quorate.middleware.fallback import Fallback, Moved, ignore_move
from quorate.middleware.rate_limit import Pace, RateLimitedPanelist
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Reply
from quorate.model.ballot import LOCKED_OUT
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.alarms import Alarms
from quorate.panelists.price import Price

__all__ = [
    "DirectPanelist",
    "ModelCandidate",
    "ProviderLine",
    "QueuedPanelist",
    "Sent",
    "SharedLimits",
    "ignore_ask",
    "in_full",
    "in_turn",
    "wrap_panelist",
]

Sent = Callable[[Ask], None]


def ignore_ask(ask: Ask, /) -> None:
    """Nobody keeps a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimits:
    """What holds for every seat of one deliberation. `stepper` is shared by all deliberations of the process."""

    budget: Budget
    stepper: asyncio.Semaphore
    patience: TimeLimit = field(default_factory=TimeLimit)
    alarms: Alarms = field(default_factory=Alarms, repr=False)
    retries: Retries = field(default_factory=Retries)
    sent: Sent = ignore_ask
    moved: Moved = ignore_move


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLine:
    """What every ask to one provider with one key shares: its breaker, its pace and a cache, where there is one."""

    circuit: Circuit | None = None
    pace: Pace | None = None
    cache: ReplyCache | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCandidate:
    """One model that may answer for a seat: who, at what price, over which line."""

    model: str
    panelist: Panelist
    price: Price | None = None
    line: ProviderLine = ProviderLine()
    most: int = MOST


class QueuedPanelist:
    """Waits for a turn, first come first served, so that only so many calls are under way at once.

    `sent` is told of every call that goes out, before it does: what is on record may have been billed.
    """

    def __init__(self, panelist: Panelist, stepper: asyncio.Semaphore, sent: Sent = ignore_ask) -> None:
        self._panelist = panelist
        self._stepper = stepper
        self._sent = sent

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer when it is one's turn.

        Raises:
            PanelistError: what the panelist raises.
        """
        async with self._stepper:
            self._sent(ask)
            return await self._panelist.answer(ask, overheard)


class DirectPanelist:
    """Access, Deadline, Retry, Breaker and Queued at once: what they do one around the other, it does itself.

    Only once something has failed does it hand over to them.
    """

    def __init__(self, one: ModelCandidate, conditions: SharedLimits) -> None:
        self._panelist = one.panelist
        self._circuit = one.line.circuit
        self._stepper = conditions.stepper
        self._sent = conditions.sent
        self._patience = conditions.patience
        self._alarms = conditions.alarms
        self._careful = partial(_retrying, one, conditions)
        self._locked_out: PanelistError | None = None

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer in time, at the first attempt or at a later one.

        Raises:
            PanelistError: `deadline`, `timeout`, `breaker`, or what the panelist raises.
        """
        if self._locked_out is not None:
            raise PanelistError(self._locked_out.why, self._locked_out.detail)
        patience, clock = self._patience, asyncio.get_running_loop().time
        began = clock()
        patience.check(began)
        ends = patience.ends(began)
        limit = self._alarms.until(ends)
        try:
            heard = restart_with_each_word(limit, patience, overheard)
            with limit:
                try:
                    return await self._first(ask, heard, clock)
                except PanelistError as gone:
                    failed = gone
                self._locked_out = failed if failed.why in LOCKED_OUT else None
                return await self._careful().go_on(ask, heard, failed, ends)
        except TimeoutError:
            if not limit.expired:
                raise
        raise patience.missed(clock())

    async def _first(self, ask: Ask, overheard: WordListener, clock: Callable[[], float]) -> Reply:
        circuit = self._circuit
        if circuit is not None:
            circuit.admit(clock())
        try:
            async with self._stepper:
                self._sent(ask)
                reply = await self._panelist.answer(ask, overheard)
        except PanelistError as gone:
            if circuit is not None:
                circuit.learn(gone, clock())
            raise
        except BaseException:  # cancelled, by a deadline or because it is no longer needed
            if circuit is not None:
                circuit.dropped()
            raise
        if circuit is not None:
            circuit.answered()
        return reply


class AccessPanelist:
    """Asks until access fails in a way that asking again can't mend; from then on it gives the same failure at once."""

    def __init__(self, panelist: Panelist) -> None:
        self._panelist = panelist
        self._failed: PanelistError | None = None

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer, unless the key, the model, the quota or the tool was missing before.

        Raises:
            PanelistError: what the panelist raises, or raised when its access failed.
        """
        if self._failed is not None:
            raise PanelistError(self._failed.why, self._failed.detail)
        try:
            return await self._panelist.answer(ask, overheard)
        except PanelistError as failed:
            self._failed = failed if failed.why in LOCKED_OUT else None
            raise


def wrap_panelist(
    panelist: Panelist, conditions: SharedLimits, *, price: Price | None = None, most: int = MOST
) -> Panelist:
    """A panelist that keeps to the conditions; `price` and `most` are those of its model."""
    return in_turn((ModelCandidate(model="", panelist=panelist, price=price, most=most),), conditions)


def in_turn(candidates: Sequence[ModelCandidate], conditions: SharedLimits) -> Panelist:
    """A seat's models behind the conditions: the first answers, and the others in turn if it fails."""
    if len(candidates) == 1 and _is_plain(candidates[0], conditions):
        return DirectPanelist(candidates[0], conditions)
    return in_full(candidates, conditions)


def in_full(candidates: Sequence[ModelCandidate], conditions: SharedLimits) -> Panelist:
    """The same, each wrapper around the other."""
    ready = [(one.model, _careful(one, conditions)) for one in candidates]
    attempts = conditions.retries.attempts
    asked = ready[0][1] if len(ready) == 1 else Fallback(ready, attempts, conditions.moved)
    retrying = Retry(asked, conditions.patience, conditions.retries)
    return AccessPanelist(Deadline(retrying, conditions.patience, conditions.alarms))


def _is_plain(one: ModelCandidate, conditions: SharedLimits) -> bool:
    return conditions.budget.unlimited and one.line.pace is None and one.line.cache is None


def _retrying(one: ModelCandidate, conditions: SharedLimits) -> Retry:
    return Retry(_behind_breaker(one, conditions), conditions.patience, conditions.retries)


def _behind_breaker(one: ModelCandidate, conditions: SharedLimits) -> Panelist:
    asked = QueuedPanelist(one.panelist, conditions.stepper, conditions.sent)
    return asked if one.line.circuit is None else Breaker(asked, one.line.circuit)


def _careful(one: ModelCandidate, conditions: SharedLimits) -> Panelist:
    asked: Panelist = QueuedPanelist(one.panelist, conditions.stepper, conditions.sent)
    if one.line.pace is not None:
        asked = RateLimitedPanelist(asked, one.line.pace, one.most)
    asked = MeteredPanelist(asked, conditions.budget, one.price, one.most)
    if one.line.circuit is not None:
        asked = Breaker(asked, one.line.circuit)
    return asked if one.line.cache is None else CachedPanelist(asked, one.line.cache, one.model, conditions.sent)
