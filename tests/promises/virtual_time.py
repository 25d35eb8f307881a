"""An event loop whose clock stands still while anything happens, and jumps to the next timer when nothing does.

Sockets and threads are real. Whoever is awaited over a socket is given a moment of real time before the clock jumps,
and while a thread works it does not jump at all.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import Any, Final, TypeVar

T = TypeVar("T")

MOMENT: Final = 0.001
STALLED: Final = 30.0
"""Real seconds without a timer and without a word on any socket: nobody will ever wake this loop."""


class _Selector(selectors.BaseSelector):
    """Waits a moment for sockets, and lets the time that was to be waited pass at once."""

    def __init__(self) -> None:
        self.now = 0.0
        self.working = 0
        self._real = selectors.DefaultSelector()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or (timeout > 0 and self.working):
            ready = self._real.select(STALLED)
            assert ready, "everybody waits for ever"
            return ready
        ready = self._real.select(min(timeout, MOMENT))
        if not ready:
            self.now += max(0.0, timeout)
        return ready

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:  # noqa: ANN401
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:  # noqa: ANN401
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:  # noqa: ANN401
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


class VirtualLoop(asyncio.SelectorEventLoop):
    """`run(work)`: as asyncio.run does, on a clock that nobody has to wait for."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now

    def run_in_executor(  # type: ignore[override]  # whatever it is given it passes on
        self,
        executor: Executor | None,
        func: Callable[..., T],
        *args: Any,  # noqa: ANN401
    ) -> "asyncio.Future[T]":
        done = super().run_in_executor(executor, func, *args)
        self._virtual.working += 1
        done.add_done_callback(self._rested)
        return done

    def _rested(self, _: object) -> None:
        self._virtual.working -= 1


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
