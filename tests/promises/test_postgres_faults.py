"""A database that is cut off, hangs, is slow, restarts or is full: nothing is lost, and nothing is bought twice.

A cut or a slow network is a proxy on loopback, a restart is the server's own immediate shutdown, and a full disk is a
tablespace on a small file system in memory.
"""

import asyncio
import os
import secrets
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quorate.engine.runner import Runner
from quorate.errors import LedgerUnwritable, OwnerLost
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.address import Address
from quorate.ledger.postgres.ledger import PostgresLedger
from quorate.model import Ask, AskKey, Decided, Halted, Reply
from quorate.panelists import WordListener, ignore_words
from tests.ledger.child import child
from tests.play import convened, words
from tests.postgres import PostgresServer, ledger_on
from tests.tcp_proxy import TcpProxy
from tests.tribunal import PANEL

pytestmark = [pytest.mark.promise, pytest.mark.xdist_group("postgres faults")]

ASKS = 12
"""Of a tribunal of three: analysis, challenge, revision."""


class Seats:
    """Answers for every seat of one deliberation, counts, and does something when it is asked for the n-th time."""

    def __init__(self, acts: Mapping[int, Callable[[], None]] | None = None, *, slow: float = 0.0) -> None:
        self.asked: list[AskKey] = []
        self._acts = acts or {}
        self._slow = slow

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.asked.append(ask.key)
        if act := self._acts.get(len(self.asked)):
            await asyncio.to_thread(act)
        await asyncio.sleep(self._slow)
        return words(ask, "WARN")

    @property
    def by_seat(self) -> dict[str, "Seats"]:
        return {seat.name: self for seat in PANEL}


async def hold(ledger: Ledger, seats: Seats, id_: str = "") -> str:
    """Hold a tribunal, or go on with one, and see that it is decided; its id."""
    async with Runner(ledger) as runner:
        if id_:
            record = await runner.resume(id_, panelists=seats.by_seat)
        else:
            record = await runner.hold(convened(PANEL), panelists=seats.by_seat)
    assert isinstance(record.events[-1], Decided)
    return record.id


async def check(ledger: Ledger, id_: str, *asked: AskKey) -> None:
    """The record holds, and everything was asked once."""
    assert sorted(asked, key=str) == sorted(set(asked), key=str)
    assert len(asked) == ASKS
    rows = await ledger.rows(id_)
    assert (await records.verify(ledger, id_)).entries == len(rows) == len({row.hash for row in rows})


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[TcpProxy]:
    proxy = TcpProxy(postgres_server.port)
    yield proxy
    proxy.close()


@pytest.fixture
def address(postgres_server: PostgresServer, proxy: TcpProxy, tmp_path: Path) -> str:
    return ledger_on(postgres_server.tcp(proxy.port), tmp_path / "spool")


@pytest.fixture
async def opened() -> AsyncIterator[Callable[..., PostgresLedger]]:
    """Opens ledgers that give up soon, and closes them."""
    async with AsyncExitStack() as stack:

        def open_(address: str, **other: float) -> PostgresLedger:
            ledger = PostgresLedger(Address.of(address), **{"busy": 1.0, "patience": 60.0, **other})  # type: ignore[arg-type]
            stack.push_async_callback(ledger.close)
            return ledger

        yield open_


@pytest.mark.parametrize("fault", ["cut", "hang"])
async def test_while_the_database_is_away_a_deliberation_goes_on_and_is_committed_after(
    opened: Callable[..., PostgresLedger], address: str, proxy: TcpProxy, fault: str
) -> None:
    ledger, seats = opened(address), Seats({4: getattr(proxy, fault), ASKS: proxy.mend})

    id_ = await hold(ledger, seats)

    await check(ledger, id_, *seats.asked)


async def test_away_for_too_long_is_a_typed_error_and_the_same_machine_goes_on_from_its_spool(
    opened: Callable[..., PostgresLedger], address: str, proxy: TcpProxy
) -> None:
    """The first five are answered at once; the sixth and whatever is asked with it come after the error."""

    class Waiting(Seats):
        async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
            late = len(self.asked) >= 5
            reply = await super().answer(ask, overheard)
            await asyncio.sleep(3 if late else 0)
            return reply

    first, seats, again = opened(address, patience=0.5), Waiting({5: proxy.cut}), Seats()
    with pytest.raises(LedgerUnwritable, match=r"cannot use the ledger .*; what was acknowledged before is safe"):
        await hold(first, seats)
    proxy.mend()
    await first.close()  # a process that ends is gone, and what it held can be taken at once
    ledger = opened(address)
    id_ = await ledger.find("last")
    await hold(ledger, again, id_)

    assert set(again.asked).isdisjoint(seats.asked[:5])
    await check(ledger, id_, *seats.asked[:5], *again.asked)


