"""`quorate ledger`, and every command on a ledger in PostgreSQL; its password appears nowhere."""

from pathlib import Path

import pytest

from quorate.ledger.address import Address
from tests.doors.conftest import Quorate
from tests.postgres import PostgresServer, ledger_on

PASSWORD = "canary-5up3r-53cr37-w0rd"


@pytest.fixture
def address(postgres_server: PostgresServer, home: Path) -> str:
    """With a password, which this server does not ask for."""
    plain = ledger_on(postgres_server.uri, home / "spool")
    return plain.replace("postgres@", f"postgres:{PASSWORD}@", 1)


def ask(quorate: Quorate, *flags: str) -> str:
    return str(quorate("ask", "Should we delete it?", "--panel", "demo", "--json", *flags).document["id"])


def test_a_deliberation_is_held_shown_listed_and_checked_in_the_database(quorate: Quorate, address: str) -> None:
    id_ = ask(quorate, "--ledger", address)

    assert quorate("list", "--ledger", address).out.split()[0] == id_
    assert quorate("show", "last", "--ledger", address).out.startswith(f"# Minutes of {id_}\n")
    assert quorate("verify", id_, "--ledger", address).code == 0


def test_the_variable_names_it_too_and_config_shows_it_without_the_password(
    quorate: Quorate, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUORATE_LEDGER", address)
    id_ = ask(quorate)

    assert quorate("list").out.split()[0] == id_
    shown = quorate("config")
    assert "postgresql://" in shown.out
    assert PASSWORD not in shown.out + shown.err


def test_the_password_is_in_nothing_that_is_printed_or_written(quorate: Quorate, address: str, home: Path) -> None:
    told = [
        quorate("ask", "Should we?", "--panel", "demo", "--ledger", address),
        quorate("list", "--ledger", address, "--json"),
        quorate("show", "zzz", "--ledger", address),
        quorate("resume", "last", "--ledger", address),
        quorate("ledger", "init", address),
        quorate("list", "--ledger", address.replace("/postgres?", "/no_such_database?")),
        quorate("list", "--ledger", address.replace(f":{PASSWORD}@", f":{PASSWORD}/@")),
        quorate("hook", "install", "claude-code", "--ledger", address),
    ]

    assert PASSWORD not in "".join(one.out + one.err for one in told)
    written = b"".join(one.read_bytes() for one in home.rglob("*") if one.is_file())
    assert PASSWORD.encode() not in written
    assert "no_such_database" in told[5].err
    assert "%40" in told[6].err


def test_a_database_that_is_not_there_is_told_at_once_with_what_to_do(quorate: Quorate) -> None:
    told = quorate("list", "--ledger", "postgresql://someone:secret@127.0.0.1:1/x")

    assert told.code != 0
    assert "cannot use the ledger 'postgresql://127.0.0.1:1/x'" in told.err
    assert "give another ledger" in told.err
    assert "secret" not in told.err


def test_copy_moves_records_and_to_do_it_again_copies_nothing(quorate: Quorate, address: str, home: Path) -> None:
    file = home / "here.db"
    ids = [ask(quorate, "--ledger", str(file)) for _ in range(2)]

    first = quorate("ledger", "copy", str(file), address)
    again = quorate("ledger", "copy", str(file), address, "--json")
    back = quorate("ledger", "copy", address, str(home / "back.db"), "--json")

    assert (first.code, again.code, back.code) == (0, 0, 0)
    assert "copied and checked: 2, already there: 0, left out: 0" in first.out
    assert (again.document["copied"], sorted(again.document["already"])) == ([], sorted(ids))
    assert back.document["copied"] == ids
    for place in (address, str(home / "back.db")):
        assert quorate("verify", ids[0], "--ledger", place).code == 0
    assert quorate("export", ids[1], "--ledger", address).out == quorate("export", ids[1], "--ledger", str(file)).out


def test_copy_leaves_out_what_was_changed_and_copies_the_rest(
    quorate: Quorate, address: str, home: Path, postgres_server: PostgresServer
) -> None:
    good, bad = ask(quorate, "--ledger", address), ask(quorate, "--ledger", address)
    schema = Address.of(address).schema
    postgres_server.sql(f"DELETE FROM {schema}.entries WHERE deliberation = '{bad}' AND number = 2")  # noqa: S608

    told = quorate("ledger", "copy", address, str(home / "there.db"), "--json")

    assert told.code == 1
    assert told.document["copied"] == [good]
    assert [one["id"] for one in told.document["left_out"]] == [bad]


def test_copy_refuses_another_record_of_the_same_id(quorate: Quorate, home: Path) -> None:
    one, other = home / "one.db", home / "other.db"
    ask(quorate, "--ledger", str(one))
    quorate("ledger", "copy", str(one), str(other))
    quorate("review", "last", "--outcome", "REFUSE", "--by", "ann", "--because", "no", "--ledger", str(one))

    told = quorate("ledger", "copy", str(one), str(other))

    assert told.code == 1
    assert "another record of this id is there" in told.err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("copy", "one.db"), "name two ledgers"),
        (("copy", "missing.db", "other.db"), "there is no ledger"),
        (("copy", "here.db", "here.db"), "both are the same"),
        (("init", "here.db"), "is a file"),
    ],
)
def test_what_cannot_be_meant_is_said(quorate: Quorate, home: Path, typed: tuple[str, ...], said: str) -> None:
    (home / "here.db").touch()
    told = quorate("ledger", typed[0], *(str(home / one) for one in typed[1:]))

    assert told.code != 0
    assert said in told.err


def test_init_makes_the_roles_and_to_do_it_again_changes_nothing(
    quorate: Quorate, address: str, postgres_server: PostgresServer
) -> None:
    schema = Address.of(address).schema
    first = quorate("ledger", "init", address, "--roles")
    again = quorate("ledger", "init", address, "--roles", "--json")

    assert first.code == 0
    assert again.document["roles"] == [f"{schema}_{role}" for role in ("reader", "writer", "eraser")]
    postgres_server.sql(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {', '.join(again.document['roles'])}")


def test_a_deliberation_is_held_in_the_database_and_detached_only_where_a_worker_runs(
    quorate: Quorate, address: str
) -> None:
    held = quorate("ask", "Should we?", "--panel", "demo", "-q", "--ledger", address)
    detached = quorate("ask", "Should we?", "--panel", "demo", "--detach", "--ledger", address)

    assert held.out.startswith("WARN")
    assert quorate("verify", "last", "--ledger", address).code == 0
    assert (detached.code, detached.out) == (1, "")
    assert "quorate worker" in detached.err
