"""An owner in a process of its own, told what to do line by line. Tests start it, stop it and kill it."""

import asyncio
import concurrent.futures.thread  # noqa: F401  loaded now: a user without rights may not be able to later
import os
import resource
import signal
import sys
import time
from contextlib import AsyncExitStack

from quorate.errors import LedgerError
from quorate.ledger import Book, Ledger, new_id, open_ledger
from quorate.ledger.export import verify
from quorate.model import Halted


class Owner:
    """Carries out one order after the other."""

    def __init__(self, path: str, ledger: Ledger) -> None:
        self._path = path
        self._ledger = ledger
        self._held = AsyncExitStack()
        self._book: Book | None = None

    async def obey(self, order: str, value: str) -> object:
        match order:
            case "own" | "begin":
                own = self._ledger.own(value, fresh=order == "begin")
                self._book = await self._held.enter_async_context(own)
                return len(self._book.entries)
            case "write" | "die":
                return await self._write(int(value), die=order == "die")
            case "leave":
                await self._held.aclose()
            case "verify":
                return (await verify(self._ledger, value)).entries
            case "list":
                return [summary.id async for summary in self._ledger.list()]
            case "crowd":
                return sum(await asyncio.gather(*(_alone(self._path) for _ in range(int(value)))))
            case _:
                _suffer(order, int(value))
        return ""

    async def _write(self, count: int, *, die: bool) -> int:
        assert self._book is not None
        for _ in range(count):
            self._book.write(Halted(why="x" * 1000))
        if die:
            os.kill(os.getpid(), signal.SIGKILL)
        await self._book.committed()
        return len(self._book.entries)


async def _alone(path: str) -> int:
    """Write a few entries through a ledger that nobody else uses, though others use its file."""
    ledger = open_ledger(path)
    async with ledger.own(new_id()) as book:
        for _ in range(3):
            book.write(Halted(why="x"))
            await asyncio.sleep(0.02)
    await ledger.close()
    return 1


def _suffer(order: str, value: int) -> None:
    if order == "fall":
        _fall_when_it_grows(value)
    elif order == "clock":
        _set_clock(value)
    elif order == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (value, value))
    else:
        os.setuid(value)


def _set_clock(seconds: int) -> None:
    """Have the clock of this process be wrong."""
    right = time.time
    time.time = lambda: right() + seconds


def _fall_when_it_grows(times: int) -> None:
    """Be killed as soon as the spool has been given more room for the n-th time."""
    allocate, left = os.posix_fallocate, [times]

    def fatal(file: int, start: int, size: int) -> None:
        allocate(file, start, size)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    os.posix_fallocate = fatal


async def main(path: str, ttl: str, spool: str) -> None:
    owner = Owner(path, open_ledger(path, ttl=float(ttl), spool=spool == "spool"))
    while line := await asyncio.to_thread(sys.stdin.readline):
        order, _, value = line.strip().partition(" ")
        try:
            told = f"ok {await owner.obey(order, value)}"
        except LedgerError as error:
            told = f"{type(error).__name__} {error}"
        print(told, flush=True)  # noqa: T201  this is how it answers


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