async def test_a_slow_network_keeps_its_lease_and_is_waited_for(
    opened: Callable[..., PostgresLedger], address: str, proxy: TcpProxy, postgres_server: PostgresServer
) -> None:
    refused: list[str] = []
    near = opened(address.replace(f":{proxy.port}/", f":{postgres_server.port}/"))

    async def reach(id_: str) -> None:
        with pytest.raises(OwnerLost):
            async with near.own(id_):
                pass
        refused.append(id_)

    slow = opened(address, ttl=1.0, busy=10.0)
    async with slow.own(new_id()) as book:
        book.write(Halted(why="first"))
        await book.committed()
        proxy.latency = 0.2
        for _ in range(4):
            await reach(book.id)
            book.write(Halted(why="later"))
            await book.committed()
    seats = Seats()
    id_ = await hold(slow, seats)

    assert len(refused) == 4
    assert (await records.verify(near, book.id)).entries == 5
    await check(near, id_, *seats.asked)


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that may be harmed."""
    server = PostgresServer(settings=("fsync=on",))
    yield server.start()
    server.remove()


async def test_a_server_that_is_restarted_at_once_under_load_loses_nothing(
    opened: Callable[..., PostgresLedger], own_server: PostgresServer, tmp_path: Path
) -> None:
    def restart() -> None:
        own_server.stop("immediate")
        own_server.start()

    ledger = opened(ledger_on(own_server.uri, tmp_path / "spool"), busy=20.0)
    several = [Seats(slow=0.05) for _ in range(6)] + [Seats({3: restart, 9: restart}, slow=0.05)]

    ids = await asyncio.gather(*(hold(ledger, seats) for seats in several))

    for id_, seats in zip(ids, several, strict=True):
        await check(ledger, id_, *seats.asked)


@pytest.fixture
def small_disk(own_server: PostgresServer) -> Iterator[Path]:
    """A tablespace `small` on a file system of 8 MB."""
    folder = Path(tempfile.mkdtemp(prefix="quorate-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        folder.rmdir()
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    folder.chmod(0o777)
    space = folder / "space"
    space.mkdir()
    os.chown(space, own_server.folder.stat().st_uid, own_server.folder.stat().st_gid)
    own_server.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
    yield folder
    own_server.stop()
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def fill(folder: Path) -> Path:
    """Leave no byte on a file system."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        for size in (1 << 16, 1 << 12, 1):
            while True:
                try:
                    os.write(file.fileno(), bytes(size))
                except OSError:
                    break
    return filler


async def test_a_full_disk_is_waited_for_and_then_a_typed_error_and_nothing_is_lost(
    opened: Callable[..., PostgresLedger], own_server: PostgresServer, small_disk: Path, tmp_path: Path
) -> None:
    address = f"{ledger_on(own_server.uri, tmp_path / 'spool')}&default_tablespace=small"
    own = (ledger := opened(address, patience=2.0)).own(new_id())
    book = await own.__aenter__()
    filler = fill(small_disk)
    for _ in range(500):
        book.write(Halted(why=secrets.token_hex(1000)))
    waiting = asyncio.ensure_future(book.committed())
    while "No space left on device" not in (own_server.folder / "log").read_text():  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    filler.unlink()
    await waiting

    filler = fill(small_disk)
    for _ in range(500):
        book.write(Halted(why=secrets.token_hex(1000)))
    with pytest.raises(LedgerUnwritable, match=r"No space left on device.*make room on its disk"):
        await own.__aexit__(None, None, None)
    filler.unlink()

    async with ledger.own(book.id) as again:
        assert [entry.hash for entry in again.entries] == [entry.hash for entry in book.entries]
    assert (await records.verify(ledger, book.id)).entries == 1000


@pytest.mark.parametrize("ahead", [60, -60])
async def test_a_lease_holds_and_ends_by_the_databases_clock_whatever_those_of_the_hosts_say(
    postgres_ledger: str, ahead: int
) -> None:
    ttl = 2.0
    async with child(postgres_ledger, ttl=ttl) as one, child(postgres_ledger, ttl=ttl) as other:
        await one.tell(f"clock {ahead}")
        await other.tell(f"clock {-ahead}")
        id_ = new_id()
        assert await one.tell(f"own {id_}") == "ok 0"
        assert await one.tell("write 2") == "ok 2"
        assert (await other.tell(f"own {id_}")).startswith("OwnerLost")
        one.stop()
        assert (await other.tell(f"own {id_}")).startswith("OwnerLost")
        await asyncio.sleep(ttl + 0.5)
        assert await other.tell(f"own {id_}") == "ok 2"
        assert await other.tell("write 2") == "ok 4"
        one.go_on()
        assert (await one.tell("write 1")).startswith("OwnerLost")
        assert await other.tell("write 1") == "ok 5"

    ledger = open_ledger(postgres_ledger)
    times = [entry.time for entry in await ledger.read(id_)]
    assert (await records.verify(ledger, id_)).entries == 5
    assert (times[0] < times[-1]) == (ahead < 0)  # entries bear the clock of whoever wrote them
    await ledger.close()
