"""A loop of our own in a thread of its own: nodes come from any thread and any loop, and connections stay open."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from contextvars import Context, copy_context
from threading import Lock, Thread, current_thread
from typing import TypeVar
from weakref import finalize

from quorate.engine.stepper import Stepper
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.panelists import Panelist
from quorate.settings.consent import Consent
from quorate.settings.provider_settings import ProviderLimits

__all__ = ["GraphHost", "GraphResources"]

Done = TypeVar("Done")
Work = Callable[[Stepper], Awaitable[Done]]
"""What is to be done once the turns are there."""
Look = Callable[[Stepper], Done | None]
"""What can be told from what the turns left, if they are there; none if it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResources:
    """What is opened when it is first needed: a ledger, or where one lies, and who answers."""

    ledger: str | Ledger
    env: Mapping[str, str]
    concurrency: int
    panelists: Mapping[str, Panelist] | None
    provider_limits: ProviderLimits
    consent: Consent | None = None


@dataclass(frozen=True, slots=True)
class _Open:
    loop: asyncio.AbstractEventLoop
    stepper: Stepper
    stop: asyncio.Event


class GraphHost:
    """Does a node's work on one loop. When nobody has the graph any more, the thread ends by itself."""

    def __init__(self, house: GraphResources) -> None:
        self._house = house
        self._open: _Open | None = None
        self._lock = Lock()

    def now(self, work: Work[Done]) -> Done:
        """Do it, and wait: for a node that was called plainly."""
        return self._submit(work).result()

    async def later(self, work: Work[Done]) -> Done:
        """Do it while the caller's loop goes on."""
        return await asyncio.wrap_future(self._submit(work))

    def at_once(self, look: Look[Done]) -> Done | None:
        """Look at what lies ready, here and now; none if there is nothing, or somebody is at it."""
        return None if self._open is None else look(self._open.stepper)

    def _submit(self, work: Work[Done]) -> "Future[Done]":
        with self._lock:
            opened = self._open = self._open or self._begin()
        return _lean_context().run(asyncio.run_coroutine_threadsafe, self._done(work, opened.stepper), opened.loop)

    async def _done(self, work: Work[Done], stepper: Stepper) -> Done:
        # It holds on to this host, so that nobody closes the house while somebody is at work in it.
        return await work(stepper)

    def _begin(self) -> _Open:
        ready: Future[_Open] = Future()
        thread = Thread(target=_serve, args=(self._house, ready), name="quorate graph", daemon=True)
        thread.start()
        opened = ready.result()
        finalize(self, _end, opened, thread)
        return opened


def _lean_context() -> Context:
    """The caller's context, with no more of LangChain's config in it than whoever answers needs to be traced.

    Timers and connections on our loop keep the context they were made in. The whole config leads to the graph, which
    would then never be collected, and to whatever a run of it has left open.
    """
    from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config

    context, config = copy_context(), var_child_runnable_config.get()
    if config is not None:
        lean = RunnableConfig(
            callbacks=config.get("callbacks"), tags=config.get("tags") or [], metadata=config.get("metadata") or {}
        )
        context.run(var_child_runnable_config.set, lean)
    return context


def _serve(house: GraphResources, ready: "Future[_Open]") -> None:
    try:
        asyncio.run(_keep_open(house, ready))
    finally:
        ready.cancel()


async def _keep_open(house: GraphResources, ready: "Future[_Open]") -> None:
    stop = asyncio.Event()
    async with AsyncExitStack() as open_:
        ledger = house.ledger
        if isinstance(ledger, str):
            ledger = open_ledger(ledger)
            open_.push_async_callback(_close, ledger)
        stepper = await open_.enter_async_context(
            Stepper(
                ledger,
                env=house.env,
                concurrency=house.concurrency,
                panelists=house.panelists,
                provider_limits=house.provider_limits,
                consent=house.consent,
            )
        )
        ready.set_result(_Open(asyncio.get_running_loop(), stepper, stop))
        await stop.wait()


async def _close(ledger: Ledger) -> None:
    # While the interpreter is leaving no thread can be started for it; all is committed by then, and nothing is lost.
    with suppress(RuntimeError):
        await ledger.close()


def _end(opened: _Open, thread: Thread) -> None:
    with suppress(RuntimeError):
        opened.loop.call_soon_threadsafe(opened.stop.set)
    if thread is not current_thread():
        thread.join(5)
