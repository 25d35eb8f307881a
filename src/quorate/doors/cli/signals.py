"""Ctrl-C, SIGTERM and SIGHUP end a command in one way: what is under way is cancelled, cleaned up, and told of."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click

from quorate.doors.cli.exit_codes import HUNG_UP, INTERRUPTED, TERMINATED
from quorate.doors.cli.screen import drop_unread

if TYPE_CHECKING:
    import asyncio

__all__ = ["describe_stop", "exit_code", "heed_signals", "leave", "left_to_others", "run", "stand_still"]

T = TypeVar("T")

_CODES: Final = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED, signal.SIGHUP: HUNG_UP}
_NAMES: Final = {signal.SIGINT: "", signal.SIGTERM: " by SIGTERM", signal.SIGHUP: " by SIGHUP"}


class _Stop:
    """The first signal cancels what is under way, so that it can clean up; another, or outside a loop, interrupts."""

    def __init__(self) -> None:
        self.came = False
        self.number = signal.SIGINT
        self.task: asyncio.Task[Any] | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        self.came, self.number = True, signal.Signals(number)
        task, self.task = self.task, None
        if task is None:
            raise KeyboardInterrupt
        task.get_loop().call_soon_threadsafe(task.cancel)


_stop: Final = _Stop()


def heed_signals() -> None:
    """From now on be stopped by these signals alike; one that whoever started us had ignored stays ignored."""
    for number in _CODES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run what a function begins to its end, or until a signal stops it.

    Raises:
        KeyboardInterrupt: it was stopped, and has cleaned up.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    class Threads(ThreadPoolExecutor):
        """Whoever is stopped does not wait for what a thread reads or works out meanwhile."""

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
            super().shutdown(wait and not _stop.came, cancel_futures=cancel_futures or _stop.came)

    try:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.set_default_executor(Threads(thread_name_prefix="quorate"))
            _stop.task = task = loop.create_task(work())
            try:
                return loop.run_until_complete(task)
            finally:
                _stop.task = None
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def stand_still() -> None:
    """Do nothing until a signal comes."""
    import asyncio

    await asyncio.Event().wait()


@contextmanager
def left_to_others() -> Iterator[None]:
    """While an editor has the terminal Ctrl-C is the editor's; if it fails because of one, we are stopped as well.

    Raises:
        KeyboardInterrupt: so it was.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    except click.ClickException:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def exit_code() -> int:
    """The code that tells which signal it was."""
    return _CODES[_stop.number]


def leave(code: int) -> NoReturn:
    """Leave with a code; when stopped, without waiting for threads that cannot be, such as a model at work in one."""
    for number in _CODES:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)
    # Python looks for garbage once more before it ends, and the system takes all of it back anyway.
    gc.freeze()
    if not _stop.came:
        if code:
            drop_unread()
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001  there is no public way to leave in order and not wait
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


def describe_stop() -> str:
    """How it was stopped, as a sentence begins."""
    return f"stopped{_NAMES[_stop.number]}"
