"""P1 with workers: kill workers, PostgreSQL and whoever brings work; nothing is bought twice, nothing is lost."""

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.promises.worker_killing import Findings, Plan, kill


@pytest.fixture
def short_path() -> Generator[Path]:
    """A folder that the server's own user can get into, with a name short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="quorate-kill-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def killed(kills: int, seed: int, folder: Path, *, spool: bool = True, takes_over: bool = True) -> Findings:
    """Kill so often; the seed comes from QUORATE_SEED if it is set, and is printed."""
    drawn = int(os.environ.get("QUORATE_SEED") or seed)
    end = 300.0 if takes_over else 20.0
    found = kill(Plan(kills=kills, seed=drawn, folder=str(folder), spool=spool, takes_over=takes_over, end=end))
    print(f"QUORATE_SEED={drawn}\n{found}")  # noqa: T201  the promise states its size
    return found


def kept(found: Findings, kills: int) -> None:
    """The promise, as the provider's bill and the ledger show it."""
    assert found.faults == []
    assert sum(found.kills.values()) == kills
    assert {*found.kills} == {"worker", "enqueuing", "postgres"}
    assert (found.missing, found.undecided) == ([], [])
    assert found.decided == found.recorded >= found.acknowledged > 0
    assert (found.bought_again, found.used_and_bought_again) == (0, 0)


@pytest.mark.promise
def test_28_kills_of_workers_database_and_enqueuing_processes_lose_nothing(short_path: Path, seed: int) -> None:
    kept(killed(28, seed, short_path), 28)


@pytest.mark.long
def test_kill_1000_workers_databases_and_enqueuing_processes_lose_nothing(short_path: Path, seed: int) -> None:
    found = killed(1000, seed, short_path)

    kept(found, 1000)
    assert found.lost_in_flight > 100  # so many were really in the middle of something


@pytest.mark.long
def test_kill_without_taking_over_the_same_kills_leave_deliberations_undecided(short_path: Path, seed: int) -> None:
    """Control: a worker that never looks who has died."""
    found = killed(14, seed, short_path, takes_over=False)

    assert found.undecided != []
    assert found.bought_again == 0


@pytest.mark.promise
def test_without_the_spool_answers_in_use_are_bought_again(short_path: Path, seed: int) -> None:
    """Control: answers are read and used before they are committed, so the bill must show some of them again."""
    found = killed(14, seed, short_path, spool=False)

    assert found.used_and_bought_again > 0
