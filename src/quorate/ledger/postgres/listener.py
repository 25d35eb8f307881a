"""Hears from the database when there is news of a deliberation."""

import asyncio
from contextlib import suppress
from functools import partial

from quorate.errors import LedgerError
from quorate.ledger.postgres.connections import ANY, Connection, Connections, close
from quorate.ledger.postgres.statements import channel, entries_of

__all__ = ["Listener"]


class Listener:
    """One connection that listens, made when somebody first waits. Lives on the loop of the connections."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._opening = asyncio.Lock()
        self._db: Connection | None = None

    async def wait(self, id_: str, after: int, seconds: float) -> None:
        """Wait until there are more entries than that, or other news of it, for so many seconds at most.

        Where nothing can be heard, the time passes: whoever waits looks again then.
        """
        told = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(id_, set()).add(told)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._listen()
                    if await self._connections.call(partial(entries_of, id_=id_)) <= after:
                        await told
        finally:
            self._waiting[id_].discard(told)
            if not self._waiting[id_]:
                del self._waiting[id_]

    async def _listen(self) -> None:
        with suppress(LedgerError, *ANY):
            async with self._opening:
                if self._db is None or self._db.is_closed():
                    db = await self._connections.open()
                    db.add_termination_listener(self._lost)
                    await db.add_listener(channel(self._connections.address.schema), self._hear)
                    self._db = db

    def _hear(self, _db: object, _process: int, _channel: str, ids: str) -> None:
        for id_ in ids.split():
            self._wake(id_)

    def _lost(self, _db: object) -> None:
        """Something may be missed from now on, so everybody looks."""
        self._db = None
        for id_ in tuple(self._waiting):
            self._wake(id_)

    def _wake(self, id_: str) -> None:
        for told in self._waiting.get(id_, ()):
            if not told.done():
                told.set_result(None)

    async def stop(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            await close(db)
