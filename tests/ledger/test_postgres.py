"""The ledger in a real PostgreSQL: what every ledger promises, and what only this one has to."""

import asyncio
import gc
import json
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quorate.errors import BadSetting, LedgerBroken, LedgerUnwritable, OtherVersion
from quorate.ledger import Entry, Ledger, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.address import Address
from quorate.ledger.book import OpenBook
from quorate.ledger.chain import seal
from quorate.ledger.postgres.connections import Connection
from quorate.ledger.postgres.ledger import PostgresLedger
from quorate.model import Halted
from tests.ledger.child import child
from tests.ledger.contract import TTL, LedgerContract, Stalled, written
from tests.ledger.sample import ASKED, CONVENED, EVENTS
from tests.ledger.test_sqlite import StoppedOwner
from tests.postgres import PostgresServer, ledger_on


@pytest.fixture
async def ledger(postgres_ledger: str) -> AsyncIterator[Ledger]:
    ledger = open_ledger(postgres_ledger, ttl=TTL)
    yield ledger
    await ledger.close()


class TestPostgres(LedgerContract):
    @pytest.fixture
    async def stalled(self, postgres_ledger: str) -> AsyncIterator[Stalled]:
        async with child(postgres_ledger, ttl=TTL) as process:
            assert await process.tell(f"own {new_id()}") == "ok 0"
            assert await process.tell("write 1") == "ok 1"
            process.stop()
            yield StoppedOwner(process)


def schema_of(address: str) -> str:
    return Address.of(address).schema


async def test_an_entry_that_is_watched_is_in_the_database(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer
) -> None:
    found: list[str] = []

    def watch(_: Entry) -> None:
        found.append(postgres_server.sql(f"SELECT count(*) FROM {schema_of(postgres_ledger)}.entries"))  # noqa: S608

    async with ledger.own(new_id(), watch=watch) as book:
        for number in range(2):
            book.write(EVENTS[number])
            await book.committed()

    assert found == ["1", "2"]


async def test_reading_makes_no_tables(ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer) -> None:
    assert [summary async for summary in ledger.list()] == []
    assert await ledger.version() == 0
    known = postgres_server.sql("SELECT nspname FROM pg_namespace").split()
    assert schema_of(postgres_ledger) not in known


async def test_many_deliberations_are_committed_together_and_a_lost_one_takes_none_with_it(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer
) -> None:
    """A row that stands there already makes the whole statement fail; the others are added without it."""
    await written(ledger, CONVENED)
    ids = [new_id() for _ in range(5)]
    row = seal(CONVENED, 1, "0" * 64, "2026-11-16T00:00:00.000000Z")
    values = f"'{ids[2]}', 1, '{row.time}', '{row.before}', '{row.hash}', '{{}}', '', '{{}}'"
    # The database lets in no entry without its deliberation, except from a replica.
    insert = f"INSERT INTO {schema_of(postgres_ledger)}.entries VALUES ({values})"  # noqa: S608
    postgres_server.sql(f"SET session_replication_role = replica; {insert}")
    async with AsyncExitStack() as held:
        books = [await held.enter_async_context(ledger.own(id_, fresh=True)) for id_ in ids[:2] + ids[3:]]
        bad = ledger.own(ids[2], fresh=True)
        (await bad.__aenter__()).write(CONVENED)
        for book in books:
            book.write(CONVENED)
        await asyncio.gather(*(book.committed() for book in books))
        with pytest.raises(LedgerUnwritable, match="duplicate key"):
            await bad.__aexit__(None, None, None)

    assert [(await records.verify(ledger, book.id)).entries for book in books] == [1] * 4


async def test_whoever_waits_is_told_of_news_by_another_process_at_once(ledger: Ledger, postgres_ledger: str) -> None:
    id_ = await written(ledger, CONVENED)
    async with child(postgres_ledger) as process:
        await process.tell(f"own {id_}")
        waiting = asyncio.ensure_future(ledger.wait(id_, after=1, seconds=50))
        while "LISTEN" not in str(await _activity(ledger)):  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.01)
        assert not waiting.done()
        await process.tell("write 1")
        async with asyncio.timeout(20):
            await waiting

    assert len(await ledger.read(id_, after=1)) == 1


