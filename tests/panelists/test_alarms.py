import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

import pytest

from quorate.panelists.alarms import Alarms

SOON = 0.02
LONG = 60.0

Limit = Callable[[float | None], AbstractAsyncContextManager[None]]


def ours() -> Limit:
    alarms = Alarms()

    @asynccontextmanager
    async def until(ends: float | None) -> AsyncGenerator[None]:
        with alarms.until(ends):
            yield

    return until


def theirs() -> Limit:
    @asynccontextmanager
    async def until(ends: float | None) -> AsyncGenerator[None]:
        async with asyncio.timeout_at(ends):
            yield

    return until


def now() -> float:
    return asyncio.get_running_loop().time()


async def in_time(limit: Limit) -> str:
    async with limit(now() + LONG):
        return "done"


async def without_end(limit: Limit) -> str:
    async with limit(None):
        await asyncio.sleep(0)
        return "done"


async def too_late(limit: Limit) -> str:
    async with limit(now() + SOON):
        await asyncio.sleep(LONG)
    return "never"


async def over_before_it_began(limit: Limit) -> str:
    async with limit(now() - 1):
        await asyncio.sleep(LONG)
    return "never"


async def fails_by_itself(limit: Limit) -> str:
    async with limit(now() + LONG):
        raise KeyError


async def hides_that_it_was_cancelled(limit: Limit) -> str:
    async with limit(now() + SOON):
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            return "kept on"
    return "never"


async def one_in_another(outer: float, inner: float, limit: Limit) -> str:
    async with limit(now() + outer):
        try:
            async with limit(now() + inner):
                await asyncio.sleep(LONG)
        except TimeoutError:
            return "inner"
    return "never"


async def cancelled_by_another(limit: Limit) -> str:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().call_later(SOON, task.cancel)
    async with limit(now() + LONG):
        await asyncio.sleep(LONG)
    return "never"


async def cancelled_by_both(limit: Limit) -> str:
    task = asyncio.current_task()
    assert task is not None
    async with limit(now() - 1):
        task.cancel()
        await asyncio.sleep(LONG)
    return "never"


@pytest.mark.parametrize(
    "work",
    [
        in_time,
        without_end,
        too_late,
        over_before_it_began,
        fails_by_itself,
        hides_that_it_was_cancelled,
        partial(one_in_another, LONG, SOON),
        partial(one_in_another, SOON, LONG),
        cancelled_by_another,
        cancelled_by_both,
    ],
)
async def test_a_wait_ends_as_the_standard_librarys_does(work: Callable[[Limit], Awaitable[str]]) -> None:
    assert await outcome(work, ours()) == await outcome(work, theirs())


async def outcome(work: Callable[[Limit], Awaitable[str]], limit: Limit) -> object:
    """What came of it, and how often its task was left cancelled."""
    left: list[int] = []

    async def watched() -> object:
        try:
            return await work(limit)
        finally:
            task = asyncio.current_task()
            left.append(task.cancelling() if task else -1)

    async with asyncio.timeout(LONG / 2):
        (came,) = await asyncio.gather(asyncio.create_task(watched()), return_exceptions=True)
    return (came if isinstance(came, str) else type(came)), left


async def test_each_of_many_ends_at_its_own_time_whatever_the_order_they_began_in() -> None:
    alarms, ended = Alarms(), list[int]()

    async def one(number: int) -> None:
        try:
            with alarms.until(now() + SOON + number * SOON):
                await asyncio.sleep(LONG if number % 2 else 0)
        except TimeoutError:
            ended.append(number)

    await asyncio.gather(*(one(number) for number in (7, 1, 4, 3, 6, 5, 2)))

    assert ended == [1, 3, 5, 7]


async def test_whoever_waits_together_shares_a_timer_and_leaves_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    alarms, loop = Alarms(), asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    set_timer = loop.call_at

    def counted(when: float, ring: Callable[[], object]) -> asyncio.TimerHandle:
        timers.append(set_timer(when, ring))
        return timers[-1]

    async def one() -> None:
        with alarms.until(now() + LONG):
            await asyncio.sleep(0)

    monkeypatch.setattr(loop, "call_at", counted)
    await asyncio.gather(*(one() for _ in range(100)))

    assert [timer.cancelled() for timer in timers] == [True]
