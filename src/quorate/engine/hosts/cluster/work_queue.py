"""The queue: deliberations by their id, each once, taken turn by turn for every tenant.

A place in the queue is a number: the tenant's own last one and one more, or that of whoever is first in the queue now,
whichever is later. So ten thousand of one tenant and one of another alternate, and who comes late waits for one turn of
each tenant, not for all that others have brought before.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from quorate.engine.hosts.cluster.queue_tables import Connection, Database, driver
from quorate.errors import NoWorker, UnknownName
from quorate.frozen import dataclass
from quorate.ledger.lease import Owner

__all__ = ["PRIORITIES", "QUEUE", "WORKFLOW", "QueuePlace", "WorkQueue", "no_worker"]

QUEUE: Final = "quorate"
WORKFLOW: Final = "quorate.deliberation"
PRIORITIES: Final = ("high", "normal", "low")
"""Whatever is high goes before all that is normal, and that before all that is low."""
BAND: Final = 1 << 29
"""Turns of one priority; whoever has had so many stays at the last."""
ALIVE: Final = 10.0
"""Seconds for which a worker that is not heard of counts as alive."""

_PLACE: Final = """
SELECT mine.status, coalesce(mine.executor_id, '') AS worker, (
    SELECT count(*) FROM workflow_status
     WHERE queue_name = 'quorate' AND status = 'ENQUEUED'
       AND (priority, created_at) < (mine.priority, mine.created_at)) AS ahead
  FROM workflow_status AS mine WHERE mine.queue_name = 'quorate' AND mine.deduplication_id = $1
"""
_TURN: Final = """
-- Both conditions on the status: so PostgreSQL sees that DBOS's index of what is in flight holds all of it.
WITH now AS (
    SELECT coalesce(
        (SELECT min(priority) - $2 * $3::bigint - 1 FROM workflow_status
          WHERE queue_name = 'quorate' AND status = 'ENQUEUED' AND status IN ('ENQUEUED', 'PENDING')
             AND priority > $2 * $3::bigint AND priority < ($2 + 1) * $3::bigint),
        (SELECT max(turn) FROM turns WHERE band = $2), 0) AS turn
)
INSERT INTO turns AS known (tenant, band, turn) SELECT $1, $2, now.turn + 1 FROM now
ON CONFLICT (band, tenant) DO UPDATE SET turn = least(greatest(known.turn, excluded.turn - 1) + 1, $3::bigint - 1)
RETURNING turn
"""
_ENQUEUE: Final = """
SELECT enqueue_workflow(
    workflow_name => 'quorate.deliberation', queue_name => 'quorate', positional_args => ARRAY[to_json($1::text)],
    workflow_id => $1 || '.' || gen_random_uuid()::text, deduplication_id => $1, priority => $2::int4)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlace:
    """Where a deliberation is: with a worker, or `ahead` of it so many that come first."""

    worker: str = ""
    ahead: int = 0


