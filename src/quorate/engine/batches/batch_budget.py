"""A budget for a whole batch: each question is given a share before it starts, and what it leaves goes back."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

from quorate.errors import QuorateError
from quorate.middleware.budget import Charge
from quorate.model import Convened, Limits

__all__ = ["BatchBudget", "BatchStopped", "CostRange"]

N = TypeVar("N", int, Fraction)


class BatchStopped(QuorateError):
    """The batch cannot go on for now; what is done is kept, and the same command goes on."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


class CostRange(NamedTuple):
    """What one question takes: one complete pass, and the most it may take with every repair."""

    least: Charge
    most: Charge


@dataclass(slots=True, eq=False)
class BatchBudget:
    """Questions take their shares in order. No share is larger than what is left, and no question exceeds its share."""

    limits: Limits
    spent: Charge = field(default_factory=Charge)
    _shares: Charge = field(default_factory=Charge)
    _open: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, convened: Convened, estimate: Callable[[Convened], CostRange]) -> tuple[Convened, Charge]:
        """The question with its share as its own budget, once there is enough for it.

        Raises:
            BatchStopped: too little is left for one complete pass.
        """
        if not self.limits.has_budget:
            return convened, Charge()
        needs = estimate(convened)
        async with self._turn:
            while True:
                self._settled.clear()
                left = _left(self.limits, self.spent + self._shares)
                whole = not needs.most.beyond(left)
                if whole or (not self._open and not needs.least.beyond(left)):
                    return self._taken(convened, left, needs.most if whole else None)
                if not self._open:
                    raise BatchStopped("budget", _short(self.limits, self.spent, needs.least))
                await self._settled.wait()

    def _taken(self, convened: Convened, left: Limits, most: Charge | None) -> tuple[Convened, Charge]:
        share = most or Charge(left.calls or 0, left.tokens or 0, left.money or Fraction(0))
        self._shares += share
        self._open += 1
        own, whole = convened.limits, self.limits
        limits = replace(
            own,
            calls=_lower(own.calls, None if whole.calls is None else share.calls),
            tokens=_lower(own.tokens, None if whole.tokens is None else share.tokens),
            money=_lower(own.money, None if whole.money is None else share.money),
            unpriced=own.unpriced or whole.unpriced,
        )
        return replace(convened, limits=limits), share

    def settle(self, share: Charge, charged: Charge) -> None:
        """A question has ended, and this is what it took."""
        if self.limits.has_budget:
            self._shares -= share
            self.spent += charged
            self._open -= 1
            self._settled.set()


def _lower(own: N | None, share: N | None) -> N | None:
    return share if own is None else own if share is None else min(own, share)


def _left(limits: Limits, used: Charge) -> Limits:
    return replace(
        limits,
        calls=None if limits.calls is None else limits.calls - used.calls,
        tokens=None if limits.tokens is None else limits.tokens - used.tokens,
        money=None if limits.money is None else limits.money - used.money,
    )


def _short(limits: Limits, spent: Charge, least: Charge) -> str:
    parts = (
        (limits.calls, spent.calls, least.calls, "{} calls"),
        (limits.tokens, spent.tokens, least.tokens, "{:,} tokens"),
        (None if limits.money is None else float(limits.money), float(spent.money), float(least.money), "${:.4f}"),
    )
    said = [
        f"{words.format(used)} of {words.format(limit)} spent, and the next question takes {words.format(next_)}"
        for limit, used, next_, words in parts
        if limit is not None and used + next_ > limit
    ]
    return f"the budget of the batch is used up: {'; '.join(said)}. Raise --total-budget in the same command to go on"
