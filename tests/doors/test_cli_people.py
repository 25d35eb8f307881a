"""`quorate answer`, `models` and `doctor`: a person's answer, what is found, and whether it works."""

import os

import pytest

from tests.doors.conftest import Quorate

BALLOT = "Decision: WARN\nConfidence: 80\nRisk: 30\nReasoning: nobody tried the way back"
ASK = ("ask", "Should we delete it?", "--panel", "demo", "--seat", "Safety=person:ann")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No servers and no commands of this machine."""
    monkeypatch.setenv("PATH", os.defpath)
    for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM"):
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:9/v1")


def test_a_gate_says_that_the_panel_waits_and_the_list_too(quorate: Quorate) -> None:
    held = quorate(*ASK, "--gate", "--json")

    assert held.code == 30
    assert held.document["state"] == "waiting"
    assert f"quorate answer {held.document['id']} Safety" in held.err
    assert quorate("list", "--json").document["deliberations"][0]["state"] == "waiting"


def test_a_person_answers_until_there_is_a_verdict(quorate: Quorate) -> None:
    quorate(*ASK)
    shown = quorate("answer", "last", "Safety", "--show").out
    assert "The question:\n  | Should we" in shown
    assert "end with four lines" in shown
    assert "BALLOT" not in shown
    told = quorate("answer", "last", "Safety", "--text", "-", "--gate", stdin=BALLOT)
    for words in ("I doubt the gain.", "I doubt the facts."):
        assert told.code == 30
        told = quorate("answer", "last", "Safety", "--text", words, "--gate")
    told = quorate("answer", "last", "Safety", "--gate", "--json", stdin=BALLOT)

    assert told.code == 10
    assert told.document["verdict"]["outcome"] == "WARN"


def test_what_cannot_be_read_is_refused(quorate: Quorate) -> None:
    quorate(*ASK)
    told = quorate("answer", "last", "Safety", "--text", "No.")

    assert told.code == 1
    assert "nothing was written" in told.err


def test_models_lists_keys_by_name_alone(quorate: Quorate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-secret")
    told, plain = quorate("models", "--json"), quorate("models")

    assert [one["name"] for one in told.document["models"]] == ["mistral", "smollm2"]
    assert "MISTRAL_API_KEY" in plain.out
    assert "sk-secret" not in told.out + plain.out


def test_without_a_model_one_is_picked_and_told(quorate: Quorate) -> None:
    told = quorate("ask", "Should we?", "--dry-run")

    assert told.code == 0
    assert "embedded:smollm2 for Safety" in told.err


def test_the_doctor_leaves_with_one_if_a_model_is_ill(quorate: Quorate) -> None:
    told = quorate("doctor", "openai:any", "--json")

    assert told.code == 1
    assert told.document["checks"][0]["trouble"] == "'openai:any' needs a key; set OPENAI_API_KEY"


@pytest.mark.parametrize("words", [("get",), ("get", "nothing"), ("smollm2",)])
def test_models_get_says_what_there_is(quorate: Quorate, words: tuple[str, ...]) -> None:
    told = quorate("models", *words)

    assert told.code in {1, 2}
    assert "minilm" in told.err


def test_models_that_are_picked_carry_a_budget_that_is_shown_with_the_price(
    quorate: Quorate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("QUORATE_ALLOW_KEYS", "openai@127.0.0.1:1")
    told = quorate("ask", "Should we?", "--patience", "1s", "--json")

    assert "note: price " in told.err
    assert "at most $0.50, 500000 tokens, unpriced" in told.err
    assert told.document["id"] in quorate("list").out


def test_route_shows_what_ask_would_pick(quorate: Quorate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-secret")
    asked = quorate("ask", "Should we?", "--dry-run", "--json").document["seats"]
    routed = quorate("route", "Should we?", "--json").document["seats"]

    assert [one["model"] for one in routed] == [one["model"] for one in asked]


def test_the_doctor_says_how_ballots_come(quorate: Quorate) -> None:
    asked = ("doctor", "demo:scripted", "--json")

    assert quorate(*asked).document["checks"][0]["ballots"] == "text"
    assert "(ballots as text with a mark)" in quorate(*asked[:2]).out
