"""Whoever writes without end, and whoever does not read, hold up neither the deadline nor the record."""

import asyncio
import os
import pty
import resource
import subprocess
from contextlib import suppress

import pytest

from tests.doors.conftest import Quorate
from tests.doors.test_cli_live import COMMAND, on_a_screen
from tests.servers import MARK, STREAM_HEAD, Act, Endpoint, chunk, event, repeating

pytestmark = pytest.mark.promise

DEADLINE = 4
LATE = 10
"""Seconds after the deadline; one where nobody else uses the machine, and fifty when all words were wrapped anew."""
BUSY = 8
"""Seconds of computing in all; one and a half, and twenty when all words were wrapped anew."""


def endless() -> Act:
    """A megabyte of words a second for each seat."""
    words = event({"choices": [{"delta": {"content": "and on and on it goes " * 100}}]})
    return repeating(STREAM_HEAD, chunk(words * 5), 0.01)


def computing() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def seconds_held(quorate: Quorate) -> float:
    """How long the last deliberation took by its own record, which all of its seats let run out."""
    held = (await asyncio.to_thread(quorate, "show", "last", "--as", "json")).document
    assert {vote["assumed"] for vote in held["verdict"]["votes"]} == {True}
    return float(held["seconds"])


@pytest.mark.parametrize("wide", [60, 140])
async def test_the_deadline_holds_on_a_screen_whatever_is_streamed(quorate: Quorate, wide: int) -> None:
    async with Endpoint(otherwise=endless()) as endpoint:
        words = (
            "ask",
            "Should we?",
            "--model",
            f"openai:m?max_tokens=1000000@{endpoint.url}",
            "--deadline",
            f"{DEADLINE}s",
        )
        before = computing()
        code, drawn = await asyncio.to_thread(on_a_screen, *words, wide=wide)

    assert (code, "it goes and on" in drawn) == (3, True), "nobody could be heard"
    assert DEADLINE - 1 < await seconds_held(quorate) < DEADLINE + LATE
    assert computing() - before < BUSY


@pytest.mark.parametrize("manner", [[], ["--quiet"], ["--json"]], ids=["plain", "quiet", "json"])
async def test_and_without_a_screen(quorate: Quorate, manner: list[str]) -> None:
    async with Endpoint(otherwise=endless()) as endpoint:
        words = (
            "ask",
            "Should we?",
            "--model",
            f"openai:m?max_tokens=1000000@{endpoint.url}",
            "--deadline",
            f"{DEADLINE}s",
            *manner,
        )
        before = computing()
        held = await asyncio.to_thread(subprocess.run, [*COMMAND, *words], capture_output=True, check=False)

    assert held.returncode == 3, "nobody could be heard"
    assert await seconds_held(quorate) < DEADLINE + LATE
    assert computing() - before < BUSY


async def decided(quorate: Quorate) -> bool:
    told = await asyncio.to_thread(quorate, "list", "--json")
    return any(one["state"] == "decided" for one in told.document["deliberations"])


def drained(reader: int) -> bytes:
    read = b""
    with suppress(OSError):
        while piece := os.read(reader, 65536):
            read += piece
    return read


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
async def test_whoever_does_not_read_holds_up_only_what_is_shown(quorate: Quorate, *, terminal: bool) -> None:
    ours, theirs = pty.openpty() if terminal else os.pipe()
    ballot = f'{{"mark": "{MARK}", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}}'
    async with Endpoint(otherwise=f"{'Well, well. ' * 4000}\n\nBALLOT {ballot}") as endpoint:
        words = ("ask", "Should we?", "--model", f"openai:m?max_tokens=1000000@{endpoint.url}")
        around = {**os.environ, "TERM": "xterm-256color"}
        command = await asyncio.create_subprocess_exec(
            *COMMAND, *words, stdout=theirs, stderr=subprocess.DEVNULL, env=around
        )
        os.close(theirs)
        async with asyncio.timeout(60):
            while not await decided(quorate):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)
        still = command.returncode
        shown = await asyncio.to_thread(drained, ours)
        code = await command.wait()
    os.close(ours)

    assert (still, code) == (None, 0)
    assert shown.count(b"Well,") > 10_000
