"""What calls share and keep: found again by the next one, and closed when a loop or the process ends."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from benchmarks.server import serving
from quorate import QuorateError, deliberate, deliberate_now
from quorate.engine import shared_runner as shared
from quorate.engine.seating import Seating
from quorate.ledger import open_ledger
from quorate.ledger.export import export
from quorate.settings.provider_settings import ProviderLimits
from tests.servers import MARK, Endpoint

BALLOT = f'BALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "fine"}}'
TERMS = shared.RunnerSettings(concurrency=3, provider_limits=ProviderLimits())


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(0.002) as address:
        yield address


async def seating(path: Path, env: dict[str, str] | None = None) -> Seating:
    async with shared.shared_runner(path, env or {}, TERMS) as runner:
        return runner._seating  # noqa: SLF001


def writers(path: Path) -> int:
    """Threads that write to the ledger there."""
    return sum(path.name in each.name for each in threading.enumerate())


def folder_of(path: Path) -> list[Path]:
    """The files of a ledger."""
    return [file for file in path.parent.iterdir() if file.is_file() and file.name.startswith(path.name)]


def put_away(file: Path, how: str) -> None:
    if how == "moved":
        file.rename(file.with_name(f"aside-{file.name}"))
    else:
        file.unlink()


async def write_export(path: Path, id_: str, file: Path) -> None:
    ledger = open_ledger(path)
    lines = await export(ledger, id_)
    await ledger.close()
    await asyncio.to_thread(file.write_bytes, b"".join(lines))


@pytest.mark.slow
@pytest.mark.parametrize("many", [60, pytest.param(200, marks=pytest.mark.promise)])
async def test_many_at_once_under_one_loop_all_succeed_on_one_set_of_connections(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.chdir(tmp_path)

    held = await asyncio.gather(
        *(deliberate(f"Ship {one}?", model=f"openai:mock@{url}", ledger="batch.db") for one in range(many))
    )

    assert [one.state for one in held] == ["decided"] * many
    assert len(shared._SHARED[asyncio.get_running_loop()].seatings) == 1  # noqa: SLF001
    assert writers(tmp_path / "batch.db") == 1


async def test_a_batch_with_gaps_never_keeps_itself_out_of_its_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Again and again the last one leaves and closes the ledger while the next one comes."""
    monkeypatch.setattr(shared, "QUIET", 0.0)

    async def calls(number: int) -> list[str]:
        await asyncio.sleep(number / 500)
        return [(await deliberate("Ship?", panel="demo", ledger=tmp_path / "l.db")).state for _ in range(5)]

    assert await asyncio.gather(*map(calls, range(20))) == [["decided"] * 5] * 20


async def test_the_next_call_finds_the_connections_of_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "l.db"

    assert await seating(path) is await seating(path)
    assert await seating(path) is not await seating(tmp_path / "other.db")
    assert await seating(path) is not await seating(path, {"OPENAI_API_KEY": "another"})


async def test_certificates_written_anew_are_read_anew(tmp_path: Path) -> None:
    path, file = tmp_path / "l.db", tmp_path / "trusted.pem"
    file.write_text("one", encoding="utf-8")
    env = {"SSL_CERT_FILE": str(file)}
    before = await seating(path, env)
    file.write_text("other", encoding="utf-8")
    os.utime(file, ns=(1, 1))

    assert await seating(path, env) is not before


async def test_a_key_that_changes_between_two_calls_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Endpoint(otherwise=BALLOT) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("QUORATE_ALLOW_KEYS", "openai@127.0.0.1")
        for key in ("before", "after"):
            monkeypatch.setenv("OPENAI_API_KEY", f"sk-{key}")
            await deliberate("Ship it?", model="openai:mock", ledger=tmp_path / "l.db")
        sent = [seen.headers["authorization"] for seen in endpoint.seen]

    assert list(dict.fromkeys(sent)) == ["Bearer sk-before", "Bearer sk-after"]


async def test_a_recording_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    path, file = tmp_path / "l.db", tmp_path / "said.jsonl"
    outcomes = []
    for word in ("ACT", "REFUSE"):
        async with Endpoint(otherwise=BALLOT.replace("ACT", word)) as endpoint:
            held = await deliberate("Ship it?", model=f"openai:mock@{endpoint.url}", ledger=path)
        await write_export(path, held.id, file)
        again = await deliberate("Ship it?", model=f"recording:{file}", ledger=path)
        outcomes.append(again.verdict and again.verdict.outcome)

    assert outcomes == ["ACT", "REFUSE"]


async def test_only_so_many_sets_of_connections_are_kept(tmp_path: Path) -> None:
    for number in range(shared.KEPT + 5):
        await seating(tmp_path / "l.db", {"KEY": str(number)})

    assert len(shared._SHARED[asyncio.get_running_loop()].seatings) == shared.KEPT  # noqa: SLF001


async def test_a_quiet_ledger_is_closed_and_its_file_lies_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "QUIET", 0.05)
    path = tmp_path / "quiet.db"
    await deliberate("Ship it?", panel="demo", ledger=path)
    assert writers(path) == 1
    for thread in [each for each in threading.enumerate() if path.name in each.name]:
        await asyncio.to_thread(thread.join)

    assert [file.name for file in folder_of(path)] == [path.name]
    assert (await deliberate("Ship it?", panel="demo", ledger=path)).state == "decided"


@pytest.mark.parametrize("how", ["moved", "removed"])
async def test_a_ledger_that_is_gone_between_two_calls_is_begun_anew(tmp_path: Path, how: str) -> None:
    path = tmp_path / "l.db"
    await deliberate("Ship it?", panel="demo", ledger=path)
    for file in folder_of(path):
        put_away(file, how)
    held = await deliberate("Ship it?", panel="demo", ledger=path)

    ledger = open_ledger(path)
    assert [summary.id async for summary in ledger.list()] == [held.id]
    await ledger.close()


