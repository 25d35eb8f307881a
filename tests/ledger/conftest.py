"""A ledger in a file, new for each test; a file of tests may have one of another kind."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate.ledger import Ledger, open_ledger
from tests.ledger.contract import TTL


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "ledger.db"


@pytest.fixture
async def ledger(path: Path) -> AsyncIterator[Ledger]:
    ledger = open_ledger(path, ttl=TTL)
    yield ledger
    await ledger.close()
