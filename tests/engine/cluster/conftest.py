"""A queue for each test: a database of its own in a real PostgreSQL, copied from one that has all tables."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import asyncpg
import pytest

from quorate.engine.hosts.cluster.queue_tables import Database, create_tables
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from tests.postgres import postgres

__all__ = ["ledger_url", "postgres", "queue"]

TEMPLATE = "queue_template"
NUMBERS = count(1)


def address(postgres: str, name: str) -> str:
    return postgres.replace("/postgres?", f"/{name}?")


async def run_sql(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def template(postgres: str) -> str:
    """A database with every table, made once."""
    from dbos import DBOS

    url = address(postgres, TEMPLATE)
    asyncio.run(run_sql(postgres, f"CREATE DATABASE {TEMPLATE}"))
    database = Database(url)
    DBOS.migrate(url, schema=database.engine_schema)

    async def create() -> None:
        await create_tables(database)
        await database.close()

    asyncio.run(create())
    return TEMPLATE


@pytest.fixture
async def ledger_url(postgres: str, template: str) -> str:
    """The address of an empty ledger beside whose place there is a queue."""
    name = f"ledger{next(NUMBERS)}"
    await run_sql(postgres, f"CREATE DATABASE {name} TEMPLATE {template}")
    return address(postgres, name)


@pytest.fixture
async def queue(ledger_url: str) -> AsyncIterator[WorkQueue]:
    queue = WorkQueue(Database(ledger_url))
    yield queue
    await queue.close()
