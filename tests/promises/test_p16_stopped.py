"""Command-line tools never outlive the command that started them, however it is stopped."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.ending import Held

pytestmark = [pytest.mark.promise, pytest.mark.timeout(120)]

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
BY_CHANCE = 6


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    held = Held(tmp_path)
    yield held
    held.bury()


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
async def test_a_signal_ends_every_tool_and_all_it_started_and_says_how_to_go_on(
    held: Held, number: signal.Signals
) -> None:
    held.begin()
    await held.until(held.all_run)
    watchdog = held.watchdog()
    code = await held.stop(number)

    assert (code, held.resumable()) == (CODES[number], True), held.said
    assert "Traceback" not in held.said
    assert await held.alive(watchdog) == []
    assert await held.folders_left() == []


async def test_what_it_says_to_type_goes_on_with_the_commands_of_a_panel_file(held: Held) -> None:
    held.begin_with_a_file()
    await held.until(held.all_run)
    await held.stop(signal.SIGTERM)
    told = await held.go_on_as_printed()

    assert "--allow-key openai@h --trust" in held.said
    assert told.returncode == 3, "it was asked, and what it says is no ballot"
    assert "not declared" not in told.stderr
    assert "replies" in told.stdout, "the tool was not asked"


async def test_killing_the_command_ends_its_tools_all_the_same(held: Held) -> None:
    held.begin()
    await held.until(held.all_run)
    watchdog = held.watchdog()
    await held.stop(signal.SIGKILL)

    assert await held.alive(watchdog) == []
    assert await held.folders_left() == []


async def test_what_is_left_when_the_watchdog_dies_as_well_goes_when_quorate_next_starts(held: Held) -> None:
    held.begin()
    await held.until(held.all_run)
    os.kill(held.watchdog(), signal.SIGKILL)
    await held.stop(signal.SIGKILL)
    before = held.folders()
    await held.start_again()

    assert len(before) == 3
    assert await held.folders_left() == []
    assert await held.alive() == []


@pytest.mark.parametrize("number", [*CODES, signal.SIGKILL], ids=lambda number: number.name)
async def test_just_as_the_first_tool_starts(held: Held, number: signal.Signals) -> None:
    held.begin()
    await held.until(held.one_runs)
    await held.stop(number)
    if number == signal.SIGKILL:  # before the watchdog is told of a folder, only the next start can know of it
        await held.start_again()

    assert await held.alive() == []
    assert await held.folders_left() == []


@pytest.mark.timeout(300)
async def test_at_any_moment(held: Held, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(BY_CHANCE):
        number = chance.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
        held.begin()
        await asyncio.sleep(chance.uniform(0.0, 2.0))
        code = await held.stop(number)
        if number == signal.SIGKILL:
            await held.start_again()

        assert code in {CODES.get(number, -9), -number}, held.said  # before it listens to signals it simply dies
        assert await held.alive() == []
        assert await held.folders_left() == []


async def test_who_ignores_the_hangup_goes_on(held: Held) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        command = held.begin()
    finally:
        signal.signal(signal.SIGHUP, before)
    await held.until(held.all_run)
    command.send_signal(signal.SIGHUP)
    await asyncio.sleep(0.3)
    still = command.poll()

    assert still is None
    assert await held.stop(signal.SIGTERM) == CODES[signal.SIGTERM]


async def test_a_second_signal_does_not_wait_and_leaves_nothing_either(held: Held) -> None:
    command = held.begin()
    await held.until(held.all_run)
    command.send_signal(signal.SIGTERM)
    code = await held.stop(signal.SIGTERM)

    assert code == CODES[signal.SIGTERM]
    assert await held.alive() == []
    assert await held.folders_left() == []
