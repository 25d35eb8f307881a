import asyncio
import os
import random
import re
import stat
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from queue import Queue

import apsw
import pytest

from quorate.errors import LedgerBroken, LedgerUnwritable
from quorate.ledger import Entry, Ledger, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.sqlite.database import open_writer, run
from quorate.ledger.sqlite.ledger import SqliteLedger
from quorate.ledger.sqlite.writer import Writer
from quorate.model import Halted
from tests.ledger.child import Child, child
from tests.ledger.contract import TTL, LedgerContract, Stalled, written
from tests.ledger.sample import CONVENED, EVENTS, SEED

NOBODY = 65534


class StoppedOwner:
    """Owns in a process that was stopped, so that it lives but cannot renew its lease."""

    def __init__(self, process: Child) -> None:
        self._process = process

    async def wakes(self) -> str:
        self._process.go_on()
        return await self._process.tell("write 1")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder anybody can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def made_in(folder: Path) -> list[tuple[Path, int]]:
    """Everything in a folder and the folder itself, with who may do what."""
    return [(each, stat.S_IMODE(each.stat().st_mode)) for each in (folder, *folder.rglob("*"))]


def everything_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


class TestSqlite(LedgerContract):
    @pytest.fixture
    async def stalled(self, path: Path) -> AsyncIterator[Stalled]:
        async with child(path, ttl=TTL) as process:
            assert await process.tell(f"own {new_id()}") == "ok 0"
            assert await process.tell("write 1") == "ok 1"
            process.stop()
            yield StoppedOwner(process)


async def test_an_entry_that_is_watched_is_in_the_file(ledger: Ledger, path: Path) -> None:
    found: list[int] = []

    def watch(_: Entry) -> None:
        with apsw.Connection(str(path)) as db:
            found.append(run(db, "SELECT count(*) FROM entries")[0][0])

    async with ledger.own(new_id(), watch=watch) as book:
        for number in range(3):
            book.write(EVENTS[number])
            await book.committed()

    assert found == [1, 2, 3]


async def test_reading_makes_no_file(ledger: Ledger, path: Path) -> None:
    assert [summary async for summary in ledger.list()] == []
    assert not path.parent.exists()


async def test_nobody_else_may_read_what_is_made(ledger: Ledger, path: Path) -> None:
    async with ledger.own(new_id()) as book:
        book.write(CONVENED)
        modes = {each.name.partition(".")[2]: mode for each, mode in made_in(path.parent)}

    await ledger.close()

    assert modes.pop("db") == modes.pop("db-wal") == modes.pop("db-shm") == modes.pop("spool") == 0o600
    assert modes == {"": 0o700, "db.spool": 0o700}
    assert not any(each.suffix == ".spool" and each.is_file() for each, _ in made_in(path.parent))


@pytest.fixture
def filled(path: Path, request: pytest.FixtureRequest) -> bytes:
    """What was in the file before any ledger was."""
    path.parent.mkdir()
    path.write_bytes(request.param)
    return bytes(request.param)


def theirs() -> bytes:
    db = apsw.Connection(":memory:")
    run(db, "CREATE TABLE theirs (x)")
    return db.serialize("main")


@pytest.mark.parametrize("filled", [b""], indirect=True)
async def test_an_empty_file_becomes_a_ledger(ledger: Ledger, filled: bytes) -> None:
    assert [summary async for summary in ledger.list()] == []
    assert await ledger.find(await written(ledger, CONVENED))


@pytest.mark.parametrize("filled", [b"dear diary " * 100, theirs()], ids=["text", "sqlite"], indirect=True)
async def test_somebody_elses_file_is_left_alone(ledger: Ledger, path: Path, filled: bytes) -> None:
    for attempt in (ledger.read("last"), written(ledger, CONVENED)):
        with pytest.raises(LedgerBroken, match=r"not a (quorate )?ledger.*give another path"):
            await attempt

    assert filled in everything_in(path.parent)


