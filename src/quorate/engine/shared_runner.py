"""What calls of one process share: one ledger for a place, and on each event loop one set of connections.

Each call for itself would open files, a writer, certificates and connections of its own: many at once run out of files
and keep each other out of the database, and one after the other they pay for it every time. So what a call has used is
kept for the next one. Connections are kept until their loop ends, or others have been used since; a ledger until it has
been quiet for a moment, so that its file lies whole on the disk. What is left when the process ends is closed then.
"""

import asyncio
import atexit
import os
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, ParamSpec, TypeVar

from quorate.engine.runner import Runner, seating_of
from quorate.errors import QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.address import place_of
from quorate.middleware.rate_limit import Paces
from quorate.settings.consent import Consent
from quorate.settings.provider_settings import ProviderLimits

__all__ = ["RunnerSettings", "close_idle_ledgers", "close_shared", "shared_runner"]

P = ParamSpec("P")
T = TypeVar("T")

MEMORY: Final = ":memory:"
QUIET: Final = 1.0
"""Seconds after which a ledger that no call uses is closed: calls of a batch follow each other sooner."""
KEPT: Final = 8
"""Sets of connections kept on a loop while no call uses them; a call with other keys or limits needs its own."""
PATIENCE: Final = 2.0
"""Seconds that the end of the process waits for a loop that is still running in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSettings:
    """How a call is held: asks in flight over all calls at once, how providers are treated, what a record may do."""

    concurrency: int
    provider_limits: ProviderLimits
    consent: Consent | None = None
    paces: Paces | None = None
    """Where the pace of providers is kept, if other processes share it."""


@asynccontextmanager
async def shared_runner(
    ledger: str | Path | Ledger, env: Mapping[str, str], terms: RunnerSettings, id_: str = ""
) -> AsyncGenerator[Runner]:
    """A runner for one call; for a record, by its id, with the keys that were allowed when it was begun."""
    shared = await _shared_here()
    place, kept = await shared.take_ledger(ledger)
    try:
        if id_ and terms.consent:
            env = terms.consent.environment(id_, [entry.event for entry in await kept.read(id_)])
        seated = shared.take_seating(place, kept, env, terms)
        try:
            yield Runner(kept, env=env, seating=seated.thing, consent=terms.consent)
        finally:
            await shared.leave_seating(seated)
    finally:
        await shared.leave_ledger(place)


async def close_idle_ledgers() -> None:
    """Close now what no call uses: for whoever leaves the loop standing still, so that no moment passes on it."""
    shared = _SHARED.get(asyncio.get_running_loop())
    if shared is not None:
        await shared.close_ledgers()


@dataclass(slots=True)
class _Use:
    """A thing in use, and by how many."""

    thing: Any
    users: int = 0


@dataclass(slots=True)
class _Ledgers:
    """The ledgers of this process by their place, and how many loops use each."""

    uses: dict[str, _Use] = field(default_factory=dict[str, _Use])
    lock: Lock = field(default_factory=Lock)

    def take(self, place: str) -> Ledger:
        with self.lock:
            use = self.uses.setdefault(place, _Use(None))
            use.thing = use.thing or open_ledger(place)
            use.users += 1
            ledger: Ledger = use.thing
            return ledger

    async def leave(self, place: str, ledger: Ledger) -> None:
        """The last to leave closes it. Until then it stays in its place: who comes meanwhile waits in its own line."""
        with self.lock:
            use = self.uses[place]
            use.users -= 1
            last = not use.users
        try:
            if last:
                await ledger.close()
        finally:
            with self.lock:
                if last and not use.users:
                    self.uses.pop(place, None)


_LEDGERS: Final = _Ledgers()


@dataclass(slots=True)
class _OpenLedger:
    """A ledger as one loop uses it; while no call does, when it is to be closed and which file it was."""

    ledger: Ledger
    users: int = 0
    closing: asyncio.TimerHandle | None = None
    file: tuple[int, int] | None = None


_Environment = tuple[Mapping[str, str], frozenset[tuple[str, str]]]


@dataclass(slots=True, eq=False)
class _Shared:
    """What the calls on one event loop share, and what is kept between them."""

    loop: asyncio.AbstractEventLoop
    ledgers: dict[str, _OpenLedger] = field(default_factory=dict[str, _OpenLedger])
    seatings: dict[Hashable, _Use] = field(default_factory=dict[Hashable, _Use])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    half_closed: list[Ledger] = field(default_factory=list[Ledger])
    environments: dict[int, _Environment] = field(default_factory=dict[int, _Environment])
    ended: bool = False
    end: AsyncGenerator[None] | None = None

    async def take_ledger(self, ledger: str | Path | Ledger) -> tuple[str, Ledger]:
        """A ledger for one call, and its place, by which calls share it; in memory each call has its own."""
        if not isinstance(ledger, str | Path):
            return f"object {id(ledger)}", ledger
        if str(ledger) == MEMORY:
            return MEMORY, open_ledger(MEMORY)
        place = _place(ledger)
        used = self.ledgers.get(place)
        if used is None:
            used = self.ledgers[place] = _OpenLedger(_LEDGERS.take(place))
        used.users += 1
        if used.closing is not None:
            used.closing.cancel()
            used.closing = None
            if used.file != _file_at(place):  # moved or removed: a closed ledger begins a new file
                try:
                    await used.ledger.close()
                except BaseException:
                    await self.leave_ledger(place)
                    raise
        return place, used.ledger

    async def leave_ledger(self, place: str) -> None:
        """A call has done with the ledger at a place, if one is shared there."""
        used = self.ledgers.get(place)
        if used is not None:
            used.users -= 1
            if not used.users:
                await self._left(place, used)

    async def _left(self, place: str, used: _OpenLedger) -> None:
        if self.ended:
            await self._close_ledger(place)
        else:
            used.file = _file_at(place)
            used.closing = self.loop.call_later(QUIET, self._close_soon, place)

    def _close_soon(self, place: str) -> None:
        task = self.loop.create_task(self._close_ledger(place))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _close_ledger(self, place: str) -> None:
        used = self.ledgers.get(place)
        if used is not None and not used.users:
            if used.closing is not None:
                used.closing.cancel()
            del self.ledgers[place]
            try:
                await _LEDGERS.leave(place, used.ledger)
            except asyncio.CancelledError:  # a loop that ends cancels whatever is under way
                self.half_closed.append(used.ledger)
                raise

    async def close_ledgers(self) -> None:
        for place in tuple(self.ledgers):
            await self._close_ledger(place)
        if self.loop is asyncio.get_running_loop():  # on one that is closed nothing ever goes on
            await asyncio.gather(*self.tasks, return_exceptions=True)
        while self.half_closed:
            await self.half_closed.pop().close()

    def take_seating(self, place: str, ledger: Ledger, env: Mapping[str, str], terms: RunnerSettings) -> _Use:
        """Who answers, for one call; shared by those that have the ledger, the environment and the limits in common."""
        variables = self._variables(env)
        key = (place, variables, _certificates(env), terms.concurrency, terms.provider_limits, terms.paces)
        use = self.seatings.pop(key, None)
        if use is None:
            made = seating_of(
                ledger,
                env=env,
                concurrency=terms.concurrency,
                provider_limits=terms.provider_limits,
                paces=terms.paces,
            )
            use = _Use(made)
        self.seatings[key] = use  # the last in the line is the one that was used last
        use.users += 1
        return use

    def _variables(self, env: Mapping[str, str]) -> frozenset[tuple[str, str]]:
        """An environment as a key. Calls with the same settings bring the same one, which nobody changes."""
        known = self.environments.get(id(env))
        if known is None or known[0] is not env:
            if len(self.environments) >= KEPT:
                self.environments.clear()
            known = self.environments[id(env)] = env, frozenset(env.items())
        return known[1]

    async def leave_seating(self, use: _Use) -> None:
        """A call has done with those who answered."""
        use.users -= 1
        await self._close_seatings(0 if self.ended else KEPT)

    async def _close_seatings(self, kept: int) -> None:
        idle = [key for key, use in self.seatings.items() if not use.users]
        for key in idle[: max(0, len(idle) - kept)]:
            await self.seatings.pop(key).thing.close()

    async def close(self) -> None:
        """Close what no call uses; what one still does is closed by the last, and on a closed loop none does."""
        self.ended = True
        _SHARED.pop(self.loop, None)
        if self.loop.is_closed():
            for use in self.seatings.values():
                use.users = 0
            for used in self.ledgers.values():
                used.users = 0
        await self._close_seatings(0)
        await self.close_ledgers()
        if self.end is not None:
            end, self.end = self.end, None
            await end.aclose()

    async def until_the_end(self) -> AsyncGenerator[None]:
        """Stands still until the loop closes its generators, as it does before it ends."""
        try:
            yield
        finally:
            self.end = None
            await self.close()


_SHARED: Final[dict[asyncio.AbstractEventLoop, _Shared]] = {}
_PARENTS: Final[list[object]] = []


async def _shared_here() -> _Shared:
    loop = asyncio.get_running_loop()
    shared = _SHARED.get(loop)
    if shared is None:
        shared = _SHARED[loop] = _Shared(loop)
        shared.end = shared.until_the_end()
        await anext(shared.end)
        await _close_ended()
    return shared


async def _close_ended() -> None:
    """Close what was kept on loops that were closed without a word; their connections are gone with them."""
    for loop in [one for one in tuple(_SHARED) if one.is_closed()]:
        ended = _SHARED.pop(loop, None)
        if ended is not None:
            await ended.close()


def _place(ledger: str | Path) -> str:
    """By which name calls share a ledger; where the process is makes no difference to a whole path."""
    text = str(ledger)
    return _whole_path(text) if text.startswith("/") else place_of(ledger)


_whole_path: Final = lru_cache(64)(place_of)


def _file_at(place: str) -> tuple[int, int] | None:
    """The file that is a ledger; a database has none."""
    try:
        found = os.stat(place)  # noqa: PTH116 - a Path takes longer than the look, and every call looks
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _certificates(env: Mapping[str, str]) -> tuple[int, int] | None:
    """Which certificates a new set of connections would trust: a file may be written anew under its name."""
    named = env.get("SSL_CERT_FILE") or env.get("REQUESTS_CA_BUNDLE")
    try:
        found = os.stat(named) if named else None  # noqa: PTH116 - as above
    except OSError:
        found = None
    return found and (found.st_ino, found.st_mtime_ns)


def _forked() -> None:
    """Begin anew in a forked child: what the parent uses is kept, untouched, for to let go of it would close it."""
    _PARENTS.extend((dict(_SHARED), dict(_LEDGERS.uses)))
    _SHARED.clear()
    _LEDGERS.uses, _LEDGERS.lock = {}, Lock()


class _AtOnce(ThreadPoolExecutor):
    """Does what it is given where it is given it: no thread can be started any more when the process ends."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done: Future[T] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def close_shared(loop: asyncio.AbstractEventLoop) -> None:
    """Close what is kept on a loop, whether it stands still, runs in another thread or is closed; starts no thread."""
    shared = _SHARED.pop(loop, None)
    if shared is None:
        return
    with suppress(RuntimeError, TimeoutError, QuorateError):
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(_close_at_once(shared), loop).result(PATIENCE)
        elif loop.is_closed():
            asyncio.run(_close_at_once(shared))
        else:
            loop.run_until_complete(_close_at_once(shared))


async def _close_at_once(shared: _Shared) -> None:
    asyncio.get_running_loop().set_default_executor(_AtOnce())
    await shared.close()


def _exit() -> None:
    """Close what is kept on loops that nobody has closed."""
    for loop in tuple(_SHARED):
        close_shared(loop)


os.register_at_fork(after_in_child=_forked)
atexit.register(_exit)
