"""The limits that tests/conftest.py sets on every test are really there."""

import random
import socket
from pathlib import Path

import hypothesis
import pytest

from tests import conftest


def test_a_test_has_a_minute_however_busy_the_machine_is(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getini("timeout") == "60"


@pytest.mark.slow
def test_a_slow_test_has_two_minutes(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("timeout").args == (120,)


def test_no_test_leaves_this_machine() -> None:
    with socket.socket() as far, pytest.raises(UserWarning, match="tried to use socket"):
        far.connect(("192.0.2.1", 80))


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as here, socket.create_connection(here.getsockname()) as there:
        assert there.getpeername() == here.getsockname()


def test_pure_rooms_have_no_sockets_at_all(pure_item: pytest.Item) -> None:
    conftest.pytest_collection_modifyitems([pure_item])

    assert pure_item.get_closest_marker("disable_socket") is not None


def test_one_seed_replays_everything(pytestconfig: pytest.Config, seed: int) -> None:
    assert hypothesis.core.global_force_seed == pytestconfig.getoption("randomly_seed")
    assert random.Random(seed).random() == random.Random(seed).random()


@pytest.fixture
def pure_item(request: pytest.FixtureRequest) -> pytest.Item:
    """A test as if it stood in the folder of a pure room."""
    item = Standin.from_parent(request.node.parent, name="sample")
    item.path = Path(conftest.__file__).parent / "rules" / "test_sample.py"
    return item


class Standin(pytest.Item):
    def runtest(self) -> None: ...
