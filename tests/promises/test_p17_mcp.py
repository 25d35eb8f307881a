"""P1 and P17 at the MCP door: killed at any event nothing is lost or bought twice; no frame brings it down."""

import asyncio
import json
import os
import random
import string
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.figures import Figure
from tests.promises.deserting import Plan, desert

FRAMES = 20_000
MANY = int(os.environ.get("QUORATE_FRAMES", "200000"))
"""Frames of the long size."""
CANARY = "canary-4711"
LONGEST = 5.0


@pytest.mark.promise
@pytest.mark.timeout(1800)
def test_killed_at_4_events_each_the_verdict_comes_and_nothing_is_bought_twice(
    tmp_path: Path, seed: int, figure: Figure
) -> None:
    figure(keeps(4, seed, tmp_path))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_killed_at_100_events_each_the_verdict_comes_and_nothing_is_bought_twice(
    tmp_path: Path, seed: int, figure: Figure
) -> None:
    figure(keeps(100, seed, tmp_path))


def keeps(points: int, seed: int, folder: Path) -> str:
    drawn = int(os.environ.get("QUORATE_SEED") or seed)
    found = desert(Plan(points=points, seed=drawn, folder=str(folder / "runs")))
    print(f"QUORATE_SEED={drawn}\n{found}")  # noqa: T201  the promise states its size

    assert found.faults == []
    assert found.killed == {"client": points, "server": points}
    assert found.twice == 0
    assert found.bought == 2 * points * 13
    return f"client and server killed at {points} events each: the verdict comes, {found.twice} answers bought twice"


@asynccontextmanager
async def server(home: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    env = {**os.environ, "HOME": str(home), "QUORATE_LEDGER": str(home / "ledger.db")}
    program = "from quorate.doors.cli import main; main()"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program, "mcp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=env,
        limit=1 << 24,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.slow
async def test_no_frame_of_1000_brings_it_down(tmp_path: Path, seed: int, figure: Figure) -> None:
    figure(await withstands(1_000, tmp_path, seed))


@pytest.mark.promise
@pytest.mark.timeout(600)
async def test_no_frame_of_20000_brings_it_down(tmp_path: Path, seed: int, figure: Figure) -> None:
    figure(await withstands(FRAMES, tmp_path, seed))


@pytest.mark.long
async def test_no_frame_of_200000_brings_it_down(tmp_path: Path, seed: int, figure: Figure) -> None:
    figure(await withstands(MANY, tmp_path, seed))


async def withstands(frames: int, home: Path, seed: int) -> str:
    drawn = int(os.environ.get("QUORATE_SEED") or seed)
    print(f"QUORATE_SEED={drawn}")  # noqa: T201  so that it can be repeated
    chance = random.Random(drawn)
    (home / "secret.yaml").write_text(f"protocol: {CANARY}\n")
    slowest = 0.0
    async with server(home) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        await said(process, {"id": "hello", "method": "initialize", "params": hello}, "hello")
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        for number in range(0, frames, 250):
            process.stdin.write(b"".join(frame(chance, home) + b"\n" for _ in range(250)))
            began = time.monotonic()
            await said(process, {"id": f"alive{number}", "method": "tools/list", "params": {}}, f"alive{number}")
            slowest = max(slowest, (time.monotonic() - began) / 250)
        assert process.returncode is None
    assert slowest < LONGEST
    return (
        f"{frames:,} frames: the server lives, every line it wrote is a frame, {1000 * slowest:.0f} ms at the slowest"
    )


async def said(process: asyncio.subprocess.Process, frame: dict[str, Any], id_: str) -> None:
    """Ask, and read everything up to the answer: each line is a frame, and nothing of the file has come out."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
    async with asyncio.timeout(60):
        while line := await process.stdout.readline():
            assert CANARY.encode() not in line
            told = json.loads(line)
            assert told["jsonrpc"] == "2.0"
            if told.get("id") == id_:
                return
    raise AssertionError("the server has left")


def frame(chance: random.Random, home: Path) -> bytes:
    """One frame, half of them no frame at all and half of them with arguments nobody should accept."""
    return chance.choice((garbage, broken, strange))(chance, home).replace(b"\n", b" ").replace(b"\r", b" ")


def garbage(chance: random.Random, _: Path) -> bytes:
    return bytes(chance.randrange(256) for _ in range(chance.randrange(200)))


def broken(chance: random.Random, home: Path) -> bytes:
    """A frame that was whole: cut, doubled, with a byte changed, or nested beyond reason."""
    whole = strange(chance, home)
    place = chance.randrange(len(whole))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: whole[:place],
        lambda: whole + whole,
        lambda: whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :],
        lambda: b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 5_000,
        lambda: b"[" * chance.randrange(20_000),
        lambda: b'{"jsonrpc":"2.0","id":' + b"9" * chance.randrange(1, 5_000) + b',"method":"ping"}',
        lambda: b'{"jsonrpc":"2.0","id":null,"method":"\\ud800"}',
    )
    return chance.choice(ways)()


TOOLS = ("wait", "resume", "cancel", "explain", "verify", "review", "decide", "deliberate", "query_decisions", "none")


def strange(chance: random.Random, home: Path) -> bytes:
    """A call or a reading with hostile arguments; none of them can begin a deliberation."""
    if chance.random() < 0.2:
        uri = f"quorate://deliberations/{word(chance, home)}"
        return json.dumps({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": uri}}).encode()
    names = ("id", "question", "panel", "protocol", "ballots", "query_text", "limit", "seconds", "outcome", "rounds")
    arguments = {name: value(chance, home) for name in chance.sample(names, 3)}
    arguments["panel"] = str(home / "secret.yaml") if chance.random() < 0.5 else word(chance, home)
    params = {"name": chance.choice(TOOLS), "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": params}).encode()


def value(chance: random.Random, home: Path) -> Any:  # noqa: ANN401  what JSON holds
    return chance.choice(
        (
            word(chance, home),
            chance.choice((-1, 0, 10**30, 1e308, True, None)),
            [word(chance, home)] * chance.randrange(3),
            {word(chance, home): [{}]},
        )
    )


def word(chance: random.Random, home: Path) -> str:
    return chance.choice(
        (
            "/etc/passwd",
            "../" * 20 + "etc/passwd",
            str(home / "secret.yaml"),
            "secret.yaml",
            "**/*",
            "last",
            "\x00\x1b[31m\u202e",
            "%s%n{0}" * 5,
            "'; DROP TABLE entries; --",
            "x" * chance.randrange(3_000),
            "".join(chance.choices(string.printable, k=20)),
        )
    )
