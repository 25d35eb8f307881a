"""Many deliberations at once: those that find no file free wait, and none fails because of the others."""

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.server import serving
from quorate import deliberate, deliberate_now
from quorate.engine.shared_runner import RunnerSettings, shared_runner
from quorate.ledger import open_ledger
from quorate.settings.provider_settings import ProviderLimits
from tests.doors.crowd import Crowd, gathered


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(0.005) as address:
        yield address


def crowd(tmp_path: Path, url: str, many: int, files: int, by: str = "calls") -> Crowd:
    return Crowd(many=many, files=files, ledger=str(tmp_path / "ledger.db"), url=url, by=by)


async def recorded(path: Path) -> int:
    ledger = open_ledger(path)
    try:
        return len([summary async for summary in ledger.list() if summary.state == "decided"])
    finally:
        await ledger.close()


@pytest.mark.promise
@pytest.mark.parametrize("by", ["calls", "runner"])
async def test_300_at_once_are_held_by_a_process_that_may_open_128_files(tmp_path: Path, url: str, by: str) -> None:
    assert gathered(crowd(tmp_path, url, 300, 128, by)) == [{"decided": 300}]
    assert await recorded(tmp_path / "ledger.db") == 300


@pytest.mark.promise
def test_a_shortage_of_files_is_waited_for_and_silences_nobody(tmp_path: Path, url: str) -> None:
    assert gathered(crowd(tmp_path, url, 80, 32)) == [{"decided": 80}]


@pytest.mark.promise
async def test_two_processes_share_a_ledger(tmp_path: Path, url: str) -> None:
    one = crowd(tmp_path, url, 60, 128)

    assert gathered(one, one) == [{"decided": 60}] * 2
    assert await recorded(tmp_path / "ledger.db") == 120


@pytest.mark.long
@pytest.mark.parametrize("by", ["calls", "runner"])
def test_2000_at_once_are_held_by_a_process_that_may_open_1024_files(tmp_path: Path, url: str, by: str) -> None:
    assert gathered(crowd(tmp_path, url, 2000, 1024, by)) == [{"decided": 2000}]


@pytest.mark.long
def test_two_processes_with_200_each_share_a_ledger(tmp_path: Path, url: str) -> None:
    one = crowd(tmp_path, url, 200, 1024)

    assert gathered(one, one) == [{"decided": 200}] * 2


def open_files() -> set[str]:
    """What this process has open that is no library, pipe or socket of somebody else's."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))  # noqa: PTH208
    return {os.readlink(link) for link in links if link.is_symlink()}  # noqa: PTH115


THREE = RunnerSettings(concurrency=3, provider_limits=ProviderLimits())


async def many(path: Path | str, count: int = 5) -> None:
    held = await asyncio.gather(*(deliberate("Ship it?", panel="demo", ledger=path) for _ in range(count)))
    assert [one.state for one in held] == ["decided"] * count


@pytest.mark.parametrize("where", ["ledger.db", ":memory:"])
async def test_calls_at_once_share_one_set_of_connections(tmp_path: Path, where: str) -> None:
    place = where if where == ":memory:" else tmp_path / where
    async with (
        shared_runner(place, {}, THREE) as one,
        shared_runner(place, {}, THREE) as other,
        shared_runner(place, {"OPENAI_API_KEY": "another"}, THREE) as stranger,
    ):
        assert one._seating is other._seating  # noqa: SLF001
        assert one._seating is not stranger._seating  # noqa: SLF001


def test_nothing_stays_open_after_the_last_call_however_often_a_loop_is_run(tmp_path: Path) -> None:
    path = tmp_path / "closed_each_time.db"
    for _ in range(3):
        asyncio.run(many(path))
        assert not [name for name in open_files() if str(tmp_path) in name]
        assert [each.name for each in threading.enumerate() if path.name in each.name] == []

    path.unlink()
    asyncio.run(many(path, 2))
    assert asyncio.run(recorded(path)) == 2


def test_loops_in_several_threads_share_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    threads = [threading.Thread(target=asyncio.run, args=(many(path, 3),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert asyncio.run(recorded(path)) == 12


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
async def test_a_child_forked_in_the_middle_holds_its_own(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    async with shared_runner(path, {}, RunnerSettings(concurrency=1, provider_limits=ProviderLimits())):
        await deliberate("Ship it?", panel="demo", ledger=path)
        child = os.fork()
        if child == 0:
            os._exit(_held_in_the_child(path))
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        await deliberate("Ship it?", panel="demo", ledger=path)

    assert os.waitstatus_to_exitcode(status) == 0
    assert await recorded(path) == 3


def _held_in_the_child(path: Path) -> int:
    return int(deliberate_now("Ship it?", panel="demo", ledger=path).state != "decided")