async def _activity(ledger: Ledger) -> object:
    assert isinstance(ledger, PostgresLedger)

    async def listening(db: Connection) -> object:
        return await db.fetch("SELECT query FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")

    return await ledger._look(listening, "")  # noqa: SLF001 - there is no other way to know


async def test_whoever_is_behind_does_not_wait(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED, ASKED)

    async with asyncio.timeout(20):
        await ledger.wait(id_, after=1, seconds=50)


async def test_four_processes_make_a_new_ledger_at_once_and_all_of_them_use_it(postgres_ledger: str) -> None:
    ids = [new_id() for _ in range(4)]
    async with AsyncExitStack() as started:
        crowd = [await started.enter_async_context(child(postgres_ledger)) for _ in ids]
        for process, id_ in zip(crowd, ids, strict=True):
            process.order(f"own {id_}")
            process.order("write 3")
        told = [[await process.answer(), await process.answer()] for process in crowd]

    assert told == [["ok 0", "ok 3"]] * 4


@pytest.mark.parametrize("version", [0, 2, 99])
async def test_a_ledger_of_another_version_is_refused_with_a_sentence(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer, version: int
) -> None:
    id_ = await written(ledger, CONVENED)
    await ledger.close()
    postgres_server.sql(f"UPDATE {schema_of(postgres_ledger)}.ledger SET version = {version}")  # noqa: S608

    for attempt in (ledger.read(id_), written(ledger, CONVENED)):
        with pytest.raises(OtherVersion, match=rf"another version of quorate made the ledger .* has schema {version},"):
            await attempt


async def test_somebody_elses_tables_are_left_alone(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer
) -> None:
    schema = schema_of(postgres_ledger)
    postgres_server.sql(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.ledger (theirs int)")

    for attempt in (ledger.read("last"), written(ledger, CONVENED)):
        with pytest.raises(LedgerBroken, match=r"no quorate ledger.*name another \?schema="):
            await attempt


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM {}.entries WHERE number = 12",
        "DELETE FROM {}.entries WHERE number = 3",
        "UPDATE {}.entries SET public = overlay(public placing 'x' from 9) WHERE number = 9",
    ],
)
async def test_a_record_that_was_changed_in_the_database_is_not_continued(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer, harm: str
) -> None:
    id_ = await written(ledger, *EVENTS)
    postgres_server.sql(harm.format(schema_of(postgres_ledger)))

    with pytest.raises(LedgerBroken, match=f"{id_}.* changed"):
        await records.verify(ledger, id_)
    with pytest.raises(LedgerBroken, match=f"{id_}.* changed"):
        async with ledger.own(id_):
            pass


@pytest.mark.parametrize("harm", ["outcome = 'ACT'", "state = 'open'", "question = 'Another?'", "reviewed = 'ACT'"])
async def test_a_list_that_says_otherwise_than_the_entries_does_not_verify(
    ledger: Ledger, postgres_ledger: str, postgres_server: PostgresServer, harm: str
) -> None:
    """What a writer can spoil without touching an entry."""
    id_ = await written(ledger, *EVENTS)
    await records.verify(ledger, id_)
    postgres_server.sql(f"UPDATE {schema_of(postgres_ledger)}.deliberations SET {harm}")  # noqa: S608

    field = harm.split(maxsplit=1)[0]
    with pytest.raises(LedgerBroken, match=f"{id_} is listed with another {field} than its entries have"):
        await records.verify(ledger, id_)


