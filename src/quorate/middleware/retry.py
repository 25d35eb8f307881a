"""The only retry loop there is: no client, panelist or door beneath or above it tries again by itself.

An endpoint that declines part of a request is asked without it here too, so that this request is reserved, paced and
recorded like any other. It is no new attempt, and nothing is waited for.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

from quorate.errors import PanelistError, PartDeclined
from quorate.frozen import dataclass
from quorate.middleware.deadline import TimeLimit
from quorate.model import Ask, Reply
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["Retries", "Retry"]

NEVER_SENT: Final = "breaker"
PARTS: Final = 8
"""Declines for one ask at most; no request has so many parts to leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often to try in all, and how long to wait in between: seconds, doubled each time; `obey` caps Retry-After."""

    attempts: int = 3
    base: float = 0.5
    most: float = 8.0
    obey: float = 60.0

    def wait(self, failed: PanelistError, attempt: int, chance: float) -> float:
        """Exponential backoff with full jitter, on top of what the provider asks for."""
        asked = min(max(failed.after or 0.0, 0.0), self.obey)
        return asked + chance * min(self.most, self.base * 2.0 ** (attempt - 1))


class Retry:
    """Asks again when that may help, and never waits for what cannot come in time."""

    def __init__(
        self,
        panelist: Panelist,
        patience: TimeLimit,
        retries: Retries | None = None,
        *,
        chance: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._panelist = panelist
        self._patience = patience
        self._retries = retries or Retries()
        self._chance = chance
        self._sleep = sleep

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer at the first attempt that succeeds.

        Raises:
            PanelistError: what the last attempt raised.
        """
        ends = self._patience.ends(asyncio.get_running_loop().time())
        try:
            return await self._panelist.answer(ask, overheard)
        except PanelistError as gone:
            failed = gone
        return await self.go_on(ask, overheard, failed, ends)

    async def go_on(self, ask: Ask, overheard: WordListener, failed: PanelistError, ends: float | None) -> Reply:
        """Answer after a first attempt that failed, if another one may help before the ask ends.

        Raises:
            PanelistError: what the last attempt raised.
        """
        clock = asyncio.get_running_loop().time
        attempt, declined, reason = 1, 0, failed
        while True:
            # A breaker that opens meanwhile isn't why it failed: the seat was asked, and the provider said something.
            reason = failed if failed.why != NEVER_SENT or reason.why == NEVER_SENT else reason
            if isinstance(failed, PartDeclined):
                declined += 1
                if declined > PARTS:
                    raise reason
            else:
                wait = self._retries.wait(failed, attempt, self._chance())
                late = ends is not None and clock() + wait >= ends
                if not failed.again or attempt >= self._retries.attempts or late:
                    raise reason
                await self._sleep(wait)
                attempt += 1
            try:
                return await self._panelist.answer(ask, overheard)
            except PanelistError as gone:
                failed = gone
