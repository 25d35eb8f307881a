"""A thousand viewers in a process of their own, some of whom stop reading: what each was sent, and how late.

`python -m tests.web.crowd ADDRESS ID HEALTHY STALLED` prints what came of it as JSON.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime

from tests.web.client import TOKEN

KEY = f"Authorization: Bearer {TOKEN}"


@dataclass(slots=True)
class Crowd:
    """What all viewers together have seen."""

    host: str
    port: int
    id: str
    late: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])
    counts: list[int] = field(default_factory=list[int])

    async def connect(self, limit: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=limit)
        path = f"/api/deliberations/{self.id}/events"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{KEY}\r\n\r\n".encode())
        return reader, writer

    async def watch(self) -> None:
        """Read to the end: every entry, in order."""
        reader, writer = await self.connect(1 << 20)
        number, came = 0, time.time()
        while line := await reader.readline():
            if line.startswith(b"id: "):
                number += 1
                if int(line[4:]) != number:
                    self.wrong.append(f"{line!r} in the place of {number}")
            elif line.startswith(b'data: {"number"'):
                written = datetime.fromisoformat(json.loads(line[6:])["time"]).timestamp()
                if written > came + 1.0:  # what was there before is not late
                    self.late.append(time.time() - written)
            elif line.startswith(b"event: end"):
                break
        self.counts.append(number)
        writer.close()

    async def stall(self, until: asyncio.Event) -> None:
        """Read the head and nothing more."""
        reader, writer = await self.connect(1)
        await reader.read(1)
        await until.wait()
        writer.transport.abort()


async def main(address: str, id_: str, healthy: int, stalled: int) -> None:
    host, _, port = address.removeprefix("http://").partition(":")
    crowd, over = Crowd(host, int(port), id_), asyncio.Event()
    still = [asyncio.create_task(crowd.stall(over)) for _ in range(stalled)]
    await asyncio.gather(*(crowd.watch() for _ in range(healthy)))
    over.set()
    await asyncio.gather(*still)
    late = sorted(crowd.late) or [0.0]
    told = {
        "viewers": len(crowd.counts),
        "counts": sorted(set(crowd.counts)),
        "wrong": crowd.wrong[:5],
        "p50": late[len(late) // 2],
        "p99": late[len(late) * 99 // 100],
    }
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
