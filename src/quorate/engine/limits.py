"""What a panelist is wrapped in, and in which order.

    Deadline ∘ Retry ∘ Metered ∘ Queued ∘ provider

- Deadline is outermost: waiting for a turn and between attempts counts as time, so everything ends.
- Retry stands outside the budget: every attempt is reserved and booked for itself.
- Metered stands outside the queue: what waits for its turn is already reserved, so a turn is never given in vain.
- Queued is innermost: only what is really under way holds a turn; nobody holds one while waiting to try again.

Each is a panelist around a panelist and can be tested alone. A breaker belongs between Retry and Metered, a cache and a
fallback outside Retry, a recording outside everything.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from quorate.engine.budget import MOST, Budget, Metered
from quorate.engine.deadline import Deadline, Patience
from quorate.engine.retry import Retries, Retry
from quorate.model import Ask, Reply
from quorate.panelists import Overheard, Panelist, unheard
from quorate.panelists.price import Price

__all__ = ["Conditions", "Queued", "Sent", "unnoted", "within"]

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
    metered = Metered(Queued(panelist, conditions.turns, conditions.sent), conditions.budget, price, most)
    return Deadline(Retry(metered, conditions.patience, conditions.retries), conditions.patience)
