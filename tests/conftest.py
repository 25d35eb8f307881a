"""What holds for every test: a time limit, closed sockets, one seed that replays everything."""

import gc
import signal
import zlib
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

from tests.figures import figure, pytest_addoption, pytest_runtest_logreport, pytest_sessionfinish
from tests.house.tree import PURE
from tests.postgres import postgres, postgres_ledger, postgres_server

__all__ = [
    "figure",
    "postgres",
    "postgres_ledger",
    "postgres_server",
    "pytest_addoption",
    "pytest_runtest_logreport",
    "pytest_sessionfinish",
]

SECONDS = {"slow": 120, "browser": 300, "promise": 600, "long": 0}
"""Time limits by marker; 0 is none. A test without one of these has the minute of pyproject.toml."""

TESTS = Path(__file__).parent

hypothesis.settings.register_profile("quorate", deadline=None, print_blob=True)
hypothesis.settings.register_profile("everyday", hypothesis.settings.get_profile("quorate"), max_examples=25)
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("quorate"), max_examples=400)
hypothesis.settings.load_profile("quorate")


# Whoever starts us in the background may have had Ctrl-C or the hang-up ignored; what we start must not inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis follows the seed of pytest-randomly, unless it was given its own."""
    if config.getoption("--hypothesis-seed") is None:
        hypothesis.core.global_force_seed = config.getoption("randomly_seed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        _limit_time(item)
        if _tests_a_pure_room(item):
            item.add_marker(pytest.mark.disable_socket)


def pytest_collection_finish() -> None:
    """What was loaded for the tests stays; the collector need not look at it again after each of them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.sections.append(("replay", f"pytest '{item.nodeid}' --randomly-seed={_root_seed(item.config)}"))
    return report


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A number for whatever a test draws by chance; it differs per test and replays with --randomly-seed."""
    drawn = zlib.crc32(f"{_root_seed(request.config)} {request.node.nodeid}".encode())
    print(f"seed {drawn}")  # noqa: T201  shown when the test fails
    return drawn


def _root_seed(config: pytest.Config) -> int:
    return int(config.getoption("randomly_seed"))


def _limit_time(item: pytest.Item) -> None:
    if item.get_closest_marker("timeout") is not None:
        return
    limits = [SECONDS[name] for name in SECONDS if item.get_closest_marker(name) is not None]
    if limits:
        item.add_marker(pytest.mark.timeout(0 if 0 in limits else max(limits)))


def _tests_a_pure_room(item: pytest.Item) -> bool:
    parts = item.path.relative_to(TESTS).parts
    return len(parts) > 1 and parts[0] in PURE
