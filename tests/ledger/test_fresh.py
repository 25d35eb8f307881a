"""An id that nobody else can hold is taken together with its first entries."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.errors import LedgerUnwritable, OwnerLost
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.ledger.sqlite.database import open_writer, run
from quorate.ledger.sqlite.ledger import SqliteLedger
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


async def test_what_was_fresh_and_could_not_be_committed_is_found_by_the_same_process(path: Path) -> None:
    ledger, id_ = SqliteLedger(path, busy=0.2), new_id()
    await written(ledger, CONVENED)
    other = open_writer(path, 1)
    run(other, "BEGIN IMMEDIATE")
    own = ledger.own(id_, fresh=True)
    (await own.__aenter__()).write(CONVENED)
    with pytest.raises(LedgerUnwritable, match="locked"):
        await own.__aexit__(None, None, None)
    other.close()

    assert await ledger.find("last") == id_
    assert await entries_of(ledger, id_) == 1
    await ledger.close()
    assert spool_files(path) == []


async def test_a_fresh_deliberation_is_leased_from_its_first_entry_on(ledger: Ledger, path: Path) -> None:
    await written(ledger, CONVENED)
    id_, other = new_id(), open_ledger(path)
    async with ledger.own(id_, fresh=True) as book:
        book.write(CONVENED)
        await book.committed()
        with pytest.raises(OwnerLost, match="in use by process"):
            await entries_of(other, id_)
    assert await entries_of(other, id_) == 1
    await other.close()


async def test_an_id_that_was_used_is_not_fresh(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED)
    own = ledger.own(id_, fresh=True)
    (await own.__aenter__()).write(ASKED)
    with pytest.raises(OwnerLost, match="taken over by another process"):
        await own.__aexit__(None, None, None)

    assert await entries_of(ledger, id_) == 1


async def test_of_a_fresh_deliberation_in_which_nothing_was_written_there_is_no_trace(ledger: Ledger) -> None:
    known = await written(ledger, CONVENED)
    async with ledger.own(new_id(), fresh=True):
        pass

    assert [summary.id async for summary in ledger.list()] == [known]


async def test_a_row_that_came_while_the_one_before_was_refused_is_not_lost(path: Path) -> None:
    """The writer knows that the first is refused before the book hears of it, and by then there is room again."""
    ledger, id_ = SqliteLedger(path, busy=0.1), new_id()
    other = open_writer(path, 1)
    own = ledger.own(id_)
    book = await own.__aenter__()
    run(other, "BEGIN IMMEDIATE")
    book.write(EVENTS[0])
    time.sleep(1.5)  # noqa: ASYNC251  so that the book cannot hear
    other.close()
    book.write(EVENTS[1])
    with pytest.raises(LedgerUnwritable):
        await own.__aexit__(None, None, None)

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [*EVENTS[:2]]
    await ledger.close()


async def test_a_fresh_deliberation_is_kept_as_long_as_its_owner_lives(path: Path) -> None:
    ledger, other, id_ = SqliteLedger(path, ttl=0.6), open_ledger(path), new_id()
    await written(ledger, CONVENED)
    async with ledger.own(id_, fresh=True) as book:
        book.write(CONVENED)
        await asyncio.sleep(1.2)
        with pytest.raises(OwnerLost, match="in use by process"):
            await entries_of(other, id_)
    await ledger.close()
    await other.close()


async def test_what_somebody_holds_is_not_fresh_though_nothing_was_written(ledger: Ledger, path: Path) -> None:
    await written(ledger, CONVENED)
    id_, other = new_id(), open_ledger(path)
    async with other.own(id_) as book:
        own = ledger.own(id_, fresh=True)
        (await own.__aenter__()).write(ASKED)
        with pytest.raises(OwnerLost, match="taken over by another process"):
            await own.__aexit__(None, None, None)
        book.write(CONVENED)
    assert [entry.event for entry in await other.read(id_)] == [CONVENED]
    await other.close()


@pytest.mark.parametrize("many", [3, 8, 9, 64, 75, 140])
async def test_of_several_that_are_committed_together_only_those_taken_over_are_lost(
    many: int, ledger: Ledger, path: Path
) -> None:
    """As many as go into one statement, fewer and more; those lost stand at both ends and among them."""
    ids = [new_id() for _ in range(many)]
    gone = {0, many // 2, many - 1}
    async with AsyncExitStack() as open_:
        owned = [ledger.own(id_) for id_ in ids]
        lost = {at: await owned[at].__aenter__() for at in gone}
        kept = [await open_.enter_async_context(own) for at, own in enumerate(owned) if at not in gone]
        for book in (*kept, *lost.values()):
            book.write(CONVENED)
        for book in (*kept, *lost.values()):
            await book.committed()
        db = open_writer(path, 1)
        for at in gone:
            run(db, "UPDATE deliberations SET token = token + 1 WHERE id = ?", (ids[at],))
        db.close()
        for number in range(5):
            for book in (*kept, *lost.values()):
                book.write(replace(ASKED, sending=number + 1))
        for book in kept:
            await book.committed()
        for at in gone:
            with pytest.raises(OwnerLost, match="taken over by another process"):
                await owned[at].__aexit__(None, None, None)

    found = [[entry.event for entry in await ledger.read(id_)] for id_ in ids]
    sent = [replace(ASKED, sending=number + 1) for number in range(5)]
    assert found == [[CONVENED] if at in gone else [CONVENED, *sent] for at in range(many)]
