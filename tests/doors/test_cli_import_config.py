"""AI Counsel's file, with every section its documentation shows, becomes a panel file and a user file."""

from pathlib import Path

import pytest

from quorate.errors import BadPanel
from quorate.settings.panel_file import load_charter
from tests.doors.conftest import Quorate

CONFIG = Path(__file__).parent / "fixtures" / "ai-counsel.yaml"
LEGACY = """
version: "1.0"
cli_tools:
  claude: {command: claude, args: ["-p", "{prompt}"], timeout: 60}
adapters:
  acme: {type: http, base_url: "https://acme.example/v1", api_key: sk-secret}
  openai: {type: openai, base_url: "https://gateway.example/v1", api_key: "${MY_KEY}", headers: {X-Team: a}}
  lmstudio: {type: http, base_url: "${LMSTUDIO}"}
model_registry:
  claude: [{id: sonnet}]
  acme: [{id: m}]
  openai: [{id: gpt-4.1, default: true}]
  lmstudio: [{id: local}]
"""


def test_it_becomes_a_panel_that_can_be_read(quorate: Quorate, tmp_path: Path) -> None:
    told = quorate("import-config", str(CONFIG), "--to", str(tmp_path))
    charter = load_charter(str(tmp_path / "panel.yaml"))

    assert told.code == 0, told.err
    assert charter.protocol == "conference"
    assert dict(charter.models) == {
        "claude": "cli:claude/claude-sonnet-4-5-20250929?total=300",
        "codex": "cli:codex/gpt-5-codex?effort=medium&total=180",
        "droid": "cli:droid/claude-sonnet-4-5-20250929?total=180",
        "openrouter": "openrouter:anthropic/claude-3.5-sonnet",
    }
    assert dict(charter.settings) == {
        "mode": "quick",
        "min_rounds": "2",
        "max_rounds": "5",
        "still": "0.85",
        "apart": "0.40",
        "early_stopping": "true",
        "stop_share": "0.66",
        "respect_min_rounds": "true",
    }
    assert '  droid: ["droid", "exec", "-m", "{model}"]' in (tmp_path / "panel.yaml").read_text()


def test_the_user_file_is_one(quorate: Quorate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quorate("import-config", str(CONFIG), "--to", str(tmp_path))
    monkeypatch.setenv("QUORATE_CONFIG", str(tmp_path / "config.yaml"))
    told = quorate("config", "--json")

    assert told.code == 0, told.err
    assert f"{tmp_path}/transcripts" in told.out
    assert 'disabled: ["cli:claude/claude-opus-4-20250514"]' in (tmp_path / "config.yaml").read_text()


@pytest.mark.parametrize(
    ("graph", "memory"),
    [
        ("{enabled: true}", "memory: on\n"),
        ("{enabled: true, context_token_budget: 2000}", "memory: 2000\n"),
        ("{enabled: true, context_token_budget: 7}", "memory: on\n"),
        ("{enabled: false, context_token_budget: 2000}", ""),
    ],
)
def test_a_decision_graph_becomes_memory_of_so_many_tokens(quorate: Quorate, graph: str, memory: str) -> None:
    told = quorate("import-config", "-", stdin=f"decision_graph: {graph}\n")

    assert told.code == 0, told.err
    assert ("memory:" in told.out, memory in told.out) == (bool(memory), True)


def test_what_has_no_counterpart_is_named_once_with_the_reason(quorate: Quorate) -> None:
    told = quorate("import-config", str(CONFIG))
    named = [line.split(": ")[1] for line in told.err.splitlines()]

    assert "no counterpart: deliberation.convergence_detection.stance_stability_threshold: quorate has" in told.err
    assert "no counterpart: decision_graph.db_path: earlier decisions are in the ledger" in told.err
    assert "no counterpart: adapters.ollama.base_url: the registry has no model for it" in told.err
    assert len(named) == len(set(named))
    assert not {"defaults.rounds", "deliberation.early_stopping.threshold", "storage.transcripts_dir"} & {*named}


def test_no_key_is_copied_and_old_sections_are_read(quorate: Quorate) -> None:
    told = quorate("import-config", "-", stdin=LEGACY)

    assert told.code == 0, told.err
    assert "sk-secret" not in told.out + told.err
    assert 'model: "cli:claude/sonnet?total=60"' in told.out
    assert 'model: "openai:gpt-4.1@https://gateway.example/v1"' in told.out
    assert "adapters.openai.api_key: keys are not copied; set OPENAI_API_KEY" in told.err
    assert "adapters.acme.base_url: quorate has no provider of that name" in told.err
    assert "adapters.lmstudio.base_url: set LMSTUDIO_BASE_URL to the address" in told.err


def test_nothing_is_written_over(quorate: Quorate, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("mine")
    told = quorate("import-config", str(CONFIG), "--to", str(tmp_path))

    assert told.code == 1
    assert "is there already" in told.err
    assert (tmp_path / "config.yaml").read_text() == "mine"
    assert not (tmp_path / "panel.yaml").exists()


@pytest.mark.parametrize("text", ["", "[]", "adapters: 3", "model_registry: {claude: {}}", "just words"])
def test_another_file_is_read_as_far_as_it_goes(quorate: Quorate, text: str) -> None:
    assert "Traceback" not in quorate("import-config", "-", stdin=text).err


def test_a_panel_file_takes_its_own_words_for_settings(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "protocol: conference\nmodel: demo:scripted\nseats: [{name: A}, {name: B}]\n"
        "settings: {rounds: 3, semantic_similarity_threshold: 0.9, divergence_threshold: 0.3, threshold: 0.8}\n"
    )

    assert dict(load_charter(str(path)).settings) == {
        "min_rounds": "3",
        "still": "0.9",
        "apart": "0.3",
        "stop_share": "0.8",
    }


def test_two_words_for_one_setting_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "protocol: conference\nseats: [{name: A}, {name: B}]\nsettings: {divergence_threshold: 0.3, apart: 0.4}\n"
    )

    with pytest.raises(BadPanel, match="divergence_threshold is another word for apart; give one of them"):
        load_charter(str(path))
