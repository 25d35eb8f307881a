"""Kills assistants and MCP servers in the middle of a call, waits with another server, and looks at the bill.

`python -m tests.promises.deserting '{"points": 20, "seed": 1, "folder": "/tmp/x"}'` prints what was found as JSON.
It runs as a process of its own: servers and clients are forked from it, warm, where no thread and no event loop runs.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NoReturn

from quorate.doors.mcp import server as door
from quorate.doors.mcp.deliberations import Deliberations
from quorate.ledger import open_ledger
from tests.promises import provider

WORKERS: Final = 2
PATIENCE: Final = 60.0
BEGIN: Final = 8.0
"""Seconds in which a record must have begun whose server was killed right after it was asked."""
SEATS: Final = ("Utility", "Accuracy", "Safety")
ASKED_ONCE: Final = 13
"""Answers of an undisturbed tribunal, one of them asked for again."""
Victim = Literal["client", "server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    points: int
    seed: int
    folder: str


@dataclass(slots=True, kw_only=True)
class Findings:
    """What came of it, for each victim: points by the event at which it was killed, and whatever went wrong."""

    seed: int
    killed: dict[str, int] = field(default_factory=dict)
    at: dict[str, int] = field(default_factory=dict)
    begun: int = 0
    bought: int = 0
    twice: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: dict[str, Any]) -> None:
        self.killed = dict(Counter(self.killed) + Counter(other["killed"]))
        self.at = dict(Counter(self.at) + Counter(other["at"]))
        for name in ("begun", "bought", "twice"):
            setattr(self, name, getattr(self, name) + other[name])
        self.faults += other["faults"]


def desert(plan: Plan) -> Findings:
    """Carry a plan out in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(asdict(plan))], stdout=subprocess.PIPE, text=True, check=True
    )
    return Findings(**json.loads(done.stdout.splitlines()[-1]))


