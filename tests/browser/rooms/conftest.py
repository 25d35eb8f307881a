"""One server for all tests of a process, with a deliberation of every protocol in its ledger."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.browser.conftest import Opener, Watched
from tests.browser.rooms.provider import Provider, providing
from tests.browser.rooms.serving import Serving, serving

QUESTIONS: Mapping[str, Mapping[str, object]] = {
    "tribunal": {"question": "Should we delete the staging database?"},
    "conference": {"question": "Which queue?", "protocol": "conference", "options": ["Kafka", "PostgreSQL"]},
    "debate": {"question": "Should staging be retired?", "protocol": "debate"},
    "oracle": {"question": "Did it rain in Oslo on Monday?", "panel": "weather"},
    "delphi": {"question": "How many days will the migration take?", "protocol": "delphi"},
    "person": {"question": "Should a person decide?", "protocol": "tribunal", "seats": {"Safety": "person"}},
}


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    """Whoever answers for the seats."""
    with providing() as found:
        yield found


@pytest.fixture(scope="session")
def server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that stays up."""
    started = serving(tmp_path_factory.mktemp("home"), provider.url).start()
    yield started
    started.stop()


@pytest.fixture(scope="session")
def held(server: Serving) -> Mapping[str, str]:
    """By name, a deliberation that has ended, and one that waits for a person."""
    return {name: server.held(**body) for name, body in QUESTIONS.items()}  # type: ignore[arg-type]


@pytest.fixture
def own_server(provider: Provider, tmp_path: Path) -> Iterator[Serving]:
    """A server of the test's own, with nothing in its ledger."""
    started = serving(tmp_path, provider.url).start()
    yield started
    started.stop()


@pytest.fixture
def before_challenges(provider: Provider) -> Iterator[Provider]:
    """Openings are answered, challenges only once `holds_back` is empty."""
    provider.holds_back = "Name the weakest step"
    yield provider
    provider.holds_back = ""


def opened(opener: Opener, server: Serving, view: str = "", **more: int | str) -> Watched:
    """A page that knows the token, at one of its views."""
    seen = opener.page(**more)  # type: ignore[arg-type]
    seen.page.goto(server.page)
    seen.page.get_by_role("heading", level=1).wait_for()
    if view:
        seen.page.goto(f"{server.url}/#/{view}")
    return seen
