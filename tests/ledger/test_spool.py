import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate.errors import LedgerUnwritable
from quorate.ledger import Ledger, Row, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import first, now, seal
from quorate.ledger.spool.spool_files import write_record
from quorate.ledger.sqlite.database import open_writer, run
from quorate.ledger.sqlite.ledger import SqliteLedger
from tests.ledger.child import child
from tests.ledger.contract import entries_of, spool_files, written
from tests.ledger.sample import ASKED, CONVENED, EVENTS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
async def ledger(path: Path) -> AsyncIterator[Ledger]:
    ledger = open_ledger(path)
    yield ledger
    await ledger.close()


def contents(path: Path) -> list[bytes]:
    """What lies in the spools besides zeros."""
    return [content for each in spool_files(path) if (content := each.read_bytes().strip(b"\0"))]


def abandon(path: Path, *spooled: tuple[str, int, Row], torn: int = 0) -> Path:
    """The spool of a process that is gone, with these rows in it; of the last so many bytes are missing."""
    folder = Path(f"{path}.spool")
    folder.mkdir(exist_ok=True)
    left = folder / f"{len([*folder.iterdir()])}-left.spool"
    records = [write_record(*one) for one in spooled]
    content = b"".join(record + bytes(-len(record) % 16) for record in records[:-1])
    left.write_bytes((content + records[-1][: len(records[-1]) - torn]).ljust(65536, b"\0"))
    return left


async def killed(path: Path, *, spool: bool) -> str:
    """An id under which five entries were written by a process killed in the same breath."""
    id_ = new_id()
    async with child(path, spool=spool) as owner:
        assert await owner.tell(f"own {id_}") == "ok 0"
        assert await owner.tell("die 5") == ""
    return id_


async def test_what_a_killed_owner_wrote_is_taken_up_by_the_next(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=True)

    async with ledger.own(id_) as book:
        assert len(book.entries) == 5
        assert (await records.verify(ledger, id_)).entries == 5
        book.write(CONVENED)

    assert (await records.verify(ledger, id_)).entries == 6
    assert contents(path) == []
    assert len(spool_files(path)) == 1  # our own; the killed one's is gone


async def test_without_a_spool_it_is_lost(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=False)

    async with ledger.own(id_) as book:
        assert len(book.entries) < 5


async def test_a_killed_deliberation_is_found_though_nothing_was_committed(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=True)

    assert await ledger.find("last") == id_


