"""Starts owners in processes of their own, and sees to it that none is left over."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Child:
    """An owner elsewhere."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def tell(self, order: str) -> str:
        """Give an order and wait for the answer: `ok …` or the name of an error and its sentence."""
        self.order(order)
        return await self.answer()

    def order(self, order: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n".encode())

    async def answer(self) -> str:
        assert self._process.stdout is not None
        return (await self._process.stdout.readline()).decode().strip()

    def stop(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def child(
    path: Path | str, *, ttl: float = 10.0, spool: bool = True, within: Sequence[str] = ()
) -> AsyncIterator[Child]:
    """Start an owner on a ledger, `within` what puts a command elsewhere."""
    process = await asyncio.create_subprocess_exec(
        *(*within, sys.executable, "-m", "tests.ledger.owner", str(path), str(ttl), "spool" if spool else "bare"),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    started = Child(process)
    try:
        yield started
    finally:
        await started.kill()
