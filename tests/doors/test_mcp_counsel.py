"""Requests as AI Counsel's documentation shows them, answered in AI Counsel's own shape."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.server import mcp_server
from tests.doors.test_mcp import called, models_at
from tests.panelists.fakes import tool
from tests.servers import MARK, Endpoint

VOTING = f"""#!{sys.executable}
import json, re, sys
mark = re.findall(r'"mark": "([0-9a-f]+)"', sys.stdin.read())[-1]
vote = {{"mark": mark, "option": "GraphQL", "confidence": 0.8, "rationale": "Clients.", "continue_debate": False}}
said = "I have thought about it.\\n\\nVOTE: " + json.dumps(vote)
if sys.argv[0].endswith("codex"):
    print(json.dumps({{"type": "item.completed", "item": {{"type": "agent_message", "text": said}}}}))
    said = json.dumps({{"type": "turn.completed", "usage": {{"input_tokens": 12, "output_tokens": 9}}}})
print(said)
"""
"""Stands in for claude, codex and gemini, which are asked on stdin; codex answers in events."""
BALLOT = f'{{"mark": "{MARK}", "option": "Yes", "confidence": 0.9, "rationale": "so", "continue_debate": false}}'
VOTE = f"Yes.\n\nVOTE: {BALLOT}"
RESULT = {
    *("status", "mode", "rounds_completed", "participants", "summary", "transcript_path", "full_debate"),
    *("convergence_info", "voting_result", "graph_context_summary", "full_debate_truncated"),
}
pytestmark = pytest.mark.promise


@pytest.fixture(autouse=True)
def tools(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("claude", "codex", "gemini"):
        tool(home / "bin", name, VOTING)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:/usr/bin:/bin")


async def deliberated(**arguments: Any) -> dict[str, Any]:  # noqa: ANN401  what JSON holds
    async with Client(mcp_server(Deliberations())) as client:
        return await called(client, "deliberate", **arguments)


async def test_the_first_example_of_its_readme(home: Path) -> None:
    done = await deliberated(
        question="Should we use REST or GraphQL for our new API?",
        participants=[
            {"cli": "claude", "model": "claude-sonnet-4-5-20250929"},
            {"cli": "codex", "model": "gpt-5.2-codex"},
            {"cli": "gemini", "model": "gemini-2.5-pro"},
        ],
        mode="conference",
        rounds=3,
    )

    assert done.keys() >= RESULT
    assert (done["status"], done["mode"], done["rounds_completed"]) == ("complete", "conference", 2)
    assert done["participants"] == ["claude-sonnet-4-5-20250929@claude", "gpt-5.2-codex@codex", "gemini-2.5-pro@gemini"]
    assert done["voting_result"]["final_tally"] == {"GraphQL": 3}
    assert (done["voting_result"]["consensus_reached"], done["voting_result"]["winning_option"]) == (True, "GraphQL")
    assert done["convergence_info"]["status"] == "unanimous_consensus"
    assert done["summary"].keys() >= {"consensus", "key_agreements", "key_disagreements", "final_recommendation"}
    assert done["full_debate"][0].keys() == {"round", "participant", "stance", "response", "timestamp"}
    assert done["verdict"]["outcome"] == "GraphQL"


async def test_quick_mode_with_local_models_effort_stance_and_a_working_directory(home: Path) -> None:
    async with Endpoint(otherwise=VOTE) as endpoint:
        with pytest.MonkeyPatch.context() as patch:
            for name, text in {**models_at(endpoint), "OLLAMA_BASE_URL": endpoint.url}.items():
                patch.setenv(name, text)
            done = await deliberated(
                question="Should we add unit tests to new features?",
                participants=[
                    {"cli": "ollama", "model": "llama3.1:8b", "stance": "for"},
                    {"cli": "openai", "model": "gpt-5", "reasoning_effort": "high", "stance": "against"},
                ],
                mode="quick",
                context="Options: (A) Yes, (B) No",
                working_directory="/project",
            )
        asked = [seen.body for seen in endpoint.seen]

    assert (done["status"], done["mode"], done["rounds_completed"]) == ("complete", "quick", 1)
    assert done["voting_result"]["winning_option"] == "Yes"
    assert any("working_directory has no effect" in note for note in done["notes"])
    assert [body.get("reasoning_effort") for body in asked if body["model"] == "gpt-5"] == ["high"]
    assert any("Argue for the proposal" in json.dumps(body) for body in asked)


async def test_a_model_left_out_is_the_sessions(home: Path) -> None:
    people = [{"cli": "claude"}, {"cli": "codex", "model": "o3"}]
    async with Client(mcp_server(Deliberations())) as client:
        updated = await called(client, "set_session_models", claude="claude-haiku-4-5-20251001")
        done = await called(client, "deliberate", question="Should we migrate to TypeScript?", participants=people)
        cleared = await called(client, "set_session_models", claude=None)

    assert updated["session_defaults"] == {"claude": "claude-haiku-4-5-20251001"}
    assert done["status"] == "complete", done
    assert cleared["session_defaults"] == {}


async def test_earlier_decisions_are_shown_to_the_seats_when_asked_for(home: Path) -> None:
    people = [{"cli": "claude", "model": "sonnet"}, {"cli": "codex", "model": "o3"}]
    asked = {"question": "Which database choice suits us?", "participants": people}
    async with Client(mcp_server(Deliberations())) as client:
        first = await called(client, "deliberate", **asked)
        again = await called(client, "deliberate", **asked, memory="on")
        other = await called(client, "deliberate", **asked)

    assert first["graph_context_summary"] is other["graph_context_summary"] is None
    assert again["graph_context_summary"] == f"shown to the seats as precedent: {first['id']} (strong)"
    assert any(first["id"] in note for note in again["notes"])


async def test_earlier_decisions_are_found_as_its_documentation_asks(home: Path) -> None:
    people = [{"cli": "claude", "model": "sonnet"}, {"cli": "codex", "model": "o3"}]
    async with Client(mcp_server(Deliberations())) as client:
        await called(client, "deliberate", question="Which database choice suits us?", participants=people)
        found = await called(client, "query_decisions", query_text="database choice", threshold=0.3, limit=5)
        missed = await called(client, "query_decisions", query_text="lunch", threshold=0.9)
        contrary = await called(client, "query_decisions", operation="find_contradictions")
        traced = await called(
            client, "query_decisions", query="database choice", operation="trace_evolution", threshold=0
        )

    assert (found["type"], found["count"], found["results"][0]["consensus"]) == ("similar_decisions", 1, "GraphQL")
    assert missed["diagnostics"].keys() == {
        *("total_decisions", "best_match_score", "near_misses", "suggested_threshold", "message")
    }
    assert (contrary["type"], contrary["count"]) == ("contradictions", 0)
    assert (traced["type"], traced["changes"]) == ("evolution", 0)