async def test_what_does_not_follow_is_dropped(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    elsewhere = seal(ASKED, 2, "0" * 64, head.time)
    too_far = seal(ASKED, 3, head.hash, head.time)
    sealed_row = seal(ASKED, 2, head.hash, head.time)
    changed = sealed_row._replace(words=sealed_row.words.replace(b"What now?", b"What then"))
    for token, row in enumerate((elsewhere, too_far, changed), 7):
        abandon(path, (id_, token, row))

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [CONVENED]


async def test_the_tails_of_several_owners_are_joined(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    two = seal(EVENTS[1], 2, head.hash, head.time)
    three = seal(EVENTS[2], 3, two.hash, head.time)
    abandon(path, (id_, 10, three))
    abandon(path, (id_, 9, two))

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [*EVENTS[:3]]


async def test_what_two_killed_processes_wrote_is_taken_up_by_whoever_comes(ledger: Ledger, path: Path) -> None:
    ids = [await killed(path, spool=True) for _ in range(2)]
    assert len(contents(path)) == 2

    for id_ in ids:
        async with ledger.own(id_) as book:
            assert len(book.entries) == 5
    await ledger.close()
    assert spool_files(path) == []


async def test_a_fresh_one_that_was_killed_before_its_first_commit_is_the_last_there_is(
    ledger: Ledger, path: Path
) -> None:
    before, id_ = new_id(), new_id()
    async with child(path) as owner:
        await owner.tell(f"own {before}")
        await owner.tell("write 1")
        await owner.tell("leave")
        assert await owner.tell(f"begin {id_}") == "ok 0"
        assert await owner.tell("die 5") == ""

    assert await ledger.find("last") == id_
    assert await entries_of(ledger, id_) == 5
    assert (await records.verify(ledger, id_)).entries == 5


async def test_what_was_killed_while_its_spool_grew_is_taken_up(ledger: Ledger, path: Path) -> None:
    id_ = new_id()
    async with child(path) as owner:
        await owner.tell(f"own {id_}")
        await owner.tell("fall 1")  # it is killed once there is more room on the disk, before that is used
        assert await owner.tell("die 1000") == ""

    async with ledger.own(id_) as book:
        assert 30 < len(book.entries) < 100
        assert (await records.verify(ledger, id_)).entries == len(book.entries)


async def sealed(ledger: Ledger) -> tuple[str, Row, Row]:
    """A deliberation with one entry, and the two that might follow it."""
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    two = seal(EVENTS[1], 2, head.hash, head.time)
    return id_, two, seal(EVENTS[3], 3, two.hash, head.time)


@pytest.mark.parametrize("cut", [1, 2, 40, 300, 5000])
async def test_a_torn_record_is_dropped(ledger: Ledger, path: Path, cut: int) -> None:
    id_, two, three = await sealed(ledger)
    abandon(path, (id_, 9, two), (id_, 9, three), torn=min(cut, len(write_record(id_, 9, three)) - 8))

    assert await entries_of(ledger, id_) == 2


async def test_a_record_that_was_changed_is_dropped_and_those_around_it_are_not(ledger: Ledger, path: Path) -> None:
    id_, two, three = await sealed(ledger)
    left = abandon(path, (new_id(), 1, three), (id_, 9, two))
    left.write_bytes(left.read_bytes().replace(b'"number":3', b'"number":2'))

    assert await entries_of(ledger, id_) == 2


async def test_a_record_whose_token_was_torn_is_dropped(ledger: Ledger, path: Path) -> None:
    """No hash covers under which token a row was written."""
    id_, two, _ = await sealed(ledger)
    left = abandon(path, (id_, 1, two))
    left.write_bytes(left.read_bytes().replace(f"{id_} 1 ".encode(), f"{id_} 9 ".encode()))

    assert await entries_of(ledger, id_) == 1


@pytest.mark.parametrize(("size", "whole"), [(0, 0), (7, 0), (15, 0), (20, 0), (-1, 0), (0.5, 1), (60_000, 2)])
async def test_a_spool_that_somebody_has_cut_gives_what_is_whole(
    ledger: Ledger, path: Path, size: float, whole: int
) -> None:
    id_, two, three = await sealed(ledger)
    one = len(write_record(id_, 9, two))
    os.truncate(abandon(path, (id_, 9, two), (id_, 9, three)), {-1: one - 1, 0.5: one + 40}.get(size, int(size)))

    assert await entries_of(ledger, id_) == 1 + whole


async def test_whoever_was_shut_out_adds_nothing_through_the_spool(ledger: Ledger, path: Path) -> None:
    id_, two, _ = await sealed(ledger)  # its owner had token 2, and letting go has made it 3
    abandon(path, (id_, 2, two))

    assert await entries_of(ledger, id_) == 1


async def test_where_two_owners_wrote_the_same_entry_the_later_one_counts(ledger: Ledger, path: Path) -> None:
    id_, two, _ = await sealed(ledger)
    other = seal(ASKED, 2, two.before, two.time)
    abandon(path, (id_, 8, two))
    abandon(path, (id_, 9, other))
    abandon(path, (id_, 7, two))

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [CONVENED, ASKED]


async def test_a_spool_is_kept_until_all_of_it_is_committed(ledger: Ledger, path: Path) -> None:
    (one, first_row, _), (other, second_row, _) = await sealed(ledger), await sealed(ledger)
    left = abandon(path, (one, 9, first_row), (other, 9, second_row))

    assert await entries_of(ledger, one) == 2
    assert left.exists()
    assert await entries_of(ledger, other) == 2
    assert not left.exists()


async def test_what_was_begun_and_never_committed_is_found_as_the_last(ledger: Ledger, path: Path) -> None:
    await written(ledger, CONVENED)
    id_ = new_id()
    row = seal(CONVENED, 1, first(id_), now())
    abandon(path, (id_, 1, row))

    assert await ledger.find("last") == id_
    assert await entries_of(ledger, id_) == 1
    assert (await records.verify(ledger, id_)).entries == 1


async def test_what_could_not_be_committed_is_taken_up_by_the_same_process(path: Path) -> None:
    ledger, id_ = SqliteLedger(path, busy=0.2, ttl=0.3), new_id()
    other = open_writer(path, 1)
    own = ledger.own(id_)
    book = await own.__aenter__()
    run(other, "BEGIN IMMEDIATE")
    for number in range(3):
        book.write(EVENTS[number])
        await asyncio.sleep(0.12)  # the first is refused by now, the others come before that is known
    with pytest.raises(LedgerUnwritable):
        await book.committed()
    with pytest.raises(LedgerUnwritable):
        await own.__aexit__(None, None, None)
    other.close()
    await asyncio.sleep(0.4)

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [*EVENTS[:3]]
    assert contents(path) == []
    await ledger.close()
    assert spool_files(path) == []


@pytest.fixture
def linked(path: Path, tmp_path: Path) -> Path:
    """A folder to which the spool has become a link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path(f"{path}.spool").symlink_to(elsewhere)
    return elsewhere


async def test_the_spool_follows_no_link(ledger: Ledger, path: Path, linked: Path) -> None:
    with pytest.raises(LedgerUnwritable, match=r"cannot write .*\.spool'"):
        await written(ledger, CONVENED)

    assert contents(path) == []


async def test_forgetting_overwrites_what_a_killed_process_has_left(ledger: Ledger, path: Path) -> None:
    (one, two, three), (other, kept, _) = await sealed(ledger), await sealed(ledger)
    left = abandon(path, (other, 9, kept), (one, 9, two), (one, 9, three), torn=30)

    await ledger.forget(one)

    assert left.read_bytes().rstrip(b"\0") == write_record(other, 9, kept)


async def test_forgetting_says_so_where_a_running_process_has_words_left(ledger: Ledger, path: Path) -> None:
    id_, two, _ = await sealed(ledger)
    with abandon(path, (id_, 9, two)).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LedgerUnwritable, match=r"still running has words of .*; stop it, then forget it again"):
            await ledger.forget(id_)
    await ledger.forget(id_)
    assert contents(path) == []
