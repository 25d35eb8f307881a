"""What calls that run at once share: one ledger for a path in a process, one set of connections on an event loop.

Each call for itself would open files, a writer and connections of its own: many at once run out of files and keep each
other out of the database. The last to leave closes what was shared, so that nothing is open between calls: a loop may
end, a process may fork or end, and a ledger may be moved.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from quorate.engine.runner import Runner, seating_of
from quorate.engine.seating import Seating
from quorate.ledger import Ledger, open_ledger
from quorate.settings.consent import Consent
from quorate.settings.provider_settings import ProviderLimits

__all__ = ["RunnerSettings", "shared_runner"]

Shared = TypeVar("Shared")

MEMORY: Final = ":memory:"


@dataclass(slots=True)
class _Use:
    """A thing in use, and by how many."""

    thing: Any
    users: int = 0


@dataclass(slots=True)
class _Shelf:
    """Things in use, by what they are for; each is closed by the last who uses it."""

    uses: dict[Hashable, _Use] = field(default_factory=dict[Hashable, _Use])
    lock: Lock = field(default_factory=Lock)

    @asynccontextmanager
    async def use(
        self, key: Hashable, make: Callable[[], Shared], close: Callable[[Shared], Awaitable[object]]
    ) -> AsyncGenerator[Shared]:
        """The thing that is in use under a key, or a new one."""
        with self.lock:
            use = self.uses.get(key)
            if use is None:
                use = self.uses[key] = _Use(make())
            use.users += 1
        try:
            yield use.thing
        finally:
            with self.lock:
                use.users -= 1
                last = not use.users
                if last and self.uses.get(key) is use:
                    del self.uses[key]
            if last:
                await close(use.thing)


_LEDGERS: Final = _Shelf()
_SEATINGS: Final = _Shelf()
_PARENTS: Final[list[_Use]] = []


def _forked() -> None:
    """Begin anew in a forked child: what the parent uses is kept, untouched, for to let go of it would close it."""
    for shelf in (_LEDGERS, _SEATINGS):
        _PARENTS.extend(shelf.uses.values())
        shelf.uses, shelf.lock = {}, Lock()


os.register_at_fork(after_in_child=_forked)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSettings:
    """How a call is held: asks in flight over all calls at once, how providers are treated, what a record may do."""

    concurrency: int
    provider_limits: ProviderLimits
    consent: Consent | None = None


@asynccontextmanager
async def shared_runner(
    ledger: str | Path | Ledger, env: Mapping[str, str], terms: RunnerSettings, id_: str = ""
) -> AsyncGenerator[Runner]:
    """A runner for one call; for a record, by its id, with the keys that were allowed when it was begun."""
    async with AsyncExitStack() as open_:
        place, kept = await _opened(open_, ledger)
        if id_ and terms.consent:
            env = terms.consent.environment(id_, [entry.event for entry in await kept.read(id_)])
        settings = (asyncio.get_running_loop(), place, frozenset(env.items()), terms.concurrency, terms.provider_limits)
        make = partial(seating_of, kept, env=env, concurrency=terms.concurrency, provider_limits=terms.provider_limits)
        seating = await open_.enter_async_context(_SEATINGS.use(settings, make, Seating.close))
        yield Runner(kept, env=env, seating=seating, consent=terms.consent)


def _place(ledger: str | Path) -> Path:
    """Where it lies, wherever the process moves meanwhile."""
    return Path(ledger).absolute()


async def _opened(open_: AsyncExitStack, ledger: str | Path | Ledger) -> tuple[Hashable, Ledger]:
    """A ledger, and what calls that share one have in common; in memory each call has its own, gone when it ends."""
    if not isinstance(ledger, str | Path):
        return id(ledger), ledger
    if str(ledger) == MEMORY:
        return MEMORY, open_ledger(MEMORY)
    path = _place(ledger)
    return path, await open_.enter_async_context(_LEDGERS.use(path, partial(open_ledger, path), _close))


async def _close(ledger: Ledger) -> None:
    await ledger.close()
