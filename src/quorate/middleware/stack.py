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

Each is a panelist around a panelist and can be tested alone; those that nothing asks for are left out.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from quorate.middleware.budget import MOST, Budget, Metered
from quorate.middleware.cache import Cache, Cached
from quorate.middleware.circuit_breaker import Breaker, Circuit
from quorate.middleware.deadline import Deadline, Patience
from quorate.middleware.fallback import Fallback, Moved, unmoved
from quorate.middleware.rate_limit import Pace, Rated
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Reply
from quorate.panelists import Overheard, Panelist, unheard
from quorate.panelists.price import Price

__all__ = ["Candidate", "Conditions", "Line", "Queued", "Sent", "in_turn", "unnoted", "within"]

Sent = Callable[[Ask], None]


def unnoted(ask: Ask, /) -> None:
    """Nobody keeps a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds for every seat of one deliberation. `turns` is shared by all deliberations of the process."""

    budget: Budget
    turns: asyncio.Semaphore
    patience: Patience = field(default_factory=Patience)
    retries: Retries = field(default_factory=Retries)
    sent: Sent = unnoted
    moved: Moved = unmoved


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What every ask to one provider with one key shares: its breaker, its pace and a cache, where there is one."""

    circuit: Circuit | None = None
    pace: Pace | None = None
    cache: Cache | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One model that may answer for a seat: who, at what price, over which line."""

    model: str
    panelist: Panelist
    price: Price | None = None
    line: Line = Line()
    most: int = MOST


class Queued:
    """Waits for a turn, first come first served, so that only so many calls are under way at once.

    `sent` is told of every call that goes out, before it does: what is on record may have been billed.
    """

    def __init__(self, panelist: Panelist, turns: asyncio.Semaphore, sent: Sent = unnoted) -> None:
        self._panelist = panelist
        self._turns = turns
        self._sent = sent

    async def answer(self, ask: Ask, overheard: Overheard = unheard) -> Reply:
        """Answer when it is one's turn.

        Raises:
            PanelistError: what the panelist raises.
        """
        async with self._turns:
            self._sent(ask)
            return await self._panelist.answer(ask, overheard)


def within(panelist: Panelist, conditions: Conditions, *, price: Price | None = None, most: int = MOST) -> Panelist:
    """A panelist that keeps to the conditions; `price` and `most` are those of its model."""
    return in_turn((Candidate(model="", panelist=panelist, price=price, most=most),), conditions)


def in_turn(candidates: Sequence[Candidate], conditions: Conditions) -> Panelist:
    """A seat's models behind the conditions: the first answers, and the others in turn if it fails."""
    ready = [(one.model, _careful(one, conditions)) for one in candidates]
    attempts = conditions.retries.attempts
    asked = ready[0][1] if len(ready) == 1 else Fallback(ready, attempts, conditions.moved)
    return Deadline(Retry(asked, conditions.patience, conditions.retries), conditions.patience)


def _careful(one: Candidate, conditions: Conditions) -> Panelist:
    asked: Panelist = Queued(one.panelist, conditions.turns, conditions.sent)
    if one.line.pace is not None:
        asked = Rated(asked, one.line.pace, one.most)
    asked = Metered(asked, conditions.budget, one.price, one.most)
    if one.line.circuit is not None:
        asked = Breaker(asked, one.line.circuit)
    return asked if one.line.cache is None else Cached(asked, one.line.cache, one.model, conditions.sent)
