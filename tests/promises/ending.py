"""The real command with tools that will not go, so that it can be stopped in every way there is."""

import asyncio
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.panelists.fakes import SPRAWLING, bearing, left, tool, watchdogs

COMMAND = (sys.executable, "-c", "from quorate.doors.cli import main; main()")
SEATS = 3
NOTED = 5
"""Processes that each tool notes."""
PATIENCE = 10.0
"""Seconds in which all must be gone; two where nobody else uses the machine."""


@dataclass(slots=True)
class Held:
    """A deliberation that a command is holding, in a home of its own."""

    home: Path
    command: subprocess.Popen[bytes] | None = None
    said: str = ""

    @property
    def temporary(self) -> Path:
        return self.home / "temporary"

    @property
    def ledger(self) -> str:
        return str(self.home / "ledger.db")

    def env(self) -> dict[str, str]:
        mine = tool(self.home, "mine", SPRAWLING)
        self.temporary.mkdir(exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ}
        named = {"HOME": self.home, "LOGNAME": self.home, "TMPDIR": self.temporary, "QUORATE_COMMAND_MINE": mine}
        return {**kept, **{name: str(path) for name, path in named.items()}}

    def begin(self, *more: str) -> subprocess.Popen[bytes]:
        words = ("ask", "Should we?", "--model", "cli:mine", "--ledger", self.ledger, *more)
        self.command = subprocess.Popen(
            [*COMMAND, *words], env=self.env(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        return self.command

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait, though nobody tells; an end of the command is the end of waiting."""
        while not true() and (self.command is None or self.command.poll() is None):  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def stop(self, number: signal.Signals) -> int:
        """Stop it, and wait until it has left."""
        assert self.command is not None
        self.command.send_signal(number)
        _, said = await asyncio.to_thread(self.command.communicate)
        self.said = said.decode()
        return self.command.returncode

    async def start_again(self) -> None:
        """Start the command once more, with nothing to ask of any tool."""
        words = ("ask", "Should we?", "--panel", "demo", "--quiet", "--ledger", self.ledger)
        await asyncio.to_thread(
            subprocess.run, [*COMMAND, *words], env=self.env(), check=True, stdout=subprocess.DEVNULL
        )

    def noted(self) -> list[int]:
        """Processes that tools have noted, by number."""
        with suppress(FileNotFoundError):
            return [int(pid) for pid in (self.home / "pids").read_text().split()]
        return []

    def all_run(self) -> bool:
        return len(self.noted()) == SEATS * NOTED

    def one_runs(self) -> bool:
        return bool(self.folders())

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.temporary.iterdir() if path.name.startswith("quorate-"))

    def watchdog(self) -> int:
        """The number of the process that watches over this command."""
        assert self.command is not None
        (watchdog,) = watchdogs(self.command.pid)
        return watchdog

    async def alive(self, *others: int) -> list[int]:
        """What is left of all that was started, once it has had time to go."""
        bore = await left(f"LOGNAME={self.home}", PATIENCE)
        known = (*self.noted(), *others)
        await in_time(lambda: not any(map(lives, known)))
        return sorted({*bore, *filter(lives, known)})

    async def folders_left(self) -> list[str]:
        await in_time(lambda: not self.folders())
        return self.folders()

    def begin_with_a_file(self) -> subprocess.Popen[bytes]:
        """The same with a panel file that declares the tool, trusted for this run."""
        file, env = self.home / "a panel.yaml", self.env()
        file.write_text(
            f"extends: tribunal\nmodel: cli:mine\ncommands: {{mine: [{env.pop('QUORATE_COMMAND_MINE')}]}}\n",
            encoding="utf-8",
        )
        words = ("ask", "Should we?", "--panel", str(file), "--ledger", self.ledger, "--trust", "--allow-key=openai@h")
        self.command = subprocess.Popen([*COMMAND, *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return self.command

    async def go_on_as_printed(self) -> subprocess.CompletedProcess[str]:
        """Type what was printed, once the tool has come to answer."""
        env = {name: value for name, value in self.env().items() if name != "QUORATE_COMMAND_MINE"}
        tool(self.home, "mine", "#!/bin/sh\ncat > /dev/null\necho no\n")
        _, _, printed = self.said.partition("Continue with: quorate ")
        words = shlex.split(printed.splitlines()[0])
        return await asyncio.to_thread(
            subprocess.run, [*COMMAND, *words], env=env, capture_output=True, text=True, check=False
        )

    def resumable(self) -> bool:
        return re.search(r"Continue with: quorate resume [0-9a-z]{26} --ledger ", self.said) is not None

    def bury(self) -> None:
        """End what a failed test left."""
        for pid in {*self.noted(), *bearing(f"LOGNAME={self.home}")}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.command is not None:
            self.command.wait()


async def in_time(true: Callable[[], bool]) -> None:
    """Wait until something holds, but not for ever."""
    until = asyncio.get_running_loop().time() + PATIENCE
    while not true() and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)


def lives(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be buried."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return False