class Wire:
    """A connection to a server: frames out, frames in, in the order in which they come."""

    def __init__(self, out: BinaryIO, came: BinaryIO) -> None:
        self._out, self._came = out, came

    def close(self) -> None:
        for end in (self._out, self._came):
            with suppress(OSError):
                end.close()

    def send(self, **frame: Any) -> None:  # noqa: ANN401  what JSON holds
        self._out.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
        self._out.flush()

    def frames(self) -> Iterator[dict[str, Any]]:
        for line in self._came:
            yield json.loads(line)

    def call(self, tool: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Shake hands, call, and give every frame that comes."""
        who = {"name": "t", "version": "1"}
        shake = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
        self.send(id=0, method="initialize", params=shake)
        frames = self.frames()
        next(frames)
        self.send(method="notifications/initialized")
        meta = {"progressToken": "p"}
        self.send(id=1, method="tools/call", params={"name": tool, "arguments": arguments, "_meta": meta})
        yield {"called": True}
        yield from frames


def _child(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setsid()
            work()
            status = 0
        except BaseException:  # noqa: BLE001  a forked child must end here
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return pid


def _serve(reading: int, writing: int, env: dict[str, str]) -> None:
    """What a server's process does: what `quorate mcp` does."""
    os.dup2(reading, 0)
    os.dup2(writing, 1)
    os.closerange(3, 256)
    sys.stdin, sys.stdout = os.fdopen(0, "r"), os.fdopen(1, "w")
    os.environ.update(env)
    asyncio.run(door.serve_stdio(Deliberations()))


def serving(env: dict[str, str]) -> tuple[int, Wire]:
    """A server's process, and the connection to it."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()

    def work() -> None:
        os.close(to_write)
        os.close(from_read)
        _serve(to_read, from_write, env)

    pid = _child(work)
    os.close(to_read)
    os.close(from_write)
    return pid, Wire(os.fdopen(to_write, "wb"), os.fdopen(from_read, "rb"))


@dataclass(slots=True)
class Point:
    """One deliberation whose client or server is killed on the way."""

    number: int
    victim: Victim
    folder: Path
    port: int
    chance: random.Random
    found: dict[str, Any] = field(
        default_factory=lambda: {"killed": {}, "at": {}, "begun": 0, "bought": 0, "twice": 0, "faults": []}
    )

    @property
    def run(self) -> str:
        return f"{self.victim}{self.number}"

    def env(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "QUORATE_LEDGER": str(self.folder / "ledger.db"),
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self.port}/v1",
            "OPENAI_API_KEY": "life-0",
        }

    def arguments(self, run: str) -> dict[str, Any]:
        people = [{"cli": "openai", "model": f"{run}.{seat}.plain"} for seat in SEATS]
        return {"question": "Should we delete the staging database?", "protocol": "tribunal", "participants": people}

    def kill(self) -> None:
        """Call, kill at an event, wait with another server, and look at the bill."""
        self.folder.mkdir(parents=True)
        at = self.number % 31
        pid, wire = serving(self.env())
        if self.victim == "client":
            reached = self._as_client(pid, wire, at)
        else:
            reached = self._until(wire.call("deliberate", self.arguments(self.run)), at)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            wire.close()
        self.found["killed"][self.victim] = 1
        self.found["at"][str(reached)] = 1
        self._judge()

    def _as_client(self, server: int, wire: Wire, at: int) -> int:
        """Have a process of its own call; it is killed, and the server is left with a closed pipe."""
        reading, writing = os.pipe()

        def work() -> None:
            reached = self._until(wire.call("deliberate", self.arguments(self.run)), at)
            os.write(writing, f"{reached}\n".encode())
            time.sleep(PATIENCE)

        pid = _child(work)
        os.close(writing)
        wire.close()  # ours: else the server would never hear that its client is gone
        with os.fdopen(reading) as pipe:
            reached = int(pipe.readline() or -1)
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.waitpid(server, 0)  # it hears that nobody is there any more, and leaves by itself
        return reached

    def _until(self, frames: Iterator[dict[str, Any]], at: int) -> int:
        """Follow a call up to an event, or for a moment right after it was made."""
        reached = 0
        for frame in frames:
            if "called" in frame and at == 0:
                time.sleep(self.chance.random() * 1.2)
                return 0
            if frame.get("method") == "notifications/progress":
                reached = int(frame["params"]["progress"])
            if reached >= at or frame.get("id") == 1:
                return reached
        return reached

    def _judge(self) -> None:
        begun = asyncio.run(self._begun())
        self.found["begun"] += begun
        run = self.run if begun else f"{self.run}b"
        pid, wire = serving(self.env())
        tool, arguments = ("wait", {"id": "last"}) if begun else ("deliberate", self.arguments(run))
        answer = next((frame for frame in wire.call(tool, arguments) if frame.get("id") == 1), {})
        wire.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        result = answer.get("result", {}).get("structuredContent") or {}
        verdict = result.get("verdict") or {}
        votes = [(vote["seat"], vote["choice"]) for vote in verdict.get("votes", ())]
        expected = [(seat, provider.CASTS["revision", seat][0]) for seat in SEATS]
        if (verdict.get("outcome"), votes) != ("WARN", expected):
            self.found["faults"].append(f"{self.run}: another verdict: {str(answer)[:400]}")
        bill = Counter(one.ask for one in provider.billed(self.port, run))
        self.found["bought"] += len(bill)
        self.found["twice"] += sum(bill.values()) - len(bill)
        if len(bill) != ASKED_ONCE:
            self.found["faults"].append(f"{self.run}: {len(bill)} answers were bought")
        if not self.found["faults"]:
            shutil.rmtree(self.folder, ignore_errors=True)

    async def _begun(self) -> bool:
        """Whether the record has begun, or does so soon: its process may be starting still."""
        ledger = open_ledger(self.folder / "ledger.db")
        try:
            async with asyncio.timeout(BEGIN):
                while not [one async for one in ledger.list()]:  # noqa: ASYNC110  nobody tells
                    await asyncio.sleep(0.05)
        except TimeoutError:
            return False
        finally:
            await ledger.close()
        return True


def _worker(plan: Plan, port: int, number: int) -> int:
    def work() -> None:
        with (Path(plan.folder) / f"worker{number}").open("w") as file:
            for place in range(number, plan.points * 2, WORKERS):
                victim: Victim = "client" if place < plan.points else "server"
                chance = random.Random(f"{plan.seed} {place}")
                point = Point(place % plan.points, victim, Path(plan.folder) / f"p{place}", port, chance)
                point.kill()
                file.write(json.dumps(point.found) + "\n")

    return _child(work)


def main(plan: Plan) -> NoReturn:
    """Provider, then workers, then the sum of what they found."""
    Path(plan.folder).mkdir(parents=True, exist_ok=True)
    served, port = provider.start()
    statuses: list[int] = []
    try:
        statuses = [os.waitpid(pid, 0)[1] for pid in [_worker(plan, port, number) for number in range(WORKERS)]]
    finally:
        with suppress(ProcessLookupError):
            os.kill(served, signal.SIGTERM)
        os.waitpid(served, 0)
    found = Findings(seed=plan.seed, faults=[f"a worker ended with {status}" for status in statuses if status])
    for number in range(WORKERS):
        for line in (Path(plan.folder) / f"worker{number}").read_text().splitlines():
            found.add(json.loads(line))
    sys.stdout.write(json.dumps(asdict(found)) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Plan(**json.loads(sys.argv[1])))