class WorkQueue:
    """The queue beside a ledger in PostgreSQL, for whoever brings work and for whoever looks."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def close(self) -> None:
        await self.database.close()

    async def put(self, id_: str, *, tenant: str = "", priority: str = "normal") -> None:
        """Queue a deliberation that is on record; if it is queued or with a worker already, nothing changes.

        Raises:
            LedgerUnwritable: the server is away.
            NoWorker: no worker has ever run here, so there is no queue.
            UnknownName: no such priority.
        """
        if priority not in PRIORITIES:
            raise UnknownName("priority", priority, PRIORITIES)
        try:
            async with self.database.connection() as connection, connection.transaction():
                await self._require(connection)
                await connection.execute("DELETE FROM faults WHERE id = $1", id_)
                if not await self._is_active(connection, id_):
                    await self._enqueue(connection, id_, tenant, PRIORITIES.index(priority))
        except driver().UniqueViolationError:
            return  # somebody else queued it at this moment

    async def _enqueue(self, connection: Connection, id_: str, tenant: str, band: int) -> None:
        turn: int = await connection.fetchval(_TURN, tenant, band, BAND)
        await connection.execute(_ENQUEUE, id_, band * BAND + turn)

    async def _is_active(self, connection: Connection, id_: str) -> bool:
        sql = "SELECT true FROM workflow_status WHERE queue_name = 'quorate' AND deduplication_id = $1"
        return bool(await connection.fetchval(sql, id_))

    async def require(self) -> None:
        """See that there is a queue.

        Raises:
            LedgerUnwritable: the server is away.
            NoWorker: no worker has ever run here.
        """
        async with self.database.connection() as connection:
            await self._require(connection)

    async def _require(self, connection: Connection) -> None:
        row = await connection.fetchrow("SELECT to_regclass('turns'), to_regclass('workflow_status')")
        if None in row.values():
            raise NoWorker(no_worker("no worker has run on this ledger yet"))

    async def place(self, id_: str) -> QueuePlace | None:
        """Where a deliberation is in the queue; none if it is not there, or not any more."""
        async with self.database.connection() as connection:
            row = await connection.fetchrow(_PLACE, id_)
        if row is None:
            return None
        return QueuePlace(worker=row["worker"]) if row["status"] == "PENDING" else QueuePlace(ahead=row["ahead"])

    async def absent(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Which of these are neither queued nor with a worker, nor given back with a reason."""
        sql = """
        SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS known (id, place)
         WHERE NOT EXISTS (SELECT FROM workflow_status
                            WHERE queue_name = 'quorate' AND deduplication_id = known.id)
           AND NOT EXISTS (SELECT FROM faults WHERE faults.id = known.id)
         ORDER BY place
        """
        async with self.database.connection() as connection:
            return tuple(row["id"] for row in await connection.fetch(sql, list(ids)))

    async def ended(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Which of these are neither queued nor with a worker any more, and why if a worker could not hold one."""
        sql = """
        SELECT known.id, coalesce(faults.why, '') AS why FROM unnest($1::text[]) AS known (id)
          LEFT JOIN faults ON faults.id = known.id
         WHERE NOT EXISTS (SELECT FROM workflow_status
                            WHERE queue_name = 'quorate' AND deduplication_id = known.id)
        """
        async with self.database.connection() as connection:
            return {row["id"]: row["why"] for row in await connection.fetch(sql, list(ids))}

    async def waiting(self) -> int:
        """How many wait for a worker."""
        sql = "SELECT count(*) FROM workflow_status WHERE queue_name = 'quorate' AND status = 'ENQUEUED'"
        async with self.database.connection() as connection:
            return int(await connection.fetchval(sql))

    async def cancel(self, id_: str) -> None:
        """Take a deliberation out of the queue; a worker that has it lets go within a second or two."""
        sql = """
        UPDATE workflow_status SET status = 'CANCELLED', owner_xid = NULL, deduplication_id = NULL,
               completed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
         WHERE queue_name = 'quorate' AND deduplication_id = $1 AND status IN ('ENQUEUED', 'PENDING')
        """
        async with self.database.connection() as connection:
            await connection.execute(sql, id_)

    async def fault(self, id_: str) -> str:
        """Why the last worker that had it gave it back; empty if none did."""
        async with self.database.connection() as connection:
            sql = "SELECT why FROM faults WHERE id = $1"
            return str(await connection.fetchval(sql, id_) or "")

    async def alive(self) -> tuple[str, ...]:
        """The workers that were heard of a moment ago and whose process is not known to be gone."""
        async with self.database.connection() as connection:
            return await living_workers(connection)


async def living_workers(connection: Connection) -> tuple[str, ...]:
    """The same over a connection; the clock is the server's, so that no other counts."""
    sql = """
    SELECT executor, process FROM workers WHERE seen > clock_timestamp() - make_interval(secs => $1)
    """
    rows: list[Any] = await connection.fetch(sql, ALIVE)
    return tuple(row["executor"] for row in rows if not Owner.from_json(row["process"]).gone)


def no_worker(why: str) -> str:
    """Say that nobody takes deliberations from the queue, and what to do."""
    return f"{why}; start one with: quorate worker --ledger postgresql://…"
