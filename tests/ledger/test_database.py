from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import apsw
import pytest

from quorate.ledger.sqlite.database import MIGRATIONS, open_writer, run, transaction

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
            assert [*pool.map(opened, [tmp_path / f"{number}.db"] * openers)] == [len(MIGRATIONS)] * openers
