"""P23: killed at any moment and started again, a server ends all with the same verdict and buys nothing twice."""

from pathlib import Path

import pytest

from tests.web.killed import survive


async def killed(home: Path, points: int, seed: int) -> None:
    found = await survive(home, points, seed)

    asked = len(found.endpoint.seen)
    print(f"seed {seed}: {found.deaths} deaths, {asked} requests, {12 * points} needed, {len(found.recorded)} recorded")  # noqa: T201
    assert found.deaths == points
    assert found.rebought == []
    assert found.verdicts == {"WARN": points}


@pytest.mark.slow
async def test_killed_at_5_points(tmp_path: Path, seed: int) -> None:
    await killed(tmp_path, 5, seed)


@pytest.mark.promise
@pytest.mark.timeout(600)
async def test_killed_at_25_points(tmp_path: Path, seed: int) -> None:
    await killed(tmp_path, 25, seed)


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_killed_at_100_points(tmp_path: Path, seed: int) -> None:
    await killed(tmp_path, 100, seed)
