import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from quorate.settings.process_environment import EnvironmentReader

NAME = "QUORATE_TEST_OF_THE_ENVIRONMENT"


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(NAME, raising=False)
    yield
    os.environ.pop(NAME, None)


def test_it_is_the_same_value_until_a_variable_is_set_changed_or_removed() -> None:
    reader, seen = EnvironmentReader(), []
    for value in (None, None, "one", "one", "two", None):
        os.environ.pop(NAME, None)
        if value is not None:
            os.environ[NAME] = value
        seen.append(reader.read(os.environ))

        assert seen[-1].variables == dict(os.environ)
        assert seen[-1].items == frozenset(os.environ.items())

    assert [one is two for one, two in pairwise(seen)] == [True, False, True, False, False]


def test_a_value_that_is_no_text_is_read_as_python_reads_it() -> None:
    os.environb[NAME.encode()] = b"\xff=\xc3\xa9"

    assert EnvironmentReader().read(os.environ).variables[NAME] == os.environ[NAME] == "\udcff=é"


def test_another_home_is_another_environment(tmp_path: Path) -> None:
    reader = EnvironmentReader()
    before = reader.read(os.environ)
    os.environ["HOME"] = str(tmp_path / "other")

    assert (before.home, reader.read(os.environ).home) == (tmp_path, tmp_path / "other")


def test_without_a_variable_for_it_the_home_is_asked_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    reader = EnvironmentReader()

    assert [reader.read(os.environ).home for _ in range(2)] == [Path.home()] * 2


def test_a_mapping_in_the_place_of_the_environment_is_read_anew() -> None:
    reader, given = EnvironmentReader(), {"HOME": "/a"}
    before = reader.read(given)
    given[NAME] = "one"

    assert (before.variables, reader.read(given).variables) == ({"HOME": "/a"}, given)
