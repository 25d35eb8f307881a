import asyncio
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate
from tests.servers import MARK, Endpoint, failing

QUESTION = "Should we delete the staging database?"
BALLOT = (
    f'Fine by me.\n\nBALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "so"}}'
)


def test_a_demo_says_first_that_it_does_not_answer_the_question(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo")

    assert told.code == 0
    assert "does not answer the question" in told.out.splitlines()[0]


def test_without_a_terminal_the_deliberation_is_plain_lines(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo")

    headings = [line for line in told.out.splitlines() if line.startswith("==")]
    assert headings == [
        "== Round 1: Initial Analysis ==",
        "== Round 2: Challenge Round ==",
        "== Round 3: Revision Round ==",
        "== Verdict ==",
    ]
    assert "⚔ Safety challenges Utility" in told.out
    assert "Utility: ACT (75 % sure, risk 20 %) → WARN (70 % sure, risk 25 %)" in told.out
    assert "\x1b" not in told.out + told.err


def test_who_is_thinking_goes_to_stderr(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo")

    assert "Safety is thinking: Initial Analysis" in told.err
    assert "thinking" not in told.out


def test_json_is_one_document_and_nothing_else(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo", "--json")

    assert list(told.document)[:3] == ["schema", "id", "state"]
    assert list(told.document)[3:] == [
        "may_act",
        "check",
        "question",
        "protocol",
        "verdict",
        "review",
        "turned_out",
        "learned",
        "seats",
        "cost",
        "seconds",
    ]
    assert list(told.document["verdict"]) == [
        "outcome",
        "decided",
        "rule",
        "rulebook",
        "because",
        "points",
        "agreement",
        "agreement_on",
        "confidence",
        "votes",
        "merged",
        "without_vote",
        "dissent",
        "cautions",
        "participation",
        "sealed",
        "withstands",
        "flips",
        "requires_human_review",
        "demo",
        "trace",
    ]


def test_a_question_that_is_turned_away_is_a_document_too(quorate: Quorate) -> None:
    told = quorate("ask", "Delete\x00it?", "--panel", "demo", "--json", "--gate")

    assert told.code == 20
    assert told.document["state"] == "turned_away"
    assert told.document["verdict"]["outcome"] == "REFUSE"


def test_quiet_prints_the_verdict_line_alone_and_tells_the_first_point_on_stderr(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo", "--quiet")

    [line] = told.out.splitlines()
    assert line.startswith("WARN  3 of 3 seats, ")
    assert line.split()[-1] == quorate("list", "--json").document["deliberations"][0]["id"]
    assert told.err.splitlines()[-1].startswith("point: Safety: The caution asked for")


@pytest.mark.parametrize("words", [("--gate", QUESTION), (QUESTION, "--gate"), ("--gate", "--quiet", QUESTION)])
def test_a_bare_gate_may_stand_before_the_question_or_after_it(quorate: Quorate, words: tuple[str, ...]) -> None:
    assert quorate("ask", "--panel", "demo", *words).code == 10


def test_with_a_seat_left_open_one_sentence_says_how_to_give_it_a_model(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--seat", "Safety=demo:scripted")

    assert (told.code, told.out) == (1, "")
    [line] = told.err.splitlines()
    assert all(way in line for way in ("OPENAI_API_KEY", "ollama:", "@http://", "--panel demo"))


def test_question_and_context_come_from_stdin_and_files(quorate: Quorate, home: Path) -> None:
    (home / "facts.txt").write_text("It was backed up an hour ago.", encoding="utf-8")

    told = quorate("ask", "-", "--context", f"@{home}/facts.txt", "--panel", "demo", "--json", stdin=f"{QUESTION}\n")

    assert told.document["question"] == QUESTION
    assert "It was backed up an hour ago." in quorate("show", "last").out


def test_a_dry_run_asks_nobody_and_writes_nothing(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--model", "openai:some", "--dry-run", "--json")

    assert told.document["cost"]["calls"] == 12
    assert told.document["at_most"]["calls"] == 24
    assert quorate("list").out == ""


async def test_a_real_endpoint_is_asked_and_its_answer_counted(quorate: Quorate) -> None:
    async with Endpoint(otherwise=BALLOT) as endpoint:
        words = ("ask", QUESTION, "--model", f"openai:some@{endpoint.url}", "--json", "--gate")
        told = await asyncio.to_thread(quorate, *words)

    assert (told.code, told.document["verdict"]["outcome"]) == (0, "ACT")
    assert told.document["cost"] == {"calls": 12, "tokens": 12 * 18, "money": None, "uncounted": 0}


async def test_a_silence_one_can_do_something_about_is_explained_after_the_verdict(quorate: Quorate) -> None:
    async with Endpoint(otherwise=failing(401, "Incorrect API key provided")) as endpoint:
        words = ("ask", QUESTION, "--model", f"openai:some@{endpoint.url}", "--quiet", "--gate")
        told = await asyncio.to_thread(quorate, *words)

    assert told.code == 3
    [hint] = [line for line in told.err.splitlines() if line.startswith("hint: ")]
    assert "Accuracy, Safety, Utility" in hint
    assert "401" in hint


def test_the_result_comes_in_the_form_asked_for_and_alone(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo", "--as", "s4")

    assert (told.code, told.document["decision"]) == (0, "WARN")
    assert quorate("show", "last", "--as", "s4").out == told.out


def test_a_form_of_another_protocol_is_refused_before_anything_is_asked(quorate: Quorate) -> None:
    told = quorate("ask", QUESTION, "--panel", "demo", "--as", "counsel")

    assert told.code == 2
    assert "--as counsel shows a conference, and this is a tribunal" in told.err
    assert quorate("list", "--json").document["deliberations"] == []