@pytest.fixture
async def read_only(open_folder: Path) -> AsyncIterator[tuple[Path, str]]:
    """A finished ledger that may only be read, in a folder that may only be read, and the id in it."""
    path = open_folder / "ledger.db"
    ledger = open_ledger(path)
    id_ = await written(ledger, *EVENTS)
    await ledger.close()
    os.chmod(path, 0o444)  # noqa: PTH101  the method is not for coroutines
    os.chmod(open_folder, 0o555)  # noqa: PTH101, S103  nothing in it is secret
    yield path, id_
    os.chmod(open_folder, 0o755)  # noqa: PTH101, S103  the same


async def test_a_folder_nobody_may_write_to_can_still_be_read(read_only: tuple[Path, str]) -> None:
    path, id_ = read_only
    async with child(path) as reader:
        await reader.tell(f"become {NOBODY if os.getuid() == 0 else os.getuid()}")

        assert await reader.tell("list") == f"ok ['{id_}']"
        assert await reader.tell(f"verify {id_}") == f"ok {len(EVENTS)}"
        refused = await reader.tell(f"own {id_}")

    assert refused.startswith(f"LedgerUnwritable cannot use the ledger '{path}'")
    assert "give another path" in refused


async def test_a_full_disk_fails_the_book_and_not_the_file(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    await ledger.close()
    async with child(path, spool=False) as writer:
        await writer.tell("limit 300000")
        assert await writer.tell(f"own {id_}") == "ok 1"
        assert await writer.tell("write 20") == "ok 21"
        failed = [await writer.tell("write 1000"), await writer.tell("write 1"), await writer.tell("leave")]

    assert all(answer.startswith(f"LedgerUnwritable cannot use the ledger '{path}'") for answer in failed[:2])
    assert all("what was acknowledged before is safe" in answer for answer in failed[:2])
    assert (await records.verify(ledger, id_)).entries >= 21
    async with ledger.own(id_) as book:
        book.write(Halted(why="room again"))


async def test_a_disk_too_full_for_the_spool_is_told_at_once(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    async with child(path) as writer:
        await writer.tell("limit 100000")
        assert await writer.tell(f"own {id_}") == "ok 1"
        failed = await writer.tell("write 1000")

    assert re.match(rf"LedgerUnwritable cannot write '{path}\.spool/\d+-\w+\.spool': .*make room", failed)
    async with ledger.own(id_) as book:
        assert len(book.entries) > 30


async def test_a_lock_that_is_not_given_back_fails_the_book(path: Path) -> None:
    ledger = SqliteLedger(path, busy=0.2)
    other = open_writer(path, 1)
    own = ledger.own(new_id())
    book = await own.__aenter__()
    run(other, "BEGIN IMMEDIATE")
    book.write(CONVENED)

    with pytest.raises(LedgerUnwritable, match=r"locked.*what was acknowledged before is safe"):
        await book.committed()
    with pytest.raises(LedgerUnwritable, match="locked"):
        book.write(CONVENED)
    with pytest.raises(LedgerUnwritable, match="locked"):
        await own.__aexit__(None, None, None)

    other.close()
    await ledger.close()


async def test_a_fault_in_the_writing_thread_leaves_nobody_waiting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: Queue[type[BaseException]] = Queue()
    monkeypatch.setattr(threading, "excepthook", lambda fault: reported.put(fault.exc_type))
    writer = Writer(path, busy=1, ttl=1)

    with pytest.raises(LedgerUnwritable, match=r"the thread that writes .* failed"):
        await writer.call(lambda _: 1 // 0)

    assert reported.get() is ZeroDivisionError
    assert await writer.call(lambda _: "works again") == "works again"
    writer.stop()


async def test_forgotten_bytes_are_nowhere_in_the_files(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, *EVENTS, *EVENTS[:4] * 20)
    other = await written(ledger, CONVENED)
    secrets = (CONVENED.question.text.encode(), b"I would wait", b"https://a.example/1")

    before = everything_in(path.parent)
    await ledger.forget(other)
    await ledger.forget(id_)

    left = everything_in(path.parent)
    assert all(secret in before for secret in (*secrets, SEED.encode()))
    assert not any(secret in left for secret in (*secrets, SEED.encode()))


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM entries WHERE number = 12",
        "DELETE FROM entries WHERE number = 3",
        "UPDATE entries SET public = replace(CAST(public AS TEXT), 'WARN', 'ACTS') WHERE number = 9",
    ],
)
async def test_a_record_that_was_changed_in_the_file_is_not_continued(ledger: Ledger, path: Path, harm: str) -> None:
    id_ = await written(ledger, *EVENTS)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, harm.replace("replace(", "CAST(replace(").replace("'ACTS')", "'ACTS') AS BLOB)"))

    with pytest.raises(LedgerBroken, match=f"{id_}.* changed"):
        await records.verify(ledger, id_)
    with pytest.raises(LedgerBroken, match=f"{id_}.* changed"):
        async with ledger.own(id_):
            pass


