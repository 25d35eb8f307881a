"""Ledgers of other versions: older ones are brought up to date, newer ones refused; and what is new shows."""

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from quorate.errors import LedgerNewer
from quorate.ledger import Ledger, open_ledger
from quorate.ledger import export as records
from quorate.ledger.sqlite.database import MIGRATIONS, migrate, open_writer, run
from quorate.model import Decided, Verdict
from tests.ledger.contract import unchecked, written
from tests.ledger.sample import CONVENED, VERDICT

WITHOUT_AN_ORDER = """
DROP TABLE claims;
DROP INDEX deliberations_sequence;
ALTER TABLE deliberations DROP COLUMN sequence;
ALTER TABLE deliberations DROP COLUMN imported"""


async def test_a_newer_ledger_is_refused_with_a_sentence(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, "PRAGMA user_version = 9")

    with pytest.raises(LedgerNewer, match=r"ledger\.db' has version 9, this quorate knows 4; upgrade quorate"):
        await ledger.read(id_)
    with pytest.raises(LedgerNewer):
        await written(ledger, CONVENED)


def test_an_older_file_is_migrated_once_and_keeps_what_it_holds(tmp_path: Path) -> None:
    def count(db: apsw.Connection) -> None:
        run(db, "UPDATE old SET value = value + 1")

    db = apsw.Connection(str(tmp_path / "old.db"))
    run(db, "CREATE TABLE old (value)")
    run(db, "INSERT INTO old VALUES (41)")
    migrate(db, (count,))
    migrate(db, (count,))

    assert run(db, "SELECT value FROM old") == [(42,)]
    assert run(db, "PRAGMA user_version") == [(1,)]
    db.close()


async def test_a_ledger_from_before_reviews_still_knows_who_waits_for_one(ledger: Ledger, path: Path) -> None:
    sure = Verdict(outcome='"decided":false', decided=True, rule="r", because="so")
    unsure = replace(sure, decided=False)
    ids = [await written(ledger, CONVENED, Decided(verdict=verdict)) for verdict in (VERDICT, sure, unsure)]
    still_open = await written(ledger, CONVENED)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, WITHOUT_AN_ORDER)
        run(db, "ALTER TABLE deliberations DROP COLUMN awaits; ALTER TABLE deliberations DROP COLUMN reviewed")
        run(db, "PRAGMA user_version = 1")

    waits = {summary.id: summary.awaits async for summary in ledger.list()}

    assert waits == {ids[0]: True, ids[1]: False, ids[2]: True, still_open: False}
    assert (await ledger.read(ids[0]))[1].event == Decided(verdict=VERDICT)


async def test_a_ledger_from_before_keys_were_claimed_takes_one(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, "DROP TABLE claims; PRAGMA user_version = 3")

    assert await ledger.open_claims() == []
    assert await ledger.claim("key", id_) == (id_, "")
    assert await ledger.open_claims() == [id_]


async def test_what_another_process_commits_changes_the_version(ledger: Ledger, path: Path) -> None:
    before = await ledger.version()
    other = open_ledger(path)
    await written(other, CONVENED)
    after = await ledger.version()
    await written(other, CONVENED)
    await other.close()

    assert len({before, after, await ledger.version()}) == 3


async def test_a_ledger_from_before_there_was_an_order_is_put_in_that_of_its_entries(
    ledger: Ledger, path: Path
) -> None:
    other = open_ledger(":memory:")
    lines = await records.export(other, await written(other, CONVENED))
    for id_ in ("m" * 26, "a" * 26):
        async with ledger.own(id_) as book:
            book.write(CONVENED)
    came = await records.import_(ledger, lines, unchecked)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, WITHOUT_AN_ORDER)
        run(db, "PRAGMA user_version = 2")

    found = [(summary.id, summary.imported) async for summary in ledger.list()]

    assert found == [(came, True), ("a" * 26, False), ("m" * 26, False)]
    assert await ledger.find("last") == "a" * 26


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def fail(db: apsw.Connection) -> None:
        run(db, "DROP TABLE deliberations")
        run(db, "SELECT * FROM nothing")

    db = open_writer(tmp_path / "ledger.db", 1)
    with pytest.raises(apsw.SQLError):
        migrate(db, (*MIGRATIONS, fail))

    assert run(db, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert run(db, "SELECT count(*) FROM deliberations") == [(0,)]
    db.close()
