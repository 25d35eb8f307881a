"""CLI agents cannot be argued into flags, and never outlive the debate."""

import asyncio
import os
import random
from pathlib import Path

import pytest

from quorate.errors import PanelistError
from quorate.model import Ask, Prompt, Seat
from quorate.panelists.http.client import Http
from quorate.panelists.registry import open_panelist
from tests.panelists.fakes import HARDHEADED, STUBBORN, bearing, left, tool

pytestmark = pytest.mark.promise

PROMPTS, PROMPTS_LONG = 2_000, 10_000
AT_ONCE = 8
EVERYDAY, LONG = 200, 1_000

NOTING_CAT = """#!/bin/sh
printf '%s\\0' "$#" "$@" >> "$HOME/argv"
exec cat
"""
BEGINNINGS = (
    *("-", "--", "-p", "--help", "--version", "--dangerously-skip-permissions", "--yolo", "--model=x", "-c a=b"),
    *(
        "@/etc/passwd",
        "!id",
        "/exit",
        "$(id)",
        "`id`",
        "; id",
        "| id",
        "&& id",
        "> x",
        "\n--help",
        "\0--help",
        "'",
        '"',
    ),
)


def ask(text: str) -> Ask:
    return Ask(Seat(name="Safety"), "analysis", Prompt(text))


def environ(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{home}:{os.environ['PATH']}", "HOME": str(home), "LOGNAME": str(home), **more}


@pytest.mark.timeout(300)
async def test_two_thousand_prompts_arrive_on_standard_input_and_none_among_the_arguments(
    tmp_path: Path, seed: int
) -> None:
    await arrive(PROMPTS, random.Random(seed), tmp_path)


@pytest.mark.long
@pytest.mark.timeout(1200)
async def test_ten_thousand_prompts_arrive_on_standard_input_and_none_among_the_arguments(
    tmp_path: Path, seed: int
) -> None:
    await arrive(PROMPTS_LONG, random.Random(seed), tmp_path)


async def arrive(count: int, chance: random.Random, home: Path) -> None:
    tool(home, "llm", NOTING_CAT)
    panelist = open_panelist("cli:llm", Http(), environ(home))
    prompts = iter([f"{chance.choice(BEGINNINGS)} canary {number}" for number in range(count)])
    arrived = 0

    async def one_after_the_other() -> None:
        nonlocal arrived
        for prompt in prompts:
            reply = await panelist.answer(ask(prompt))
            arrived += reply.text == prompt.strip()

    await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
    words = (home / "argv").read_bytes().split(b"\0")
    arguments = int(words[0])

    assert arrived == count
    assert words[:-1] == words[: arguments + 1] * count
    assert b"canary" not in b"".join(words)
    assert await left(f"LOGNAME={home}") == []


async def outlived(script: str, times: int, home: Path) -> list[int]:
    """What is left of so many tools that had to be given up, each with children that will not go."""
    mine = tool(home, "mine", script)
    panelist = open_panelist("cli:mine", Http(), environ(home, QUORATE_COMMAND_MINE=str(mine)))
    stepper = asyncio.Semaphore(25)

    async def given_up() -> str:
        async with stepper:
            try:
                async with asyncio.timeout(0.3):
                    await panelist.answer(ask("Take your time."))
            except (TimeoutError, PanelistError) as wrong:
                return type(wrong).__name__
        return "answered"

    ends = await asyncio.gather(*(given_up() for _ in range(times)))
    assert set(ends) == {"TimeoutError"}
    return await left(f"LOGNAME={home}", 2.0)


@pytest.mark.timeout(300)
async def test_after_two_hundred_timeouts_nothing_is_left(tmp_path: Path) -> None:
    assert await outlived(HARDHEADED, EVERYDAY, tmp_path) == []


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_after_a_thousand_timeouts_nothing_is_left(tmp_path: Path) -> None:
    assert await outlived(HARDHEADED, LONG, tmp_path) == []


@pytest.mark.timeout(60)
async def test_a_child_that_left_the_session_is_found_and_ended_too(tmp_path: Path) -> None:
    mine, begun = tool(tmp_path, "mine", STUBBORN), asyncio.Event()
    panelist = open_panelist("cli:mine", Http(), environ(tmp_path, QUORATE_COMMAND_MINE=str(mine)))
    task = asyncio.create_task(panelist.answer(ask("x"), lambda _: begun.set()))
    await begun.wait()
    while len({os.getsid(pid) for pid in bearing(f"LOGNAME={tmp_path}")}) < 2:  # noqa: ASYNC110  nobody is told
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait({task})

    assert await left(f"LOGNAME={tmp_path}") == []


@pytest.mark.timeout(60)
async def test_a_prompt_of_ten_megabytes_works(tmp_path: Path) -> None:
    count = tool(tmp_path, "count", "#!/bin/sh\nexec wc -c\n")
    panelist = open_panelist("cli:count", Http(), environ(tmp_path, QUORATE_COMMAND_COUNT=str(count)))
    reply = await panelist.answer(ask("-" + "x" * (10 * 1024 * 1024 - 1)))

    assert int(reply.text) == 10 * 1024 * 1024
