"""A client to the wire that every format shares."""

from collections.abc import AsyncIterator

import pytest

from quorate.panelists.http.client import Http


@pytest.fixture
async def client() -> AsyncIterator[Http]:
    async with Http(patience=2) as open_client:
        yield open_client
