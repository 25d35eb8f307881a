"""How long an ask may take, and the whole deliberation: nothing waits beyond either."""

import asyncio

from quorate.errors import PanelistError
from quorate.frozen import dataclass
from quorate.model import Ask, Limits, Reply
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.alarms import Alarms, TimedWait

__all__ = ["Deadline", "TimeLimit", "restart_with_each_word"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """When the deliberation must end, on the event loop's clock, and the seconds one ask may take, waiting included."""

    until: float | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, limits: Limits, begun: float) -> "TimeLimit":
        """The patience of a deliberation that began, on the event loop's clock, at that time."""
        return cls(
            until=None if limits.deadline is None else begun + float(limits.deadline),
            seconds=None if limits.patience is None else float(limits.patience),
        )

    def ends(self, now: float) -> float | None:
        """When an ask that is put now must have been answered."""
        if self.seconds is None:
            return self.until
        return now + self.seconds if self.until is None else min(self.until, now + self.seconds)

    def over(self, now: float) -> bool:
        """Whether the whole deliberation is out of time."""
        return self.until is not None and now >= self.until

    def check(self, now: float) -> None:
        """See that there is time to ask.

        Raises:
            PanelistError: `deadline`; nobody is asked.
        """
        if self.over(now):
            raise PanelistError("deadline", "the deliberation had no time left to ask")

    def missed(self, now: float) -> PanelistError:
        """What it means that an ask ran into its end."""
        if self.over(now):
            return PanelistError("deadline", "the deliberation ran out of time before a reply came", billed=True)
        return PanelistError("timeout", f"no reply came within {self.seconds:g} seconds", billed=True)


def restart_with_each_word(limit: TimedWait, patience: TimeLimit, overheard: WordListener) -> WordListener:
    """A listener that gives the ask its whole time again with every piece of the reply, up to the deadline.

    A slow server that is still writing isn't a server that is gone. Pieces come only to a listener, so there is one
    even where nobody watches. An empty piece says that the model writes what nobody else may read, its thoughts.
    """
    clock = asyncio.get_running_loop().time

    def hear(words: str) -> None:
        ends = patience.ends(clock())
        limit.ends = limit.ends if ends is None else max(limit.ends, ends)
        if words:
            overheard(words)

    return hear


class Deadline:
    """Gives up on a panelist when its time is over, whatever it is doing. The outermost wrapper."""

    def __init__(self, panelist: Panelist, patience: TimeLimit, alarms: Alarms | None = None) -> None:
        self._panelist = panelist
        self._patience = patience
        self._alarms = alarms or Alarms()

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer in time.

        Raises:
            PanelistError: `deadline` for the deliberation, `timeout` for this ask, or what the panelist raises.
        """
        clock = asyncio.get_running_loop().time
        self._patience.check(clock())
        limit = self._alarms.until(self._patience.ends(clock()))
        try:
            with limit:
                return await self._panelist.answer(ask, restart_with_each_word(limit, self._patience, overheard))
        except TimeoutError:
            if not limit.expired:
                raise
        raise self._patience.missed(clock())
