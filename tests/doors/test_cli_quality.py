"""`quorate quality` and `quorate route` as commands."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.doors.cli.command_group import run
from quorate.settings.route_table import load_table

DEMO = ["ask", "Should we delete the staging database?", "--panel", "demo", "--quiet"]
FIGURES = {
    "logical_consistency",
    "evidence_quality",
    "argument_diversity",
    "consensus_quality",
    "decision_confidence",
    "overall",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "OLLAMA_HOST", "QUORATE_MODEL", "QUORATE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("QUORATE_LEDGER", str(tmp_path / "ledger.db"))
    load_table.cache_clear()
    yield tmp_path
    load_table.cache_clear()


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(words) == 0
    return capsys.readouterr().out


def test_the_report_has_its_figures_who_changed_and_the_cost(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, *DEMO)
    report = json.loads(told(capsys, "quality", "last", "--json"))

    assert set(report["quality"]) == FIGURES
    assert all(0 <= value <= 1 for value in report["quality"].values())
    assert {change["seat"] for change in report["changed"]} == {"Utility"}
    assert report["cost"]["calls"] == 12
    assert "accuracy" not in json.dumps(report).replace("Accuracy", "")


def test_one_seat_alone_is_a_deliberation_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, *DEMO)
    report = json.loads(told(capsys, "quality", "last", "--against", "single", "--json"))
    listed = json.loads(told(capsys, "list", "--json"))["deliberations"]

    assert report["single"]["id"] == listed[0]["id"] != report["id"]
    assert set(report["single"]) == {"id", "outcome", "agrees", "depth", "confidence", "cost"}
    assert report["single"]["depth"]["panel"] > report["single"]["depth"]["single"]


def test_what_has_no_verdict_cannot_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "ask", "Delete\x01it?", "--panel", "demo", "--quiet")

    assert run(["quality", "last"]) == 1
    assert "has no verdict, so there is nothing to measure" in capsys.readouterr().err


def test_a_choice_is_shown_without_asking(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    said = told(capsys, "route", "Should we?", "--seat", "Safety=ollama:own")
    shown = json.loads(told(capsys, "route", "Should we?", "--seat", "Safety=ollama:own", "--json"))

    assert "not openai:gpt-5.5: OPENAI_API_KEY is not set" in said
    assert [seat["model"] for seat in shown["seats"]] == ["mistral:mistral-large-4"] * 2 + ["ollama:own"]
    assert shown["seats"][2]["why"] == "it names its model"
    assert json.loads(told(capsys, "list", "--json"))["deliberations"] == []


def test_a_table_of_ones_own_is_named_in_the_user_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = home / "config" / "quorate"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("routes: own.yaml\n", encoding="utf-8")
    (folder / "own.yaml").write_text(
        "date: 1\ntasks: {any: {models: ['openai:m@http://127.0.0.1:9/v1']}}\n", encoding="utf-8"
    )

    assert "openai:m@http://127.0.0.1:9/v1" in told(capsys, "route", "Should we?", "--model", "auto")
    assert told(capsys, "route", "--table").startswith("date: 1")


def test_nothing_usable_is_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "Should we?", "--model", "auto"]) == 1
    assert "auto found no model for seat 'Utility'" in capsys.readouterr().err
