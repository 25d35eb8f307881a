"""What workers share beside the ledger: who is alive, whose turn it is, what failed, and how fast providers are asked.

The queue itself is DBOS's, in a schema of its own beside ours. Nothing secret stands in either.
"""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Final, TypeAlias

from quorate.errors import BadSetting, LedgerUnwritable
from quorate.ledger.address import Address

__all__ = ["Connection", "Database", "create_tables", "driver"]

POOL: Final = 4
"""Connections a process has to the queue at most, besides those of its ledger and of DBOS."""
PATIENCE: Final = 10.0
"""Seconds for a connection, and for a statement."""
_LOCK: Final = 0x71756F72
"""Keeps two workers that start at once from creating the same table."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS salt (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    salt bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS workers (
    executor text PRIMARY KEY,
    process text NOT NULL,
    room integer NOT NULL,
    running integer NOT NULL DEFAULT 0,
    draining boolean NOT NULL DEFAULT false,
    seen timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS turns (
    tenant text NOT NULL,
    band integer NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (band, tenant)
);
CREATE INDEX IF NOT EXISTS turns_last ON turns (band, turn);
CREATE TABLE IF NOT EXISTS faults (
    id text PRIMARY KEY,
    why text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS paces (
    line bytea PRIMARY KEY,
    requests double precision NOT NULL,
    tokens double precision NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
"""

Connection: TypeAlias = Any
"""Of asyncpg, which ships no types."""


class Database:
    """A few connections, opened when they are first used; they come back when the server does."""

    def __init__(self, ledger: str) -> None:
        """`ledger` is the address of one in PostgreSQL: its queue is in the same database.

        Raises:
            BadSetting: it is no such address.
        """
        address = Address.of(ledger)
        self.url = address.driver_address
        self.schema = f"{address.schema}_queue"
        """Of the tables below."""
        self.engine_schema = f"{address.schema}_dbos"
        """That DBOS keeps its queue in; one of its own, so that a program of yours that uses DBOS is not met."""
        self._pool: Any = None

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """A connection for a moment.

        Raises:
            BadSetting: what speaks to PostgreSQL is not installed.
            LedgerUnwritable: the server cannot be reached, or has broken off.
        """
        asyncpg = driver()
        try:
            if self._pool is None:
                self._pool = asyncpg.create_pool(
                    self.url,
                    min_size=0,
                    max_size=POOL,
                    timeout=PATIENCE,
                    command_timeout=PATIENCE,
                    server_settings={"search_path": f"{self.schema}, {self.engine_schema}"},
                )
            await self._pool
            async with self._pool.acquire() as connection:
                yield connection
        except (OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError) as wrong:
            raise _away(wrong) from wrong
        except (asyncpg.CannotConnectNowError, asyncpg.AdminShutdownError, asyncpg.CrashShutdownError) as wrong:
            raise _away(wrong) from wrong
        except (asyncpg.InsufficientPrivilegeError, asyncpg.TooManyConnectionsError) as wrong:
            raise LedgerUnwritable(f"the queue in PostgreSQL cannot be used: {wrong}") from wrong

    async def close(self) -> None:
        """Close every connection, whatever became of the server."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()


def _away(wrong: BaseException) -> LedgerUnwritable:
    said = str(wrong).strip() or type(wrong).__name__
    return LedgerUnwritable(f"PostgreSQL cannot be reached, so nothing can be queued: {said}; try again once it is up")


def driver() -> Any:  # noqa: ANN401  a module
    """What speaks to PostgreSQL.

    Raises:
        BadSetting: it is not installed.
    """
    try:
        return import_module("asyncpg")  # an extra
    except ModuleNotFoundError as missing:
        raise BadSetting("a queue of deliberations needs asyncpg; pip install 'quorate[cluster]'") from missing


async def create_tables(database: Database) -> None:
    """Create what is not there yet; for a worker, whose role may do that.

    Raises:
        LedgerUnwritable: it may not, or the server is away.
    """
    async with database.connection() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {database.schema}")
        await connection.execute(_TABLES)
        await connection.execute("INSERT INTO salt (salt) VALUES ($1) ON CONFLICT DO NOTHING", os.urandom(16))
