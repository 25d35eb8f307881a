"""A batch is killed and gone on with, again and again: every question has one result, and nothing is decided twice."""

from pathlib import Path

import pytest

from benchmarks.batch import BatchPlan, BatchRun, kill_batch
from benchmarks.server import serving


def killed(plan: BatchPlan, folder: Path) -> BatchRun:
    with serving(0.001) as address:
        return kill_batch(plan, folder, address)


@pytest.mark.promise
@pytest.mark.timeout(300)
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_five_times_a_batch_has_every_result_once(workers: int, tmp_path: Path) -> None:
    run = killed(BatchPlan(questions=150, kills=5, workers=workers), tmp_path)

    assert (run.kills, run.results, run.missing, run.repeated, run.wrong) == (5, 150, 0, 0, 0)
    assert run.deliberations == 150
    assert run.resent <= run.kills * workers * 64  # what was on the wire, and nothing that was recorded


@pytest.mark.promise
@pytest.mark.timeout(300)
def test_without_the_ledger_the_same_kills_show_questions_decided_again(tmp_path: Path) -> None:
    """Control: what the results do not show yet is known by the ledger alone, so losing it must show in the count."""
    run = killed(BatchPlan(questions=60, kills=3, fresh=True), tmp_path)

    assert (run.results, run.missing, run.repeated) == (60, 0, 0)
    assert run.deliberations < 60
