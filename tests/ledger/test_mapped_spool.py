"""The spool of a process by itself: nothing that is still wanted is ever overwritten, and room is used again."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.ledger import Row, new_id
from quorate.ledger.chain import seal
from quorate.ledger.spool.mapped_spool import Place, Spool, open_spool
from quorate.ledger.spool.spool_files import SpooledRow, abandoned_spools, parse_records
from quorate.model import Halted

NOW = "2026-11-16T00:00:00.000000Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db.spool"


@pytest.fixture
def spool(folder: Path) -> Iterator[Spool]:
    spool = open_spool(folder)
    yield spool
    spool.close()


def row(number: int = 1, length: int = 10) -> Row:
    return seal(Halted(why="x" * length), number, "0" * 64, NOW)


def found(folder: Path) -> list[SpooledRow]:
    return [spooled for path in sorted(folder.iterdir()) for spooled in parse_records(path.read_bytes())]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_a_row_is_found_as_soon_as_it_was_added_and_gone_once_it_was_wiped(spool: Spool, folder: Path) -> None:
    id_, one, two = new_id(), row(1), row(2)
    place = spool.add(id_, 3, one)
    spool.add(id_, 3, two)
    assert found(folder) == [SpooledRow(id_, 3, one), SpooledRow(id_, 3, two)]

    spool.wipe([place])

    assert found(folder) == [SpooledRow(id_, 3, two)]


def test_whatever_is_added_and_wiped_what_is_wanted_is_there_and_nothing_else(
    spool: Spool, folder: Path, seed: int
) -> None:
    chance = random.Random(seed)
    wanted: dict[Place, SpooledRow] = {}
    for number in range(1, 400):
        id_, one = new_id(), row(number, chance.choice((10, 500, 3000, 3000, 90_000)))
        wanted[spool.add(id_, number, one)] = SpooledRow(id_, number, one)
        if chance.random() < 0.3:
            gone = chance.sample([*wanted], chance.randint(0, len(wanted)))
            spool.wipe(gone)
            wanted = {place: spooled for place, spooled in wanted.items() if place not in gone}
        if number % 20 == 0:
            assert sorted(found(folder)) == sorted(wanted.values())
    assert sorted(found(folder)) == sorted(wanted.values())


def test_room_is_used_again_however_much_goes_through(spool: Spool, folder: Path) -> None:
    for _ in range(50):
        spool.wipe([spool.add(new_id(), 1, row(number, 2000)) for number in range(1, 60)])

    assert size(folder) <= 4 * 65536
    assert not any(path.read_bytes().strip(b"\0") for path in folder.iterdir())


def test_one_process_has_one_file_whoever_opens_it(spool: Spool, folder: Path) -> None:
    other = open_spool(folder)
    assert other is spool
    other.close()
    spool.add(new_id(), 1, row())

    assert len([*folder.iterdir()]) == 1


def test_closing_leaves_a_file_only_where_something_is_wanted(folder: Path) -> None:
    id_, one = new_id(), row()
    spool = open_spool(folder)
    spool.add(id_, 1, one)
    spool.close()
    assert found(folder) == [SpooledRow(id_, 1, one)]

    spool = open_spool(folder)
    spool.wipe([spool.add(new_id(), 1, one)])
    spool.close()
    assert len([*folder.iterdir()]) == 1


def test_a_forked_child_writes_to_a_file_of_its_own(spool: Spool, folder: Path) -> None:
    mine, its = (new_id(), row(1)), (new_id(), row(2))
    place = spool.add(mine[0], 1, mine[1])
    if (pid := os.fork()) == 0:
        spool.add(its[0], 1, its[1])
        os._exit(0)
    os.waitpid(pid, 0)

    assert sorted(found(folder)) == sorted([SpooledRow(mine[0], 1, mine[1]), SpooledRow(its[0], 1, its[1])])
    assert len([*folder.iterdir()]) == 2
    spool.wipe([place])
    assert [spooled.id for spooled in found(folder)] == [its[0]]


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: os.truncate(path, 0), lambda path: os.truncate(path, 5000)])
def test_where_somebody_has_removed_or_cut_the_file_a_new_one_is_begun(
    spool: Spool, folder: Path, harm: object
) -> None:
    """To touch what was cut off would kill this process."""
    places = [spool.add(new_id(), 1, row(number, 2000)) for number in range(1, 10)]
    [file] = folder.iterdir()
    harm(file)  # type: ignore[operator]

    spool.wipe(places)
    id_ = new_id()
    spool.add(id_, 1, row())

    assert id_ in [spooled.id for spooled in found(folder)]


def test_a_file_that_was_cut_while_nothing_was_in_it_is_not_touched(spool: Spool, folder: Path) -> None:
    spool.wipe([spool.add(new_id(), 1, row())])
    [file] = folder.iterdir()
    os.truncate(file, 0)

    spool.add(new_id(), 1, row())

    assert len(found(folder)) == 1


def test_a_spool_is_abandoned_once_its_process_has_let_go_of_it_and_not_before(folder: Path) -> None:
    spool = open_spool(folder)
    spool.add(new_id(), 1, row())
    with abandoned_spools(folder) as left:
        assert left == ()

    spool.close()

    with abandoned_spools(folder) as left:
        assert [len(one.rows) for one in left] == [1]
        with abandoned_spools(folder) as again:
            assert again == ()
