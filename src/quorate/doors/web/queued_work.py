"""What this server has brought to the queue, and one look at it for all of it."""

import asyncio
from collections.abc import Awaitable, Callable

from quorate.errors import QuorateError
from quorate.ledger import Ledger
from quorate.model import Convened
from quorate.service.option_table import PRIORITY, TENANT
from quorate.service.own_settings import Settings
from quorate.service.workers import Database, Submission, WorkQueue, cancel_queued

__all__ = ["QueuedWork"]


class QueuedWork:
    """A queue as one person's part of this server uses it; its user is the tenant."""

    def __init__(self, ledger: Ledger, queue: WorkQueue, *, tenant: str, priority: str) -> None:
        self._ledger = ledger
        self._queue = queue
        self._submission = Submission(ledger, queue, tenant=tenant, priority=priority)
        self._ends: dict[str, asyncio.Future[str]] = {}
        """What somebody waits for, each with why a worker could not hold it, or nothing."""

    @classmethod
    def of(cls, ledger: Ledger, place: str, user: str, resolved: Settings) -> "QueuedWork":
        """The queue beside a ledger in PostgreSQL."""
        queue = WorkQueue(Database(place))
        return cls(ledger, queue, tenant=user or resolved[TENANT], priority=resolved[PRIORITY])

    async def close(self) -> None:
        await self._queue.close()

    async def submit(self, id_: str, convened: Convened) -> str:
        """Record a new deliberation and queue it; a sentence if no worker is there to take it.

        Raises:
            QuorateError: it cannot be recorded or queued.
        """
        return await self._submission.submit(id_, convened)

    async def put(self, id_: str) -> None:
        """Queue what is on record.

        Raises:
            QuorateError: it cannot be queued.
        """
        await self._submission.put(id_)

    async def cancel(self, id_: str) -> None:
        """Take it out of the queue and from the worker that has it.

        Raises:
            OwnerLost: whoever has it does not let go.
        """
        await cancel_queued(self._ledger, self._queue, id_)

    async def ended(self, id_: str) -> None:
        """Wait until workers are done with it.

        Raises:
            QuorateError: one could not hold it; the sentence is its own.
        """
        end = self._ends.setdefault(id_, asyncio.get_running_loop().create_future())
        why = await asyncio.shield(end)
        if why:
            raise QuorateError(f"a worker could not hold {id_}: {why}")

    async def look(self, refresh: Callable[[str], Awaitable[None]]) -> None:
        """See what workers are done with; whoever waits for it first sees all that was written."""
        for id_, why in (await self._queue.ended(tuple(self._ends))).items() if self._ends else ():
            await refresh(id_)
            end = self._ends.pop(id_)
            if not end.done():
                end.set_result(why)
