import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import apsw
import pytest

from quorate.ledger.sqlite.database import SCHEMA_VERSION, Turns, open_writer, run, transaction

NORMAL, FULL = 1, 2


@pytest.fixture
def db(tmp_path: Path) -> apsw.Connection:
    return open_writer(tmp_path / "ledger.db", 1.0)


def synchronous(db: apsw.Connection) -> int:
    return int(run(db, "PRAGMA synchronous")[0][0])


def test_a_transaction_is_durable_unless_it_need_not_be(db: apsw.Connection) -> None:
    with transaction(db):
        assert synchronous(db) == FULL
    with transaction(db, durable=False):
        assert synchronous(db) == NORMAL


def test_the_next_one_is_durable_again_even_after_a_failure(db: apsw.Connection) -> None:
    with pytest.raises(KeyError), transaction(db, durable=False):
        raise KeyError

    assert synchronous(db) == FULL
    assert not db.in_transaction


def test_many_may_make_the_same_ledger_at_the_same_moment(tmp_path: Path) -> None:
    """A ledger that is half made by somebody else is no stranger's file."""
    rounds, openers = 20, 8
    together = Barrier(openers)

    def opened(path: Path) -> int:
        together.wait()
        db = open_writer(path, 10.0)
        try:
            return int(run(db, "PRAGMA user_version")[0][0])
        finally:
            db.close()

    with ThreadPoolExecutor(openers) as pool:
        for number in range(rounds):
            assert [*pool.map(opened, [tmp_path / f"{number}.db"] * openers)] == [SCHEMA_VERSION] * openers


def test_whoever_waits_for_a_turn_waits_as_long_as_others_get_on(tmp_path: Path) -> None:
    def work(_: int) -> None:
        with Turns.on(tmp_path / "ledger.db").turn(1.0):
            time.sleep(0.1)

    with ThreadPoolExecutor(20) as pool:
        assert len([*pool.map(work, range(20))]) == 20  # the last has waited for two seconds


def test_a_turn_that_is_never_given_back_is_not_waited_for(tmp_path: Path) -> None:
    turns = Turns.on(tmp_path / "ledger.db")
    with turns.turn(1.0), ThreadPoolExecutor(1) as pool:
        waits = pool.submit(turns.turn(0.2).__enter__)

        assert isinstance(waits.exception(), apsw.BusyError)


def test_turns_are_taken_among_those_on_the_same_file(tmp_path: Path) -> None:
    one, other = Turns.on(tmp_path / "one.db"), Turns.on(tmp_path / "other.db")
    with one.turn(0.1), other.turn(0.1):
        assert Turns.on(tmp_path / "one.db") is one
