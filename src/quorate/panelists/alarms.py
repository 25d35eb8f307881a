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

    __slots__ = ("_timer", "at", "waits")

    def __init__(self) -> None:
        """Nobody waits yet."""
        self.waits: dict[TimedWait, None] = {}
        self.at = _NEVER
        """When the timer goes off."""
        self._timer: asyncio.TimerHandle | None = None

    def until(self, ends: float | None) -> "TimedWait":
        """What stands around a wait that must be over by then, on the event loop's clock; none is no end."""
        return TimedWait(self, _NEVER if ends is None else ends)

    def set(self, at: float) -> None:
        """Have the timer go off then, or not at all."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if at == _NEVER else asyncio.get_running_loop().call_at(at, self._ring)
        self.at = at

    def _ring(self) -> None:
        """End the waits whose time is over, and set the timer for the next."""
        now = asyncio.get_running_loop().time()
        for wait in [wait for wait in self.waits if wait.ends <= now]:
            del self.waits[wait]
            wait.end()
        self.set(min((wait.ends for wait in self.waits), default=_NEVER))


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
        alarms = self._alarms
        if self.ends < _NEVER:
            alarms.waits[self] = None
            if self.ends < alarms.at:
                alarms.set(self.ends)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise TimeoutError if it was this that cancelled it, and nobody else has meanwhile."""
        alarms, task, self._task = self._alarms, self._task, None
        alarms.waits.pop(self, None)
        if not alarms.waits and alarms.at < _NEVER:
            alarms.set(_NEVER)
        if self.expired and task is not None:
            ours = task.uncancel() <= self._before
            if ours and kind is asyncio.CancelledError:
                raise TimeoutError from raised

    def end(self) -> None:
        """Cancel what is waiting: its time is over."""
        self.expired = True
        if self._task is not None:
            self._task.cancel()
