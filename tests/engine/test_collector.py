"""A process of ours looks for garbage seldom; a program that uses quorate as a library is left alone."""

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from quorate.engine.collector import THRESHOLDS, tuned_collector

LIBRARY = """
import gc
before = gc.get_threshold()
import quorate
from quorate import deliberate
from quorate.engine import collector, runner, shared_runner
assert (gc.get_threshold(), gc.get_freeze_count(), gc.isenabled()) == (before, 0, True)
"""


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("nothing_frozen")
def test_meanwhile_it_is_tuned_and_afterwards_as_it_was() -> None:
    before = gc.get_threshold()
    with tuned_collector():
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 0
        assert gc.isenabled()

    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_what_somebody_else_has_frozen_stays_frozen() -> None:
    gc.freeze()
    with tuned_collector():
        assert gc.get_threshold() == THRESHOLDS

    assert gc.get_freeze_count() > 0


def test_whatever_happens_it_is_put_back() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), tuned_collector():
        raise KeyError

    assert gc.get_threshold() == before


def test_a_library_changes_nothing_about_it() -> None:
    assert subprocess.run([sys.executable, "-c", LIBRARY], check=False).returncode == 0
