from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.servers import Endpoint
from tests.web.client import Caller, provider, serving


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with provider() as endpoint:
        yield endpoint


@pytest.fixture
async def api(tmp_path: Path, endpoint: Endpoint) -> AsyncIterator[Caller]:
    async with serving(tmp_path, endpoint.url) as caller:
        yield caller
