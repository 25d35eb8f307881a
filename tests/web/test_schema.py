"""The API keeps to its own document, whatever is sent: no failure of ours and no reply that is not declared."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from quorate.doors.web.app import operations
from quorate.doors.web.operation import openapi_document
from tests.web.client import QUESTION, TOKEN, provider, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
DOCUMENT = openapi_document(operations())
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
"""Read once: that takes longer than the requests do."""
ROUTES = [(path, method.upper()) for path, methods in DOCUMENT["paths"].items() for method in methods]
EVERYDAY = 25
"""Requests drawn for each route."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread of its own, with one deliberation that has ended."""
    ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = Thread(target=lambda: asyncio.run(served(tmp_path_factory.mktemp("api"), ready)), daemon=True)
    thread.start()
    address, loop, stop = ready.result(30)
    yield address
    loop.call_soon_threadsafe(stop.set)
    thread.join(30)


async def served(home: Path, ready: "Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    stop = asyncio.Event()
    async with provider() as endpoint, serving(home, endpoint.url) as api:
        await api.ended(await api.start(QUESTION))
        ready.set_result((api.server.address, asyncio.get_running_loop(), stop))
        await stop.wait()


def test_the_document_is_one_that_the_standard_allows() -> None:
    assert sum(1 for _ in SCHEMA.get_all_operations()) == len(operations())


@pytest.mark.promise
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_whatever_is_sent_is_answered_as_the_document_says(address: str, path: str, method: str) -> None:
    operation = SCHEMA[path][method]

    @settings(
        max_examples=EVERYDAY,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
        database=None,
    )
    @given(operation.as_strategy())
    def run(case: Any) -> None:  # noqa: ANN401 - schemathesis' own
        response = case.call(base_url=address, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
        case.validate_response(response, checks=CHECKS)

    run()