@pytest.fixture
async def logins(postgres_server: PostgresServer, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """A ledger with its roles, and its address for a login with each of them; the owner's is called owner."""
    schema = f"test_{secrets.token_hex(6)}"
    owner = ledger_on(postgres_server.uri, tmp_path / "spool", schema)
    held = PostgresLedger(Address.of(owner))
    names = await held.init(roles=True)
    await held.close()
    found = {"owner": owner}
    for name in names:
        postgres_server.sql(f"CREATE ROLE {name}_login LOGIN; GRANT {name} TO {name}_login")
        found[name.rpartition("_")[2]] = owner.replace("postgres@", f"{name}_login@", 1)
    yield found
    postgres_server.sql(f"DROP SCHEMA {schema} CASCADE")
    postgres_server.sql("; ".join(f"DROP ROLE {name}_login, {name}" for name in names))


async def test_a_writer_holds_a_deliberation_and_a_reader_reads_it_and_writes_nothing(logins: dict[str, str]) -> None:
    writer, reader = open_ledger(logins["writer"]), open_ledger(logins["reader"])

    id_ = await written(writer, *EVENTS)

    assert (await records.verify(reader, id_)).entries == len(EVENTS)
    assert [summary.id async for summary in reader.list()] == [id_]
    for attempt in (written(reader, CONVENED), reader.claim("key", id_), reader.forget(id_)):
        with pytest.raises(LedgerUnwritable, match=r"permission denied.*use a login that may write"):
            await attempt
    await writer.close()
    await reader.close()


REFUSED = (
    "UPDATE {}.entries SET public = '{{}}'",
    "UPDATE {}.entries SET words = '{{}}'",
    "UPDATE {}.entries SET hash = ''",
    "DELETE FROM {}.entries",
    "TRUNCATE {}.entries",
    "DELETE FROM {}.deliberations",
    "UPDATE {0}.deliberations SET entries = 0; DELETE FROM {0}.deliberations",
    "MERGE INTO {}.deliberations USING (SELECT 1) ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE {}.deliberations",
    "TRUNCATE {}.deliberations CASCADE",
    "UPDATE {}.deliberations SET id = ''",
    "UPDATE {}.deliberations SET imported = 0",
    "INSERT INTO {}.entries VALUES ('made-up', 1, '', '', '', '', '', '')",
    "ALTER TABLE {}.entries DROP CONSTRAINT entries_deliberation_fkey",
    "SET session_replication_role = replica",
    "UPDATE {}.claims SET deliberation = ''",
    "DELETE FROM {}.claims",
    "UPDATE {}.ledger SET version = 0",
    "DROP TABLE {}.entries",
    "ALTER TABLE {}.deliberations DISABLE TRIGGER ALL",
)


async def test_the_database_itself_refuses_a_writer_who_would_change_or_delete_entries(
    logins: dict[str, str], postgres_server: PostgresServer
) -> None:
    writer = open_ledger(logins["writer"])
    id_ = await written(writer, *EVENTS)
    schema = schema_of(logins["owner"])
    for statement in REFUSED:
        with pytest.raises(RuntimeError, match=r"permission denied|must be owner|violates.* foreign key constraint"):
            postgres_server.sql(f"SET ROLE {schema}_writer; {statement.format(schema)}")

    with pytest.raises(LedgerUnwritable, match="permission denied"):
        await writer.forget(id_)
    assert (await records.verify(writer, id_)).missing == 0
    await writer.close()


@pytest.mark.parametrize("login", ["owner", "writer", "eraser"])
async def test_no_login_removes_a_deliberation_that_has_entries(
    logins: dict[str, str], postgres_server: PostgresServer, login: str
) -> None:
    """The number of entries that it states makes no difference; an empty one goes, as when nothing was ever asked."""
    owner = open_ledger(logins["owner"])
    id_ = await written(owner, *EVENTS)
    schema = schema_of(logins["owner"])
    role = "" if login == "owner" else f"SET ROLE {schema}_{login}; "
    postgres_server.sql(f"UPDATE {schema}.deliberations SET entries = 0")  # noqa: S608
    for statement in (f"DELETE FROM {schema}.deliberations", f"TRUNCATE {schema}.deliberations"):  # noqa: S608
        with pytest.raises(RuntimeError, match=r"foreign key constraint|permission denied"):
            postgres_server.sql(f"{role}{statement}")

    assert postgres_server.sql(f"SELECT count(*) FROM {schema}.entries") == str(len(EVENTS))  # noqa: S608
    with pytest.raises(LedgerBroken, match=f"{id_} should have 0 entries and has {len(EVENTS)}"):
        await records.verify(owner, id_)
    await owner.close()


async def test_a_writer_lets_go_of_a_deliberation_that_stayed_empty(logins: dict[str, str]) -> None:
    writer = open_ledger(logins["writer"])
    async with writer.own(new_id()):
        pass
    await writer.close()

    reader = open_ledger(logins["reader"])
    assert [summary.id async for summary in reader.list()] == []
    await reader.close()


async def test_to_forget_needs_a_right_of_its_own(logins: dict[str, str]) -> None:
    writer, eraser = open_ledger(logins["writer"]), open_ledger(logins["eraser"])
    id_ = await written(writer, *EVENTS)

    await eraser.forget(id_)

    assert (await records.verify(writer, id_)).missing > 20
    with pytest.raises(LedgerUnwritable, match="permission denied"):
        await written(eraser, CONVENED)
    await writer.close()
    await eraser.close()


async def test_where_nobody_may_make_tables_it_says_who_can(postgres_server: PostgresServer, tmp_path: Path) -> None:
    name = f"test_{secrets.token_hex(6)}"
    postgres_server.sql(f"CREATE ROLE {name} LOGIN")
    ledger = open_ledger(ledger_on(postgres_server.uri.replace("postgres@", f"{name}@", 1), tmp_path))

    with pytest.raises(LedgerUnwritable, match=r"permission denied.*quorate ledger init"):
        await written(ledger, CONVENED)

    await ledger.close()
    postgres_server.sql(f"DROP ROLE {name}")


async def test_what_a_killed_process_had_written_and_not_committed_is_found_on_this_machine(
    postgres_ledger: str, ledger: Ledger
) -> None:
    await written(ledger, CONVENED)
    id_ = new_id()
    async with child(postgres_ledger) as process:
        await process.tell(f"own {new_id()}")
        await process.tell(f"begin {id_}")
        process.order("die 3")
        assert await process.answer() == ""

    assert await ledger.find("last") == id_
    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [Halted(why="x" * 1000)] * 3
    assert (await records.verify(ledger, id_)).entries == 3


def test_without_the_driver_the_command_to_install_it_is_told() -> None:
    code = """
import sys
sys.modules["asyncpg"] = None
from quorate.ledger import open_ledger
from quorate.errors import BadSetting
open_ledger("ledger.db")
try:
    open_ledger("postgresql://db.example/x")
except BadSetting as wrong:
    print(wrong)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert "pip install 'quorate[postgres]'" in told


def test_the_driver_is_loaded_only_for_a_database() -> None:
    code = 'import sys, quorate.ledger as l; l.open_ledger("x.db"); print("asyncpg" in sys.modules)'

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_an_address_that_cannot_be_read_repeats_nothing_of_it() -> None:
    for written_wrong in ("postgresql://u:p/w@db/x", "postgresql://u:1?a=2@db/x", "postgresql://u:p#w@db/x"):
        with pytest.raises(BadSetting, match="written as %40") as told:
            open_ledger(written_wrong)
        assert "p/w" not in str(told.value)
        assert json.dumps(str(told.value)).count("u:") == 0


async def test_a_fault_of_our_own_leaves_nobody_waiting(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED)
    own = ledger.own(new_id())
    book = await own.__aenter__()
    assert isinstance(book, OpenBook)
    book.write(CONVENED)
    fault = seal(CONVENED, 2, "0" * 64, "2026-11-16T00:00:00.000000Z"), object()
    book._open_sink().put(book, *fault)  # type: ignore[arg-type]  # noqa: SLF001 - what cannot be written

    with pytest.raises(LedgerUnwritable, match=r"what writes to the ledger .* failed.*start again and resume"):
        await book.committed()
    with pytest.raises(LedgerUnwritable, match="start again and resume"):
        await own.__aexit__(None, None, None)
    await ledger.close()

    async with ledger.own(id_) as again:
        again.write(ASKED)
    assert (await records.verify(ledger, id_)).entries == 2
    del own, book
    gc.collect()  # the fault is logged when its task is gone: here, and not in the midst of whatever comes next


async def test_whoever_reads_while_it_is_closed_does_not_wait_for_ever(ledger: Ledger) -> None:
    id_ = await written(ledger, CONVENED)
    waiting = asyncio.ensure_future(ledger.wait(id_, after=1, seconds=600))
    await asyncio.sleep(0)
    await ledger.close()

    await asyncio.wait({waiting}, timeout=20)
    assert waiting.done()
