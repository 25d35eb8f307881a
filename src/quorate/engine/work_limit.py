"""A limit on work that grows with the ledger: its loops ask here, so the work ends with the request it is for.

Threads see the limit of the request that started them. Without a limit, as at the command line, nothing is stopped.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from quorate.errors import TookTooLong

__all__ = ["check_work", "limited_work"]


@dataclass(slots=True)
class _WorkLimit:
    """When the work must end."""

    until: float
    is_over: bool = False


class _Stopped(Exception):
    """Not one of quorate's errors, so that no loop takes it for a record that cannot be read."""


_LIMIT: Final[ContextVar[_WorkLimit | None]] = ContextVar("work_limit", default=None)


def check_work() -> None:
    """Go on, unless the time is up or nobody waits for the result any more: then the work is broken off."""
    limit = _LIMIT.get()
    if limit is not None and (limit.is_over or time.monotonic() > limit.until):
        raise _Stopped


@asynccontextmanager
async def limited_work(seconds: float, narrow: str) -> AsyncGenerator[None]:
    """Give what is done inside so many seconds; threads that are still at it afterwards stop where they next ask.

    Raises:
        TookTooLong: it took longer; `narrow` says how to ask for less.
    """
    limit = _WorkLimit(time.monotonic() + seconds)
    before = _LIMIT.set(limit)
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            yield
    except (TimeoutError, _Stopped) as stopped:
        if isinstance(stopped, TimeoutError) and not timer.expired():
            raise
        told = f"this took longer than {seconds:g} seconds on this ledger, so it was stopped; {narrow}"
        raise TookTooLong(told) from None
    finally:
        limit.is_over = True
        _LIMIT.reset(before)
