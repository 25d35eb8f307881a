"""The ledger in a real PostgreSQL: what every ledger promises, and what only this one has to."""

from collections.abc import AsyncIterator

import pytest

from quorate.ledger import Ledger, new_id, open_ledger
from tests.ledger.child import child
from tests.ledger.contract import TTL, LedgerContract, Stalled
from tests.ledger.test_sqlite import StoppedOwner
from tests.postgres import postgres, postgres_ledger

__all__ = ["postgres", "postgres_ledger"]


@pytest.fixture
async def ledger(postgres_ledger: str) -> AsyncIterator[Ledger]:
    ledger = open_ledger(postgres_ledger, ttl=TTL)
    yield ledger
    await ledger.close()


class TestPostgres(LedgerContract):
    @pytest.fixture
    async def stalled(self, postgres_ledger: str) -> AsyncIterator[Stalled]:
        async with child(postgres_ledger, ttl=TTL) as process:
            assert await process.tell(f"own {new_id()}") == "ok 0"
            assert await process.tell("write 1") == "ok 1"
            process.stop()
            yield StoppedOwner(process)
