"""An agent that keeps being refused is brought before a person."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from quorate.doors.hooks import PermissionAnswer, PermissionDecision, ToolCall
from quorate.doors.hooks.refusals import AGE, IN_A_ROW, IN_ALL, RefusalCounts
from tests.doors.conftest import Quorate, home, quorate
from tests.doors.test_hooks import EVENTS, ballot
from tests.servers import Endpoint, said

__all__ = ["home", "quorate"]
DENY: PermissionDecision = "deny"
ALLOW: PermissionDecision = "allow"
CALL = ToolCall(agent="claude-code", event="", tool="Bash", input={"command": "x"}, cwd="/srv/a", session="one")


def answers(counts: RefusalCounts, *decisions: PermissionDecision, call: ToolCall = CALL, at: float = 0) -> list[str]:
    return [
        counts.escalate(call, PermissionAnswer(decision=one, reason="why"), at + number).decision
        for number, one in enumerate(decisions)
    ]


@pytest.fixture
def counts(tmp_path: Path) -> RefusalCounts:
    return RefusalCounts(tmp_path / "state" / "refusals.json")


def test_the_third_refusal_in_a_row_goes_to_a_person_and_so_do_those_after_it(counts: RefusalCounts) -> None:
    assert answers(counts, *[DENY] * 4) == ["deny", "deny", "ask", "ask"]


def test_what_a_person_was_asked_about_ends_no_row_and_an_allow_does(counts: RefusalCounts) -> None:
    assert answers(counts, "deny", "ask", "deny", "ask", "deny") == ["deny", "ask", "deny", "ask", "ask"]
    assert answers(counts, "allow", "deny", "deny", "deny", at=9) == ["allow", "deny", "deny", "ask"]


def test_the_twentieth_refusal_of_a_session_goes_to_a_person_however_they_are_spread(counts: RefusalCounts) -> None:
    told = answers(counts, *([DENY, ALLOW] * (IN_ALL + 1)))[::2]

    assert told == ["deny"] * (IN_ALL - 1) + ["ask"] * 2


def test_sessions_are_counted_apart_and_forgotten_after_a_day(counts: RefusalCounts) -> None:
    other = ToolCall(agent="claude-code", event="", tool="Bash", input={}, cwd="/srv/a", session="two")

    assert answers(counts, "deny", "deny") == ["deny", "deny"]
    assert answers(counts, "deny", call=other) == ["deny"]
    assert answers(counts, "deny", at=AGE + 9) == ["deny"]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": [9, 1, 0]}', '{"a": ["x"]}', "null"])
def test_a_file_that_cannot_be_read_leaves_a_refusal_one(counts: RefusalCounts, content: str) -> None:
    counts.file.parent.mkdir()
    counts.file.write_text(content)
    counts.file.chmod(0o600)

    assert answers(counts, "deny", "deny", "deny") == ["deny", "deny", "ask"]
    assert stat.S_IMODE(counts.file.stat().st_mode) == 0o600


def test_no_count_allows_anything(counts: RefusalCounts) -> None:
    assert "allow" not in answers(counts, *([DENY] * (IN_ALL + IN_A_ROW)), "ask")


async def test_claude_code_is_told_to_ask_at_the_third_refusal_and_another_session_is_not(quorate: Quorate) -> None:
    told = []
    async with Endpoint(otherwise=said(ballot("REFUSE"))) as endpoint:
        for session in ("a", "a", "b", "a"):
            event = {**EVENTS[0]["event"], "session_id": session}
            words = ("hook", "claude-code", "--model", f"openai:m@{endpoint.url}")
            answer = await asyncio.to_thread(quorate, *words, stdin=json.dumps(event))
            told.append(answer.document["hookSpecificOutput"])

    assert [one["permissionDecision"] for one in told] == ["deny", "deny", "deny", "ask"]
    assert told[-1]["permissionDecisionReason"].startswith("the panel refused 3 calls in a row in this session: ")
