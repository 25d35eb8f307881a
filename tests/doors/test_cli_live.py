"""The live view on a real terminal, of which a pseudo-terminal is one."""

import asyncio
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from contextlib import suppress

import pytest

from tests.doors import hostile
from tests.doors.conftest import Quorate
from tests.servers import MARK, Endpoint, said, sends

pytestmark = pytest.mark.promise

COMMAND = (sys.executable, "-c", "from quorate.doors.cli import main; main()")
DEMO = ("ask", "Should we delete it?", "--panel", "demo")


def on_a_screen(*words: str, wide: int = 120, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run the command on a terminal of that width: its exit code, and all that it drew."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, wide, 0, 0))
    around = {**os.environ, "TERM": "xterm-256color", **(env or {})}
    with subprocess.Popen([*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=around) as held:
        os.close(theirs)
        drawn = b""
        with suppress(OSError):
            while piece := os.read(ours, 65536):
                drawn += piece
    os.close(ours)
    return held.returncode, drawn.decode()


def plain(drawn: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn).replace("\r", "")


def test_rounds_are_announced_seats_stand_side_by_side_and_challenges_apart() -> None:
    code, drawn = on_a_screen(*DEMO)

    shown = plain(drawn)
    assert code == 0
    for number, title in enumerate(("Initial Analysis", "Challenge Round", "Revision Round", "Final Voting"), 1):
        assert f"Round {number} · {title}" in shown
    assert re.search(r"^Utility +Accuracy +Safety *$", shown, re.MULTILINE)
    assert re.search(r"⚔ challenges Accuracy +⚔ challenges Utility +⚔ challenges Utility", shown)
    assert "💭" in shown
    assert "W A R N" in shown
    assert "\x1b[1;31m⚔ challenges" in drawn
    assert "\x1b[32m▌ " in drawn
    assert "\x1b[31m▌ " in drawn


@pytest.mark.parametrize("wide", [40, 80])
def test_on_a_narrow_screen_seats_stand_below_each_other_and_nothing_is_cut(wide: int) -> None:
    code, drawn = on_a_screen(*DEMO, wide=wide)

    shown = plain(drawn)
    assert code == 0
    assert "⚔ Safety challenges Utility" in shown
    assert max(len(line) for line in shown.splitlines()) <= wide


def test_whoever_has_spoken_is_no_longer_shown_at_work() -> None:
    _, drawn = on_a_screen(*DEMO, wide=80)

    _, spoke, after = plain(drawn).partition("Utility  ACT → WARN")
    assert spoke
    assert "💭 Utility" not in after


def test_no_color_is_honoured() -> None:
    code, drawn = on_a_screen(*DEMO, env={"NO_COLOR": "1"})

    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", drawn)


def test_a_terminal_that_can_do_nothing_gets_plain_lines() -> None:
    code, drawn = on_a_screen(*DEMO, env={"TERM": "dumb"})

    assert code == 0
    assert "\x1b" not in drawn
    assert "== Round 1: Initial Analysis ==" in drawn


@pytest.mark.parametrize("wide", [60, 140])
async def test_no_escape_of_a_model_reaches_the_screen(wide: int) -> None:
    async with Endpoint(otherwise=hostile.reply()) as endpoint:
        model = f"openai:m@{endpoint.url}"
        code, drawn = await asyncio.to_thread(on_a_screen, "ask", "Should we?", "--model", model, wide=wide)

    assert code == 0
    assert hostile.raw(drawn, drawn=True) == set()
    assert "[bold red]" in plain(drawn)


async def test_ctrl_c_leaves_with_130_and_the_command_that_goes_on(quorate: Quorate) -> None:
    ballot = f'{{"mark": "{MARK}", "decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "so"}}'
    async with Endpoint(script=[sends(b"", "hang")] * 3, otherwise=f"Well.\n\nBALLOT {ballot}") as endpoint:
        words = (*COMMAND, "ask", "Should we?", "--model", f"openai:m@{endpoint.url}")
        held = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while len(endpoint.seen) < 3:  # noqa: ASYNC110 - the server is a real one and tells nobody
            await asyncio.sleep(0.01)
        held.send_signal(signal.SIGINT)
        _, said = await held.communicate()
        found = re.search(r"quorate resume ([0-9a-z]{26})", said.decode())
        assert (held.returncode, bool(found)) == (130, True)
        assert found is not None
        told = await asyncio.to_thread(quorate, "resume", found[1], "--json")

    assert (told.code, told.document["verdict"]["outcome"]) == (0, "WARN")
    assert "Traceback" not in said.decode()


def test_a_reader_that_leaves_early_changes_nothing(quorate: Quorate) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    held = subprocess.run([*COMMAND, *DEMO, "--gate"], stdout=theirs, stderr=subprocess.PIPE, check=False, text=True)
    os.close(theirs)

    assert held.returncode == 10
    assert "Error" not in held.stderr
    assert quorate("list", "--json").document["deliberations"][0]["outcome"] == "WARN"


@pytest.mark.parametrize("form", [(), ("-q",), ("--json",), ("--as", "minutes"), ("--as", "html")])
async def test_a_refusal_into_a_broken_pipe_keeps_its_exit_code(quorate: Quorate, form: tuple[str, ...]) -> None:
    ballot = f'{{"mark": "{MARK}", "decision": "REFUSE", "confidence": 90, "risk": 90, "reasoning": "so"}}'
    ours, theirs = os.pipe()
    os.close(ours)
    async with Endpoint(otherwise=said(f"Well.\n\nBALLOT {ballot}")) as endpoint:
        words = (*COMMAND, "ask", "Should we?", "--model", f"openai:m@{endpoint.url}", "--gate", *form)
        # Both streams, as after `2>&1 | head -0`.
        held = await asyncio.create_subprocess_exec(*words, stdout=theirs, stderr=theirs)
        assert await held.wait() == 20
    os.close(theirs)
    assert quorate("list", "--json").document["deliberations"][0]["outcome"] == "REFUSE"
