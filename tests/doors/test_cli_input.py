"""What is typed or piped in, and what a command may not change on the way."""

import asyncio
import random
from pathlib import Path

import pytest

from quorate.doors.langgraph import deliberation_graph
from tests.doors.conftest import Quorate
from tests.doors.graphs import Answers, charter


@pytest.mark.parametrize("question", ["", "  \n", "\u200b\u2800"])
def test_a_blank_question_is_a_usage_error_and_is_never_recorded(quorate: Quorate, question: str) -> None:
    for told in (quorate("ask", question, "--panel", "demo"), quorate("ask", "-", "--panel", "demo", stdin=question)):
        assert (told.code, told.out) == (2, "")
        assert "the question is blank" in told.err
    assert quorate("list").out == ""


def test_what_is_no_text_is_neither_scanned_nor_kept(quorate: Quorate, home: Path) -> None:
    (home / "program").write_bytes(bytes(range(256)) * 3000)

    told = quorate("ask", "Safe?", "--context", f"@{home / 'program'}", "--panel", "demo")
    piped = quorate("ask", "Safe?", "--context", "-", "--panel", "demo", stdin=b"\x7fELF\x00\x01" * 100)

    assert [(one.code, one.out) for one in (told, piped)] == [(1, ""), (1, "")]
    assert "not UTF-8 text" in told.err
    assert "not UTF-8 text" in piped.err
    assert quorate("list").out == ""


@pytest.mark.parametrize("words", [("-",), ("Safe?", "--context", "-")])
def test_megabytes_of_noise_on_stdin_are_refused_at_once_and_not_printed(
    quorate: Quorate, words: tuple[str, ...]
) -> None:
    noise = random.Random(3).randbytes(3_000_000)

    told = quorate("ask", *words, "--panel", "demo", stdin=noise)

    assert (told.code, told.out, len(told.err) < 300) == (1, "", True), told.err[:300]
    assert "not UTF-8 text" in told.err or "nothing was asked or kept" in told.err
    assert quorate("list").out == ""


def test_the_name_of_a_file_in_place_of_its_text_is_refused(
    quorate: Quorate, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    (home / "plan.md").write_text("The plan.")

    told = quorate("ask", "Safe?", "--context", "plan.md", "--panel", "demo")

    assert (told.code, told.out) == (1, "")
    assert "to read it, write @plan.md" in told.err
    assert quorate("ask", "Safe?", "--context", "@plan.md", "--panel", "demo", "--quiet").code == 0
    assert quorate("ask", "Safe?", "--context", "other.md", "--panel", "demo", "--quiet").code == 0


def test_measuring_against_one_seat_does_not_move_last(quorate: Quorate) -> None:
    quorate("ask", "Should we?", "--panel", "demo", "--quiet")
    before = quorate("show", "last", "--json").document["id"]

    told = quorate("quality", "last", "--against", "single", "--json")

    assert told.code == 0, told.err
    assert quorate("show", "last", "--json").document["id"] == before
    assert quorate("show", told.document["single"]["id"], "--json").code == 0


async def test_the_files_of_a_panel_file_reach_a_graph(home: Path) -> None:
    (home / "notes.txt").write_text("The backup was restored on Monday.")
    (home / "panel.yaml").write_text("extends: tribunal\nfiles: [notes.txt]\n")
    answers = Answers()

    seats = answers.by_seat(charter("tribunal").panel)
    graph = deliberation_graph(panel=home / "panel.yaml", ledger=home / "ledger.db", panelists=seats)
    held = await graph.ainvoke({"question": "Should we?"})

    record = await asyncio.to_thread(Quorate(), "show", held["deliberation"], "--as", "minutes")
    assert "The backup was restored on Monday." in record.out
