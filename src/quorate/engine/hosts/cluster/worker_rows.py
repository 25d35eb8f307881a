"""What a worker writes about itself and others: that it lives, what it gives back, what it takes over from the dead."""

from collections.abc import Sequence
from typing import Final

from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.engine.hosts.cluster.work_queue import living_workers

__all__ = ["WorkerRow"]

KEPT: Final = 600.0
"""Seconds for which DBOS keeps a line of what has ended; the record itself is in the ledger for good."""
STRAY: Final = 5.0
"""Seconds after which DBOS has begun what it has taken, or never will."""
SWEPT: Final = 5000
"""Lines that are removed at once."""


class WorkerRow:
    """One worker's line among the workers."""

    def __init__(self, database: Database, executor: str, process: str, room: int) -> None:
        self._database = database
        self._executor = executor
        self._process = process
        self._room = room

    async def beat(self, running: int, *, draining: bool) -> None:
        """Say that this worker lives."""
        sql = """
        INSERT INTO workers (executor, process, room, running, draining) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (executor) DO UPDATE SET running = $4, draining = $5, seen = clock_timestamp()
        """
        async with self._database.connection() as connection, connection.transaction():
            # What is lost with a crash of the server is written again a second later.
            await connection.execute("SET LOCAL synchronous_commit = off")
            await connection.execute(sql, self._executor, self._process, self._room, running, draining)

    async def leave(self) -> int:
        """Give back what this worker still has and strike its line; how many were given back."""
        async with self._database.connection() as connection, connection.transaction():
            given: str = await connection.execute(_RELEASE, [self._executor])
            await connection.execute("DELETE FROM workers WHERE executor = $1", self._executor)
        return _count(given)

    async def take_over(self) -> int:
        """Queue again what dead workers had: by their name, so that what somebody took meanwhile stays there."""
        sql = """
        SELECT DISTINCT executor_id FROM workflow_status
         WHERE queue_name = 'quorate' AND status = 'PENDING' AND executor_id <> ALL ($1)
        """
        async with self._database.connection() as connection, connection.transaction():
            alive = {*await living_workers(connection), self._executor}
            dead = [row["executor_id"] for row in await connection.fetch(sql, list(alive))]
            if not dead:
                return 0
            released: str = await connection.execute(_RELEASE, dead)
            await connection.execute("DELETE FROM workers WHERE executor = ANY ($1)", dead)
        return _count(released)

    async def release_strays(self, names: Sequence[str]) -> int:
        """Queue again what is this worker's by its line, and is none of the `names` that it knows of.

        When the server dies in the moment in which DBOS takes lines, they may be taken and DBOS not know of it.
        """
        async with self._database.connection() as connection:
            released: str = await connection.execute(_RELEASE_STRAYS, self._executor, STRAY * 1000, list(names))
        return _count(released)

    async def cancelled(self, workflows: Sequence[str]) -> tuple[str, ...]:
        """Which of these somebody has taken out of the queue."""
        sql = """
        SELECT workflow_uuid FROM workflow_status WHERE workflow_uuid = ANY ($1) AND status = 'CANCELLED'
        """
        async with self._database.connection() as connection:
            return tuple(row["workflow_uuid"] for row in await connection.fetch(sql, list(workflows)))

    async def fail(self, id_: str, why: str) -> None:
        """Keep why a deliberation could not be held here, for whoever waits for it."""
        sql = """
        INSERT INTO faults (id, why) VALUES ($1, $2)
        ON CONFLICT (id) DO UPDATE SET why = $2, at = clock_timestamp()
        """
        async with self._database.connection() as connection:
            await connection.execute(sql, id_, why)

    async def sweep(self) -> int:
        """Remove old lines of what has ended, and workers that were not heard of for long."""
        sql = """
        DELETE FROM workflow_status WHERE workflow_uuid IN (
            SELECT workflow_uuid FROM workflow_status
             WHERE queue_name = 'quorate' AND status IN ('SUCCESS', 'ERROR', 'CANCELLED')
               AND completed_at < (extract(epoch FROM clock_timestamp()) - $1) * 1000 LIMIT $2)
        """
        async with self._database.connection() as connection:
            removed: str = await connection.execute(sql, KEPT, SWEPT)
        return _count(removed)


_RELEASE: Final = """
UPDATE workflow_status SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL,
       updated_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
 WHERE queue_name = 'quorate' AND status = 'PENDING' AND executor_id = ANY ($1)
"""

_RELEASE_STRAYS: Final = """
UPDATE workflow_status SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL,
       updated_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
 WHERE queue_name = 'quorate' AND status = 'PENDING' AND executor_id = $1
   AND started_at_epoch_ms < extract(epoch FROM clock_timestamp()) * 1000 - $2::float8 AND workflow_uuid <> ALL ($3)
"""


def _count(told: str) -> int:
    """How many lines a statement changed, as PostgreSQL says it: `UPDATE 3`."""
    return int(told.rpartition(" ")[2])
