"""Bringing a deliberation to the queue, and waiting until a worker has it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.engine.hosts.cluster.work_queue import WorkQueue, no_worker
from quorate.errors import NoWorker, OwnerLost, QuorateError
from quorate.ledger import Ledger
from quorate.model import Convened

__all__ = ["Submission", "cancel_queued", "work_queue"]

LOOK: Final = 0.2
"""Seconds between two looks at the queue."""
GRACE: Final = 5.0
"""Seconds without any worker after which whoever waits is told: one may be starting again at this moment."""
LETTING_GO: Final = 15.0
"""Seconds for a worker to let go of what was cancelled."""


@asynccontextmanager
async def work_queue(ledger: str) -> AsyncGenerator[WorkQueue]:
    """The queue beside a ledger, for a moment."""
    queue = WorkQueue(Database(ledger))
    try:
        yield queue
    finally:
        await queue.close()


class Submission:
    """Brings deliberations to one queue for one tenant, at one priority."""

    def __init__(self, ledger: Ledger, queue: WorkQueue, *, tenant: str = "", priority: str = "normal") -> None:
        self._ledger = ledger
        self._queue = queue
        self._tenant = tenant
        self._priority = priority

    async def submit(self, id_: str, convened: Convened) -> str:
        """Record a new deliberation and queue it; a sentence for the user if no worker is there to take it.

        It is claimed before it is recorded, so that workers queue it themselves should this process die in between.

        Raises:
            LedgerError: it cannot be recorded or queued.
            NoWorker: there is no queue yet; nothing was recorded.
        """
        await self._queue.require()
        await self._ledger.claim(f"queued {id_}", id_)
        async with self._ledger.own(id_, fresh=True) as book:
            book.write(convened)
        await self.put(id_)
        return "" if await self._queue.alive() else no_worker("no worker is running, so it waits in the queue")

    async def put(self, id_: str) -> None:
        """Queue what is on record.

        Raises:
            LedgerUnwritable: the server is away.
            NoWorker: there is no queue.
        """
        await self._queue.put(id_, tenant=self._tenant, priority=self._priority)

    async def start(self, id_: str) -> None:
        """Queue what nobody holds, and wait until a worker has it or is done with it.

        Raises:
            LedgerError: it cannot be queued.
            NoWorker: there is nobody to take it.
            QuorateError: the worker that had it could not hold it; the sentence is its own.
        """
        await self.put(id_)
        clock = asyncio.get_running_loop().time
        seen = clock()
        while (place := await self._queue.place(id_)) is not None:
            if place.worker and await self._ledger.owner(id_) is not None:
                return
            if await self._queue.alive():
                seen = clock()
            elif clock() - seen > GRACE:
                raise NoWorker(no_worker(f"{id_} waits in the queue and no worker is running"))
            await asyncio.sleep(LOOK)
        if why := await self._queue.fault(id_):
            raise QuorateError(f"a worker could not hold {id_}: {why}")


async def cancel_queued(ledger: Ledger, queue: WorkQueue, id_: str) -> None:
    """Take a deliberation out of the queue and from the worker that has it.

    Raises:
        OwnerLost: whoever has it does not let go.
    """
    await queue.cancel(id_)
    try:
        async with asyncio.timeout(LETTING_GO):
            while await ledger.owner(id_) is not None:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(LOOK)
    except TimeoutError:
        raise OwnerLost(f"whoever holds {id_} was told to stop and still holds it; cancel it again") from None
