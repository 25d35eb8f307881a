"""A thousand who watch one deliberation, fifty who stop reading, fifty who never finish asking; and the page itself.

`python -m benchmarks.viewers` prints how late entries come, what the server holds in memory, how much the deliberation
is slowed, how soon the page is painted and what it weighs; exit 1 above the bounds.
"""

import asyncio
import gzip
import json
import os
import re
import shutil
import socket
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from time import time
from typing import Final
from urllib.request import Request, urlopen

from benchmarks.server import serving

__all__ = ["Crowd", "ServedQuorate", "main", "serving_quorate", "watch"]

LATENCY: Final = 1.5
"""Seconds the mock provider takes: a tribunal of three lasts four times as long, and a thousand come in time."""
LATE: Final = 0.5
HEAVY: Final = 200
SLOWED: Final = 1.05
PAINT: Final = 1000
WEIGHT: Final = 300_000
_ADDRESS: Final = re.compile(r"(http://[0-9.:]+)/#token=(\S+)")


@dataclass(frozen=True, slots=True)
class ServedQuorate:
    """`quorate serve` in a process of its own."""

    address: str
    token: str
    process: "Popen[str]"

    @property
    def peak(self) -> float:
        """The most memory it has held, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024

    def start(self) -> str:
        """Begin a deliberation and give its id."""
        body = json.dumps({"question": "Should we delete the staging database?"}).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with urlopen(Request(f"{self.address}/api/deliberations", body, headers)) as reply:  # noqa: S310 - our own
            return str(json.load(reply)["id"])


@contextmanager
def serving_quorate(model: str, folder: Path) -> Generator[ServedQuorate]:
    """A server on a free port whose seats are all answered by this model."""
    program = str(Path(sys.executable).with_name("quorate"))
    command = [program, "serve", "--port", "0", "--model", model]
    env = {
        **os.environ,
        "QUORATE_LEDGER": str(folder / "ledger.db"),
        "XDG_STATE_HOME": str(folder),
        "HOME": str(folder),
    }
    with Popen(command, stdout=PIPE, stderr=DEVNULL, text=True, env=env) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            found = next(filter(None, map(_ADDRESS.search, process.stdout)), None)
            assert found, "the server did not say where it is"  # noqa: S101 - a benchmark ends here
            yield ServedQuorate(found[1], found[2], process)
        finally:
            process.terminate()


@dataclass(slots=True)
class Crowd:
    """What those who watched saw: the numbers of the entries each got, and when each was written and came."""

    seen: list[list[int]] = field(default_factory=list[list[int]])
    times: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    here: float = 0.0
    """When the last of them had come."""
    ended: int = 0

    def percentile(self, share: float) -> float:
        """How late entries came that were written when all were there; what was there before is no news."""
        ranked = sorted(came - written for written, came in self.times if written > self.here) or [float("nan")]
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


async def watch(served: ServedQuorate, id_: str, *, viewers: int, stalled: int, slow: int) -> Crowd:
    """Watch a deliberation to its end with so many; some stop reading, others never finish their request."""
    host, _, port = served.address.removeprefix("http://").partition(":")
    named = f"Host: {host}:{port}\r\nAuthorization: Bearer {served.token}\r\n"
    request = f"GET /api/deliberations/{id_}/events HTTP/1.1\r\n{named}"
    crowd = Crowd()
    with ExitStack() as rude:
        for number in range(stalled + slow):
            one = rude.enter_context(socket.create_connection((host, int(port))))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            one.sendall(f"{request}\r\n".encode() if number < stalled else request.encode())
        whole = f"{request}Connection: close\r\n\r\n".encode()
        await asyncio.gather(*(_follow(crowd, host, int(port), whole) for _ in range(viewers)))
    return crowd


async def _follow(crowd: Crowd, host: str, port: int, request: bytes) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request)
    seen: list[int] = []
    crowd.seen.append(seen)
    await reader.readline()
    crowd.here = max(crowd.here, time())
    async for name, data in _events(reader):
        if name == "end":
            crowd.ended += 1
        elif name == "entry":
            entry = json.loads(data)
            seen.append(entry["number"])
            crowd.times.append((datetime.fromisoformat(entry["time"]).timestamp(), time()))
    writer.close()


async def _events(reader: asyncio.StreamReader) -> AsyncIterator[tuple[str, bytes]]:
    """The name of each event, and its data."""
    name = ""
    async for line in reader:
        if line.startswith(b"event: "):
            name = line[7:].strip().decode()
        elif line.startswith(b"data: "):
            yield name, line[6:]


def _lasted(served: ServedQuorate, viewers: int) -> tuple[Crowd, float]:
    """What a crowd saw of a deliberation, and the seconds that took by its own record."""
    id_ = served.start()
    crowd = asyncio.run(watch(served, id_, viewers=viewers, stalled=viewers // 20, slow=viewers // 20))
    headers = {"Authorization": f"Bearer {served.token}"}
    request = Request(f"{served.address}/api/deliberations/{id_}", headers=headers)  # noqa: S310 - our own
    with urlopen(request) as reply:  # noqa: S310 - our own
        return crowd, float(json.load(reply)["seconds"])


def _painted(address: str) -> float:
    """Milliseconds until the page is painted in an installed Chromium, the third time it is opened."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only this part needs it

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        return 0.0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page, times = browser.new_page(), list[float]()
        for _ in range(3):
            page.goto(address)
            page.wait_for_selector("h1")
            times.append(
                page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
            )
        browser.close()
    return times[-1]


def page_weight() -> int:
    """Bytes of everything the page is made of, compressed."""
    folder = Path(__file__).parents[1] / "src" / "quorate" / "doors" / "web" / "page"
    files = [file for file in folder.rglob("*") if file.suffix in {".js", ".css", ".html", ".svg"}]
    return sum(len(gzip.compress(file.read_bytes())) for file in files)


def _rows(viewers: int) -> Iterator[tuple[str, float, float, str]]:
    with (
        serving(LATENCY) as url,
        tempfile.TemporaryDirectory() as folder,
        serving_quorate(f"openai:mock@{url}", Path(folder)) as served,
    ):
        alone = min(_lasted(served, 1)[1] for _ in range(3))
        crowds = [_lasted(served, viewers) for _ in range(3)]
        crowd = crowds[0][0]
        whole = all(seen == list(range(1, len(seen) + 1)) for one, _ in crowds for seen in one.seen)
        yield "viewers that missed something", float(not whole or crowd.ended != viewers), 0, ""
        yield f"99th of 100 entries comes after, {viewers} viewers", crowd.percentile(0.99), LATE, " s"
        yield "the server's memory at its peak", served.peak, HEAVY, " MB"
        yield "the deliberation lasts, beside one viewer", min(took for _, took in crowds) / alone, SLOWED, " ×"
        yield "the page is painted after", _painted(served.address), PAINT, " ms"
    yield "the page weighs, compressed", page_weight(), WEIGHT, " bytes"


def main(given: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m benchmarks.viewers", description="Measure the page and those who watch.")
    parser.add_argument("--viewers", type=int, default=1000)
    broken = 0
    for name, value, bound, unit in _rows(parser.parse_args(given).viewers):
        broken += not value <= bound
        print(f"{name:52} {value:10,.3f}{unit}  (bound {bound:,}{unit}){'  BROKEN' if not value <= bound else ''}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