@pytest.mark.parametrize("column", ["public", "words", "salt", "time"])
async def test_what_was_changed_in_the_file_is_not_continued_by_whoever_still_has_it_in_memory(
    ledger: Ledger, path: Path, column: str
) -> None:
    id_ = await written(ledger, *EVENTS)
    async with ledger.own(id_) as first:
        first.write(EVENTS[-1])
    async with ledger.own(id_) as second:
        assert [entry.event for entry in second.entries] == [*EVENTS, EVENTS[-1]]
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        kind = "BLOB" if column in {"public", "words"} else "TEXT"
        run(db, f"UPDATE entries SET {column} = CAST({column} || 'x' AS {kind}) WHERE number = 9")  # noqa: S608 - ours

    with pytest.raises(LedgerBroken, match=f"{id_}.* changed"):
        async with ledger.own(id_):
            pass
    assert len(second.entries) == len(EVENTS) + 1


async def test_taking_may_be_cancelled_and_nothing_stays_held(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED)
    own = ledger.own(id_)
    taking = asyncio.ensure_future(own.__aenter__())
    await asyncio.sleep(0)
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    await asyncio.sleep(0.1)

    async with ledger.own(id_) as book:
        assert len(book.entries) == 1


@pytest.mark.slow
async def test_a_ledger_closes_whenever_taking_was_cancelled(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(150):
        ledger = open_ledger(str(path))
        taking = asyncio.ensure_future(ledger.own(new_id()).__aenter__())
        await asyncio.sleep(chance.choice((0.0, 0.0005, 0.001, 0.002)))
        taking.cancel()
        await asyncio.wait({taking})
        async with asyncio.timeout(20):
            await ledger.close()


async def test_two_processes_write_at_once_and_both_are_kept(ledger: Ledger, path: Path) -> None:
    ids = [new_id(), new_id()]
    async with child(path) as one, child(path) as two:
        for process, id_ in zip((one, two), ids, strict=True):
            process.order(f"own {id_}")
            for _ in range(10):
                process.order("write 20")
            process.order("leave")
        answers = [[await process.answer() for _ in range(12)][-2:] for process in (one, two)]

    assert answers == [["ok 200", "ok"]] * 2
    assert [(await records.verify(ledger, id_)).entries for id_ in ids] == [200, 200]


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_eight_processes_open_a_new_ledger_25_times_each_at_once_and_all_wait_their_turn(
    ledger: Ledger, path: Path
) -> None:
    async with AsyncExitStack() as started:
        crowd = [await started.enter_async_context(child(path)) for _ in range(8)]
        for process in crowd:
            process.order("crowd 25")

        assert [await process.answer() for process in crowd] == ["ok 25"] * 8

    assert [summary.entries async for summary in ledger.list()] == [3] * 200
