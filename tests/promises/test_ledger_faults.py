"""Disks that are full, dying or shut. No verdict is told that is not durable, and nothing paid for is lost.

A full disk is RLIMIT_FSIZE in a child, and ENOSPC handed to SQLite or the spool at their n-th write; EIO is handed
to SQLite at its n-th sync through a VFS. Read-only is tested as a user who may not write: root becomes nobody first.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises import troubles
from tests.promises.troubles import OPEN, Trouble

pytestmark = [pytest.mark.promise, pytest.mark.xdist_group("ledger faults")]


@pytest.fixture(scope="module")
def failing_disks(tmp_path_factory: pytest.TempPathFactory) -> list[Trouble]:
    found = troubles.disk(tmp_path_factory.mktemp("disks"), 0)
    told = sum(trouble.verdict for trouble in found)
    print(f"{len(found)} failing disks: a verdict told on {told}, a typed error on {len(found) - told}")  # noqa: T201
    return found


@pytest.fixture(scope="module")
def shut_places() -> Iterator[list[Trouble]]:
    """In a folder that any user can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="quorate-"))
    folder.chmod(0o755)
    yield troubles.places(folder, 0)
    shutil.rmtree(folder)


def test_a_failing_disk_gives_a_verdict_or_one_typed_error_that_helps(failing_disks: list[Trouble]) -> None:
    for trouble in failing_disks:
        assert trouble.how == "by itself", trouble
        assert trouble.verdict != bool(trouble.error), trouble
        assert trouble.error in ("", "LedgerUnwritable"), trouble
        assert bool(trouble.error) == ("ledger.db" in trouble.sentence and "make room" in trouble.sentence), trouble
    assert sum(trouble.verdict for trouble in failing_disks) < len(failing_disks) / 2


def test_no_verdict_and_no_entry_is_told_before_it_is_durable(failing_disks: list[Trouble]) -> None:
    assert [trouble for trouble in failing_disks if trouble.undurable or trouble.verdict > trouble.decided] == []


def test_once_the_disk_is_well_again_resuming_gives_the_same_verdict(failing_disks: list[Trouble]) -> None:
    assert [trouble for trouble in failing_disks if trouble.resumed != "by itself" or not trouble.same] == []


def test_what_reached_the_disk_before_it_failed_is_not_bought_again(failing_disks: list[Trouble]) -> None:
    assert [trouble for trouble in failing_disks if trouble.rebought] == []


def test_where_no_ledger_can_be_kept_nobody_is_asked(shut_places: list[Trouble]) -> None:
    for trouble in shut_places:
        if trouble.name != OPEN:
            assert (trouble.verdict, trouble.requests) == (False, 0), trouble
            assert trouble.error in ("LedgerUnwritable", "LedgerBroken"), trouble
            assert "ledger.db" in trouble.sentence, trouble
            assert "give another" in trouble.sentence, trouble


def test_the_same_user_in_an_open_folder_gets_a_verdict(shut_places: list[Trouble]) -> None:
    """Control: it is the place that stands in the way."""
    assert [trouble.verdict for trouble in shut_places if trouble.name == OPEN] == [True]