def test_two_loops_have_their_own_connections_and_one_ledger(tmp_path: Path) -> None:
    path, meet = tmp_path / "two.db", threading.Barrier(2)
    seen: list[tuple[object, object]] = []

    async def held() -> None:
        async with shared.shared_runner(path, {}, TERMS) as runner:
            seen.append((runner._seating, runner.ledger))  # noqa: SLF001
            await asyncio.to_thread(meet.wait)
            await deliberate("Ship it?", panel="demo", ledger=path)

    threads = [threading.Thread(target=asyncio.run, args=(held(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen[0][0] is not seen[1][0]
    assert seen[0][1] is seen[1][1]
    assert writers(path) == 0


async def test_what_fails_to_open_is_not_kept(tmp_path: Path) -> None:
    limits = shared.RunnerSettings(concurrency=1, provider_limits=ProviderLimits(cache=str(tmp_path / "none" / "c")))
    async with AsyncExitStack() as open_:
        with pytest.raises(QuorateError, match="cache"):
            await open_.enter_async_context(shared.shared_runner(tmp_path / "l.db", {}, limits))

    assert not shared._SHARED[asyncio.get_running_loop()].seatings  # noqa: SLF001


PROGRAMS = {
    "runs after one another": "for _ in range(3):\n    asyncio.run(call())\n    assert not left(), left()",
    "a cancelled one": "asyncio.run(cancelled())\nassert not left(), left()",
    "runs that end while a quiet ledger is being closed": "for more in range(8):\n    asyncio.run(late(more / 1000))\n"
    "    assert not left(), left()",
    "plain calls": "for _ in range(3):\n    now()\n    assert not left(), left()",
    "plain calls in threads": "with ThreadPoolExecutor(4) as pool:\n    list(pool.map(lambda _: now(), range(12)))\n"
    "assert not left(), left()",
    "plain calls, then a run": "now()\nasyncio.run(call())\nnow()",
    "a loop that is closed as it should be": "loop = asyncio.new_event_loop()\nloop.run_until_complete(call())\n"
    "loop.run_until_complete(loop.shutdown_asyncgens())\nassert not left(), left()\nloop.close()",
    "a loop in a thread that never ends": "loop = asyncio.new_event_loop()\n"
    "threading.Thread(target=loop.run_forever, daemon=True).start()\n"
    "asyncio.run_coroutine_threadsafe(call(), loop).result()",
    "one in flight in a thread that never ends": "loop = asyncio.new_event_loop()\n"
    "threading.Thread(target=loop.run_forever, daemon=True).start()\n"
    "asyncio.run_coroutine_threadsafe(call(), loop)\ntime.sleep(0.05)",
    "a child after a plain call": "now()\nchild = os.fork()\nnow()\nif child:\n"
    "    assert os.waitpid(child, 0)[1] == 0\n    now()",
}
HEAD = """
import asyncio, os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from quorate import QuorateError, deliberate, deliberate_now
model, path = sys.argv[1], sys.argv[2]
def now(): assert deliberate_now("Ship it?", model=model, ledger=path).state == "decided"
async def call(): assert (await deliberate("Ship it?", model=model, ledger=path)).state == "decided"
async def cancelled():
    task = asyncio.create_task(call())
    await call()
    asyncio.create_task(call())
    await asyncio.sleep(0.01)
async def late(more):
    await call()
    await asyncio.sleep(1 + more)
def left():
    links = [os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
    files = [os.readlink(link) for link in links if os.path.islink(link)]
    return [file for file in files if path in file], [t.name for t in threading.enumerate() if "ledger" in t.name]
_left = left
def left(): return any(_left()) and _left()
"""


@pytest.mark.promise
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_ends_at_once_and_without_a_word(program: str, tmp_path: Path, url: str) -> None:
    text = f"{HEAD}\n{PROGRAMS[program]}\n"
    words = [sys.executable, "-W", "error", "-c", text, f"openai:mock@{url}", str(tmp_path / "l.db")]

    done = subprocess.run(words, capture_output=True, text=True, timeout=50, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_loop_that_is_closed_without_a_word_leaves_a_whole_ledger_and_says_nothing(tmp_path: Path, url: str) -> None:
    """Its connections go with the garbage, which a program that asks for such warnings is told of."""
    closed = "loop = asyncio.new_event_loop()\nloop.run_until_complete(call())\nloop.close()\n"
    words = [sys.executable, "-c", f"{HEAD}\n{closed * 2}", f"openai:mock@{url}", str(tmp_path / "l.db")]

    done = subprocess.run(words, capture_output=True, text=True, timeout=50, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [file.name for file in folder_of(tmp_path / "l.db")] == ["l.db"]


async def test_plain_calls_find_their_connections_open(tmp_path: Path) -> None:
    """A server that is asked by three plain calls in a row sees as many connections as one call needs."""
    async with Endpoint(otherwise=BALLOT) as endpoint:
        text = f"{HEAD}\nfor _ in range(3): deliberate_now('Ship it?', model=model, ledger=path)"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", text, f"openai:mock@{endpoint.url}", str(tmp_path / "l.db")
        )
        assert await process.wait() == 0

    assert len(endpoint.seen) >= 36
    assert endpoint.connections <= 6


def test_plain_calls_leave_the_current_loop_alone() -> None:
    """A program's own loop stays the program's."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        deliberate_now("Ship it?", panel="demo", ledger=":memory:")
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()
