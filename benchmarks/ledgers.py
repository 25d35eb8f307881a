"""What a ledger costs in a file and in a database, in one run: python -m benchmarks.ledgers [--server ADDRESS].

Without an address a PostgreSQL is started for it, from the wheel that the tests use. The processor time is that of this
process; the server's own comes on top.
"""

import asyncio
import secrets
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from benchmarks.disk import disk, load
from benchmarks.table import Row, failed, table
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.model import Asked, Event, Reply, Spoken
from tests.postgres import PostgresServer, ledger_on

DELIBERATIONS: Final = 200
ENTRIES: Final = 30
LATENCIES: Final = 100
TEXT: Final = "The copy was checked row by row, and nobody has read from the old place since. " * 10
"""A reply of about 800 characters."""


def event(number: int) -> Event:
    """Asks and replies in turn, as most entries are."""
    round_, seat = f"round{number // 6}", ("Utility", "Accuracy", "Safety")[number // 2 % 3]
    if number % 2:
        return Spoken(round=round_, seat=seat, reply=Reply(text=TEXT, model="a-model", took=1234))
    return Asked(round=round_, seat=seat, prompt=TEXT, model="openai:a-model")


async def held(ledger: Ledger, entries: int) -> None:
    """One deliberation's entries, each written when others have had their turn."""
    async with ledger.own(new_id(), fresh=True) as book:
        for number in range(entries):
            book.write(event(number))
            await asyncio.sleep(0)


async def rate(name: str, ledger: Ledger, deliberations: int) -> Sequence[Row]:
    """Many deliberations at once: entries a second, and what an entry costs."""
    async with ledger.own(new_id()) as book:
        book.write(event(0))
    began, used = perf_counter(), process_time()
    await asyncio.gather(*(held(ledger, ENTRIES) for _ in range(deliberations)))
    took, cost, entries = perf_counter() - began, process_time() - used, deliberations * ENTRIES
    return (
        Row(name=f"{name}: entries a second", measured=entries / took, unit=""),
        Row(name=f"{name}: processor time an entry", measured=cost / entries * 1e6, unit="µs"),
    )


async def latency(name: str, ledger: Ledger, times: int) -> Sequence[Row]:
    """One after the other: to take a deliberation, to make one entry durable, to let go, to read it back."""
    owning, committing, leaving, reading = [], [], [], []
    for _ in range(times):
        started = perf_counter()
        own = ledger.own(new_id())
        book = await own.__aenter__()
        owning.append(perf_counter() - started)
        started = perf_counter()
        book.write(event(0))
        await book.committed()
        committing.append(perf_counter() - started)
        started = perf_counter()
        await own.__aexit__(None, None, None)
        leaving.append(perf_counter() - started)
        started = perf_counter()
        await ledger.read(book.id)
        reading.append(perf_counter() - started)
    told = {"own": owning, "commit": committing, "let go": leaving, "read": reading}
    return [Row(name=f"{name}: {what}", measured=median(took) * 1000, unit="ms") for what, took in told.items()]


async def measure(name: str, where: str, deliberations: int, times: int) -> list[Row]:
    """Every figure of one ledger."""
    ledger = open_ledger(where)
    try:
        return [*await rate(name, ledger, deliberations), *await latency(name, ledger, times)]
    finally:
        await ledger.close()


def rows(server: str, folder: Path, deliberations: int = DELIBERATIONS, times: int = LATENCIES) -> list[Row]:
    """A file and a database, one after the other."""
    address = ledger_on(server, folder / "spool", f"bench_{secrets.token_hex(4)}")
    places = {"SQLite": str(folder / "ledger.db"), "PostgreSQL": address}
    return [row for name, where in places.items() for row in asyncio.run(measure(name, where, deliberations, times))]


def main() -> int:
    """Measure, and print a table."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server", default="", help="the address of a PostgreSQL to use")
    parser.add_argument("--deliberations", type=int, default=DELIBERATIONS)
    wish = parser.parse_args()
    with TemporaryDirectory() as name:
        around = [load(), *disk(Path(name), 50)]
        server = None if wish.server else PostgresServer(settings=("fsync=on",))
        try:
            found = rows(server.start().uri if server else wish.server, Path(name), wish.deliberations)
        finally:
            if server is not None:
                server.remove()
    measured = [*around, *found]
    print(table(measured))
    return int(failed(measured))


if __name__ == "__main__":
    sys.exit(main())
