"""Leaves a provider alone after it failed many times in a row, then lets one ask try whether it is back."""

import asyncio
from typing import Final

from quorate.errors import PanelistError
from quorate.middleware.provider_limits import BreakerLimits
from quorate.model import Ask, Reply
from quorate.model.ballot import NOT_NEEDED
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["Breaker", "Circuit"]

COUNTED: Final = frozenset(
    {"unreachable", "timeout", "rate_limited", "overloaded", "server_error", "wrong_key", "no_quota", "bad_reply"}
)
"""Failures of the provider or the key. What is wrong with one request shows that the provider is there."""
OURS: Final = frozenset({"budget", "deadline", NOT_NEEDED})
"""Failures that are ours: they say nothing about the provider, and another model would fail in the same way."""
SOON: Final = 1.0
LONGEST: Final = 60.0
"""Seconds that an ask waits for a provider to be tried again; beyond that it falls silent at once."""


class Circuit:
    """What is known of one provider and key, shared by every ask that goes there."""

    def __init__(self, setting: BreakerLimits) -> None:
        self._setting = setting
        self._failed = 0
        self._until: float | None = None
        self._probe = False
        self._last = ""
        """What the provider said when it failed last."""

    def admit(self, now: float) -> None:
        """Let an ask through: any while closed, none while open, then one at a time as a probe.

        Raises:
            PanelistError: `breaker`, with the seconds to wait.
        """
        if self._until is None:
            return
        if now < self._until or self._probe:
            after = max(self._until - now, min(SOON, self._setting.pause))
            said = f"not asked: the provider failed {self._failed} times in a row and is left alone for {after:.0f} s"
            said += f"; the last time, {self._last}" if self._last else ""
            raise PanelistError("breaker", said, again=after <= LONGEST, after=after)
        self._probe = True

    def answered(self) -> None:
        """Something came back from there: whatever failed before is over."""
        self._failed, self._until, self._probe = 0, None, False

    def failed(self, now: float) -> None:
        """It failed; a probe that fails opens the breaker again at once."""
        self._failed += 1
        if self._probe or (self._until is None and self._failed >= self._setting.failures):
            self._until = now + self._setting.pause
        self._probe = False

    def learn(self, gone: PanelistError, now: float) -> None:
        """An ask that was let through failed, for a reason that tells of the provider or does not."""
        if gone.why in COUNTED:
            self._last = gone.detail
            self.failed(now)
        elif gone.why in OURS:
            self.dropped()
        else:
            self.answered()

    def dropped(self) -> None:
        """Nothing was learnt: another ask may be the probe."""
        self._probe = False


class Breaker:
    """Asks only while the circuit allows it."""

    def __init__(self, panelist: Panelist, circuit: Circuit) -> None:
        self._panelist = panelist
        self._circuit = circuit

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer, unless the provider is left alone.

        Raises:
            PanelistError: `breaker`, or what the panelist raises.
        """
        circuit, clock = self._circuit, asyncio.get_running_loop().time
        circuit.admit(clock())
        try:
            reply = await self._panelist.answer(ask, overheard)
        except PanelistError as gone:
            circuit.learn(gone, clock())
            raise
        except BaseException:  # cancelled, by a deadline or because it is no longer needed
            circuit.dropped()
            raise
        circuit.answered()
        return reply
