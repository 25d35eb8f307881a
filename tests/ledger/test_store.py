from pathlib import Path

import apsw
import pytest

from quorate.ledger.store import open_writer, run, transaction

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
