"""P1: kill it anywhere; no recorded answer is bought twice, nothing acknowledged is lost."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.figures import Figure
from tests.promises.killing import Findings, Plan, kill
from tests.promises.lives import PHASES


def killed(points: int, seed: int, folder: Path, **how: Any) -> Findings:  # noqa: ANN401 - as in a plan
    """Kill at so many points; the seed comes from QUORATE_SEED if it is set, and is printed."""
    drawn = int(os.environ.get("QUORATE_SEED") or seed)
    found = kill(Plan(points=points, seed=drawn, folder=str(folder / "runs"), **how))
    print(f"QUORATE_SEED={drawn}\n{found}")  # noqa: T201  the promise states its size
    return found


def kept(found: Findings, points: int, figure: Figure) -> None:
    """The promise, as the provider's bill and the disk after each death show it."""
    figure(
        f"{found.kills:,} kills: of {found.kept:,} answers recorded or spooled {found.rebought} bought again, "
        f"of {found.acked:,} acknowledged entries {found.lost} lost"
    )
    assert found.faults == []
    assert found.points == points
    assert (found.rebought, found.used_rebought, found.lost) == (0, 0, 0)
    assert found.kept > points
    assert [phase for phase in PHASES if not found.phases[phase]] == []


@pytest.mark.promise
def test_killed_at_24_points_on_postgresql_it_buys_nothing_twice_and_loses_nothing(
    tmp_path: Path, seed: int, postgres: str
) -> None:
    """Each has tables of its own, which takes half of its time."""
    found = killed(24, seed, tmp_path, server=postgres)

    assert (found.faults, found.points) == ([], 24)
    assert (found.rebought, found.used_rebought, found.lost) == (0, 0, 0)
    assert found.kept > 24


@pytest.mark.long
def test_kill_at_2000_points_on_postgresql_it_buys_nothing_twice_and_loses_nothing(
    tmp_path: Path, seed: int, postgres: str, figure: Figure
) -> None:
    kept(killed(2000, seed, tmp_path, server=postgres), 2000, figure)


@pytest.mark.promise
def test_killed_at_300_points_it_buys_nothing_twice_and_loses_nothing(
    tmp_path: Path, seed: int, figure: Figure
) -> None:
    found = killed(300, seed, tmp_path)

    kept(found, 300, figure)
    assert len(found.struck) > 0.4 * found.calls  # half of the points are calls, spread over all there are


@pytest.mark.long
def test_kill_at_10000_points_it_buys_nothing_twice_and_loses_nothing(
    tmp_path: Path, seed: int, figure: Figure
) -> None:
    kept(killed(10_000, seed, tmp_path), 10_000, figure)


@pytest.mark.promise
def test_on_a_slow_disk_an_answer_in_use_is_never_bought_again(tmp_path: Path, seed: int) -> None:
    found = killed(30, seed, tmp_path, linger=0.03)

    assert (found.faults, found.rebought, found.used_rebought, found.lost) == ([], 0, 0, 0)


@pytest.mark.promise
def test_without_the_spool_the_same_kills_show_answers_bought_twice(tmp_path: Path, seed: int) -> None:
    """Control: answers are read, used and not committed yet, so the bill must show them again."""
    found = killed(30, seed, tmp_path, spool=False, linger=0.03)

    assert found.used_rebought > 0
    assert found.lost == 0
