"""P8, across crashes: it never spends more than you allowed, however often it dies."""

import os
from pathlib import Path

import pytest

from tests.promises import troubles
from tests.promises.troubles import Spending


def spent(folder: Path, seed: int, manner: str) -> list[Spending]:
    drawn = int(os.environ.get("QUORATE_SEED") or seed)
    found = troubles.budget(folder, drawn, manner)
    over = max(history.requests - history.cap for history in found)
    kills, flying = (sum(getattr(history, name) for history in found) for name in ("kills", "in_flight"))
    told = f"{len(found)} histories, {kills} kills, {flying} in flight, at most {over} over the cap"
    print(f"QUORATE_SEED={drawn}: {told}")  # noqa: T201  the promise states its size
    assert kills > len(found) / 4
    assert [history for history in found if history.error or not history.finished] == []
    return found


@pytest.mark.promise
@pytest.mark.parametrize("manner", ["plain", "choosy", "crowded"])
def test_a_call_in_flight_at_a_crash_stays_reserved_so_the_cap_holds(tmp_path: Path, seed: int, manner: str) -> None:
    """Also where an endpoint declines what every process sends it first, and where each ask is turned away once."""
    found = spent(tmp_path, seed, manner)

    assert [history for history in found if history.requests > history.cap] == []


@pytest.mark.promise
def test_where_every_call_is_billed_twice_crashes_add_what_was_in_flight_at_most(tmp_path: Path, seed: int) -> None:
    found = spent(tmp_path, seed, "gateway")

    assert [history for history in found if history.requests > history.cap + history.in_flight] == []
