"""A server in a process of its own, to be killed: started again and again on one ledger until all has ended."""

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout

from quorate.doors.cli import main
from quorate.doors.web.app import operations
from quorate.ledger import open_ledger
from quorate.ledger.export import verify
from quorate.model import Asked, Decided, Event, Spoken
from tests.servers import Endpoint
from tests.web.client import TOKEN, provider

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Nursery:
    """A process that has loaded everything and forks a server for each life: to start Python anew takes longer."""

    process: asyncio.subprocess.Process

    async def born(self, *words: str) -> tuple[int, str]:
        """A server's process and its address."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        pid = int(await self.process.stdout.readline())
        line = (await self.process.stdout.readline()).decode()
        assert line.startswith("http://127.0.0.1:"), line
        return pid, line.partition("/#")[0]

    async def died(self) -> int:
        """How the last one ended: its exit code, or the signal with a minus."""
        assert self.process.stdout is not None
        return int(await self.process.stdout.readline())


@asynccontextmanager
async def nursery(home: Path) -> AsyncIterator[Nursery]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.web.killed"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=ROOT,
        env={"PATH": "/nowhere", "HOME": str(home)},
    )
    try:
        yield Nursery(process)
    finally:
        process.kill()
        await process.wait()


def bear() -> None:
    """Fork for each line of standard input: the words of a command, run as a user runs it."""
    for name in ("quorate.doors.cli.serve", "quorate.doors.web.server", "quorate.panelists.http.openai"):
        import_module(name)
    operations()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            sys.stdout.write(f"{os.getpid()}\n")
            sys.stdout.flush()
            sys.argv = ["quorate", *json.loads(line)]
            main()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


@dataclass(slots=True)
class Kills:
    """What became of a server that was killed: what was on record at each death, and what was asked for afterwards."""

    home: Path
    endpoint: Endpoint
    nursery: Nursery
    deaths: int = 0
    ids: dict[str, str] = field(default_factory=dict[str, str])
    recorded: set[str] = field(default_factory=set[str])
    asked: int = 0
    rebought: list[str] = field(default_factory=list[str])
    verdicts: Counter[str] = field(default_factory=Counter[str])

    async def _born(self) -> tuple[int, str]:
        (self.home / "token").write_text(TOKEN)
        kept = ("--token-file", str(self.home / "token"), "--ledger", str(self.home / "ledger.db"))
        model = f"openai:mock@{self.endpoint.url}"
        return await self.nursery.born("serve", "--port", "0", *kept, "--model", model)

    async def die(self, point: int, calls: int, after: float) -> None:
        """One life: begin what has not been acknowledged, and be killed some seconds after so many calls."""
        pid, address = await self._born()
        beginning = asyncio.create_task(self._begin(address, point + 1))
        await self._until_called(len(self.endpoint.seen) + calls)
        await asyncio.sleep(after)
        os.kill(pid, signal.SIGKILL)
        assert await self.nursery.died() == -signal.SIGKILL
        beginning.cancel()
        with suppress(asyncio.CancelledError, ClientError, TimeoutError):
            await beginning
        self.deaths += 1
        await self._take_stock()

    async def _until_called(self, calls: int) -> None:
        """Wait for that many calls, or until no more come."""
        quiet, seen = 0, -1
        while len(self.endpoint.seen) < calls and quiet < 200:
            quiet = quiet + 1 if len(self.endpoint.seen) == seen else 0
            seen = len(self.endpoint.seen)
            await asyncio.sleep(0.005)

    async def finish(self, points: int) -> None:
        """The last life: everything ends, and the server is told to stop."""
        pid, address = await self._born()
        await self._begin(address, points)
        async with ClientSession(address, headers={"Authorization": f"Bearer {TOKEN}"}) as session:
            for id_ in self.ids.values():
                async with session.get(f"/api/deliberations/{id_}/events") as response:
                    assert b"event: end" in await response.read()
        os.kill(pid, signal.SIGTERM)
        assert await self.nursery.died() == 128 + signal.SIGTERM
        await self._take_stock()
        await self._judge()

    async def _begin(self, address: str, points: int) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with ClientSession(address, timeout=ClientTimeout(total=20), headers=headers) as session:
            for number in range(points):
                key = f"key {number}"
                if key in self.ids:
                    continue
                body = {"question": f"Should we delete copy number {number} of the database?"}
                async with session.post("/api/deliberations", json=body, headers={"Idempotency-Key": key}) as response:
                    assert response.status == 202, await response.text()
                    self.ids[key] = str((await response.json())["id"])

    async def _take_stock(self) -> None:
        """Whatever was on record at the death before may not have been asked for since."""
        since, self.asked = self.endpoint.seen[self.asked :], len(self.endpoint.seen)
        prompts = [str(message["content"]) for seen in since for message in seen.body["messages"]]
        self.rebought += [prompt for prompt in prompts if prompt in self.recorded]
        for events in (await self._records()).values():
            answered = {event.key for event in events if isinstance(event, Spoken)}
            self.recorded |= {event.prompt for event in events if isinstance(event, Asked) and event.key in answered}

    async def _records(self) -> dict[str, list[Event]]:
        ledger = open_ledger(self.home / "ledger.db")
        try:
            ids = [one.id async for one in ledger.list()]
            return {id_: [entry.event for entry in await ledger.read(id_)] for id_ in ids}
        finally:
            await ledger.close()

    async def _judge(self) -> None:
        records = await self._records()
        assert set(records) == set(self.ids.values()), "each key stands for one deliberation, and each has its own"
        ledger = open_ledger(self.home / "ledger.db")
        for id_, events in records.items():
            assert (await verify(ledger, id_)).entries == len(events)
            self.verdicts[next(str(one.verdict.outcome) for one in events if isinstance(one, Decided))] += 1
        await ledger.close()


async def survive(home: Path, points: int, seed: int) -> Kills:
    """Kill a server at so many moments of its life, drawn by chance."""
    chance = random.Random(seed)
    async with provider(latency=0.02) as endpoint, nursery(home) as born:
        kills = Kills(home, endpoint, born)
        for point in range(points):
            await kills.die(point, chance.randrange(14), chance.uniform(0.0, 0.03))
        await kills.finish(points)
    return kills


if __name__ == "__main__":
    bear()
