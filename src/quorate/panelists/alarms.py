"""Ends for many waits by one timer. Most are over long before, and a timer for each would cost more than the wait.

It does what `asyncio.timeout_at` does, with one call into the event loop for all that wait together.
"""

import asyncio
from types import TracebackType
from typing import Final, Self

__all__ = ["Alarms", "TimedWait"]

_NEVER: Final = float("inf")


class Alarms:
    """Waits on one event loop that may each take only so long. The timer is set for the first that may run out."""

    __slots__ = ("_at", "_timer", "_waits")

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waits: dict[TimedWait, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._at = _NEVER

    def until(self, ends: float | None) -> "TimedWait":
        """What stands around a wait that must be over by then, on the event loop's clock; none is no end."""
        return TimedWait(self, _NEVER if ends is None else ends)

    def add(self, wait: "TimedWait") -> None:
        """Wake this one when its time is over."""
        self._waits[wait] = None
        if wait.ends < self._at:
            self._set(wait.ends)

    def remove(self, wait: "TimedWait") -> None:
        """Let it be; with the last one goes the timer."""
        self._waits.pop(wait, None)
        if not self._waits and self._timer is not None:
            self._timer.cancel()
            self._timer, self._at = None, _NEVER

    def _set(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._at = asyncio.get_running_loop().call_at(at, self._ring), at

    def _ring(self) -> None:
        """End the waits whose time is over, and set the timer for the next."""
        self._timer, self._at = None, _NEVER
        now = asyncio.get_running_loop().time()
        for wait in [wait for wait in self._waits if wait.ends <= now]:
            del self._waits[wait]
            wait.end()
        soonest = min((wait.ends for wait in self._waits), default=_NEVER)
        if soonest < _NEVER:
            self._set(soonest)


class TimedWait:
    """Around one wait, as `asyncio.timeout`: what is still waiting at the end is cancelled and raises TimeoutError."""

    __slots__ = ("_alarms", "_before", "_task", "ends", "expired")

    def __init__(self, alarms: Alarms, ends: float) -> None:
        """It must be over by `ends`."""
        self._alarms = alarms
        self._task: asyncio.Task[object] | None = None
        self._before = 0
        self.ends = ends
        self.expired = False
        """Whether its time ran out while it was waiting."""

    def __enter__(self) -> Self:
        """Begin to wait; only a task can be cancelled."""
        task = self._task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only a task can be given a time to end")
        self._before = task.cancelling()
        if self.ends < _NEVER:
            self._alarms.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise TimeoutError if it was this that cancelled it, and nobody else has meanwhile."""
        if self.ends < _NEVER:
            self._alarms.remove(self)
        if self.expired and self._task is not None:
            ours = self._task.uncancel() <= self._before
            if ours and kind is asyncio.CancelledError:
                raise TimeoutError from raised
        self._task = None

    def end(self) -> None:
        """Cancel what is waiting: its time is over."""
        self.expired = True
        if self._task is not None:
            self._task.cancel()
