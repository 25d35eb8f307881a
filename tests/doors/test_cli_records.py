import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate


@pytest.fixture
def held(quorate: Quorate) -> str:
    """The id of a deliberation that was held."""
    return str(quorate("ask", "Should we delete it?", "--panel", "demo", "--json").document["id"])


def test_what_was_held_is_listed_newest_first(quorate: Quorate, held: str) -> None:
    later = quorate("ask", "And this?", "--panel", "demo", "--json").document["id"]

    lines = quorate("list").out.splitlines()
    assert [line.split()[0] for line in lines] == [later, held]
    assert "Should we delete it?" in lines[1]


def test_it_is_shown_in_every_form_by_last_or_by_how_its_id_begins(quorate: Quorate, held: str) -> None:
    assert quorate("show", "last").out.startswith(f"# Minutes of {held}\n")
    assert quorate("show", held[:20], "--as", "json").document["id"] == held
    assert quorate("show", held, "--as", "s4").document["decision"] == "WARN"
    assert [r["number"] for r in quorate("show", held, "--as", "s4-log").document["rounds"]] == [1, 2, 3, 4]
    assert quorate("show", held, "--as", "html").out.startswith("<!doctype html>\n")


def test_a_record_verifies_in_the_ledger_and_in_a_file(quorate: Quorate, held: str, home: Path) -> None:
    file = home / "record.jsonl"
    file.write_text(quorate("export", "last").out, encoding="utf-8")

    for what in (held, str(file)):
        told = quorate("verify", what, "--json")
        assert told.code == 0
        assert (told.document["id"], told.document["recomputed"], told.document["holds"]) == (held, "WARN", True)
    assert "verdict  holds: WARN" in quorate("verify", "-", stdin=file.read_text(encoding="utf-8")).out


def test_a_changed_record_does_not_verify(quorate: Quorate, held: str) -> None:
    exported = quorate("export", held).out.replace("WARN", "ACT")

    told = quorate("verify", "-", stdin=exported)

    assert (told.code, told.out) == (1, "")
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("outcome", b"ACT"), ("state", "halted"), ("state", "open"), ("awaits", 1), ("reviewed", b"ACT")),
        *(("question", b"Should we keep it?"), ("protocol", b"debate"), ("begun", "2020-01-01T00:00:00.000000Z")),
    ],
)
def test_a_list_that_says_otherwise_than_the_entries_does_not_verify(
    quorate: Quorate, held: str, tmp_path: Path, field: str, value: object
) -> None:
    assert quorate("verify", held).code == 0
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as ledger, ledger:
        ledger.execute(f"UPDATE deliberations SET {field} = ?", (value,))  # noqa: S608 - ours

    told = quorate("verify", held)

    assert (told.code, told.out) == (1, "")
    assert f"{held} is listed with another {field} than its entries have" in told.err
    assert len(told.err.splitlines()) == 1
    assert quorate("verify", held, "--json").code == 1


def test_another_rulebook_says_what_it_would_have_decided(quorate: Quorate, held: str) -> None:
    told = quorate("replay", held, "--rulebook", "strict", "--json")

    assert told.document["id"] == held
    assert told.document["verdict"]["rule"] == "short_of_refusal"


def test_a_record_can_be_taken_to_another_ledger(quorate: Quorate, held: str, home: Path) -> None:
    exported = quorate("export", held).out
    elsewhere = ("--ledger", str(home / "other.db"))

    assert quorate("import", "-", *elsewhere, stdin=exported).out == f"{held}\n"
    assert quorate("show", held, *elsewhere).out == quorate("show", held).out


def test_forgetting_asks_first_and_leaves_a_chain_that_verifies(quorate: Quorate, held: str) -> None:
    refused = quorate("forget", held, stdin="n\n")
    assert refused.code == 1
    assert "Should we delete it?" in quorate("show", held).out

    assert quorate("forget", held, "--yes").code == 0
    assert "Should we delete it?" not in quorate("show", held).out
    assert quorate("verify", held).code == 0


def test_a_finished_deliberation_is_only_shown_when_it_is_resumed(quorate: Quorate, held: str) -> None:
    told = quorate("resume", "last", "--gate")

    assert told.code == 10
    assert told.out.count("== Round 2: Challenge Round ==") == 1
    assert told.out.splitlines()[-1].split() == ["id", held]


def test_an_id_that_is_not_there_is_an_error_in_a_sentence(quorate: Quorate, held: str) -> None:
    for command in ("show", "resume", "verify", "export"):
        told = quorate(command, "zzzz")
        assert (told.code, told.out) == (1, "")
        assert "zzzz" in told.err
