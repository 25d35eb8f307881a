"""Keeps to so many requests and tokens a minute for one provider and key, first come first served."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final, Protocol

from quorate.middleware.budget import MOST, CostEstimate
from quorate.middleware.provider_limits import Rate
from quorate.model import Ask, Reply
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["MINUTE", "Pace", "Paces", "RateLimitedPanelist", "RateWindow", "Turn"]

MINUTE: Final = 60.0


@dataclass(slots=True)
class Turn:
    """A request of the last minute, and what it takes of the tokens."""

    at: float
    tokens: int
    counted: bool = True


class Pace(Protocol):
    """What keeps the asks of one provider and key apart: in this process, or over all that share a store."""

    async def turn(self, tokens: int) -> Turn:
        """Wait until one more request of so many tokens fits."""
        ...

    def took(self, turn: Turn, tokens: int) -> None:
        """A request turned out to take so many tokens."""
        ...


class Paces(Protocol):
    """Makes the pace of an address and a key."""

    def __call__(self, address: str, key: str, rate: Rate) -> Pace: ...


class RateWindow:
    """What went to one provider with one key in the last minute, shared by every ask that goes there."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._gone: deque[Turn] = deque()
        self._tokens = 0
        self._line = asyncio.Lock()

    async def turn(self, tokens: int) -> Turn:
        """Wait until one more request of so many tokens fits; one that never fits goes when nothing else did."""
        clock = asyncio.get_running_loop().time
        async with self._line:
            while (wait := self._wait(clock(), tokens)) > 0:  # noqa: ASYNC110 - time is what is waited for
                await asyncio.sleep(wait)
            gone = Turn(clock(), tokens)
            self._gone.append(gone)
            self._tokens += tokens
        return gone

    def took(self, turn: Turn, tokens: int) -> None:
        """A request turned out to take so many tokens."""
        if turn.counted:
            self._tokens += tokens - turn.tokens
            turn.tokens = tokens

    def _wait(self, now: float, tokens: int) -> float:
        """Seconds until the first request that stands in the way is a minute old."""
        while self._gone and now - self._gone[0].at >= MINUTE:
            old = self._gone.popleft()
            old.counted = False
            self._tokens -= old.tokens
        requests, most = self._rate.requests, self._rate.tokens
        crowded = requests is not None and len(self._gone) >= requests
        spent = most is not None and self._tokens + tokens > most
        return self._gone[0].at + MINUTE - now if self._gone and (crowded or spent) else 0.0


class RateLimitedPanelist:
    """Asks at the pace of its provider and key. What a reply took replaces what it might have taken."""

    def __init__(self, panelist: Panelist, pace: Pace, most: int = MOST) -> None:
        self._panelist = panelist
        self._pace = pace
        self._most = most

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer when it is one's turn.

        Raises:
            PanelistError: what the panelist raises.
        """
        estimate = CostEstimate(ask.prompt.template, self._most, None)
        gone = await self._pace.turn(estimate.charge().tokens)
        reply = await self._panelist.answer(ask, overheard)
        self._pace.took(gone, estimate.settled(reply).tokens)
        return reply
