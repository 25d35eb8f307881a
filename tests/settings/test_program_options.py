import os
from pathlib import Path

import pytest

from quorate.doors.langgraph import debate_graph, deliberation_graph
from quorate.errors import BadSetting, UnknownName
from quorate.ledger import open_ledger
from quorate.settings.process_environment import ProcessEnvironment
from quorate.settings.program_options import AdmittedSettings, SettingsMemory, keyword_texts


def test_keywords_become_the_texts_they_stand_for() -> None:
    keywords = {"seats": {"Safety": "ollama:x"}, "concurrency": 3, "patience": 2.5, "budget": None, "trust": True}

    assert keyword_texts(keywords, ()) == {
        "seats": (("Safety", "ollama:x"),),
        "concurrency": "3",
        "patience": "2.5",
    }


def test_an_open_ledger_is_left_to_the_door() -> None:
    assert keyword_texts({"ledger": open_ledger(":memory:")}, ()) == {}


@pytest.mark.parametrize("keywords", [{"deadline": object()}, {"seats": "Safety"}, {"budget": {"calls": 3}}])
def test_a_value_that_cannot_be_said_is_told_and_never_dropped(keywords: dict[str, object]) -> None:
    with pytest.raises(BadSetting, match=f"{next(iter(keywords))} takes "):
        keyword_texts(keywords, ())


def test_an_option_that_a_graph_does_not_take_is_told() -> None:
    with pytest.raises(UnknownName, match="no option 'pannel'"):
        deliberation_graph(protocol="tribunal", pannel="demo")  # type: ignore[call-arg]
    with pytest.raises(UnknownName, match="no option 'protocol'"):
        debate_graph(protocol="tribunal")  # type: ignore[call-arg]


def test_numbers_and_truth_values_among_settings_are_written_as_in_a_file() -> None:
    given = {"min_rounds": 2, "early_stopping": False, "stop_share": 0.75, "mode": "quick"}

    assert dict(keyword_texts({"settings": given}, ())["settings"]) == {
        "min_rounds": "2",
        "early_stopping": "False",
        "stop_share": "0.75",
        "mode": "quick",
    }
    with pytest.raises(BadSetting, match="settings takes texts and numbers, not None"):
        keyword_texts({"settings": {"min_rounds": None}}, ())


def admitted(memory: SettingsMemory, home: Path, **said: str) -> AdmittedSettings:
    return memory.admit(said, ProcessEnvironment.of({"HOME": str(home)}), charter=None, trust=False)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".config" / "quorate" / "config.yaml"
    file.parent.mkdir(parents=True)
    return file


def test_what_was_said_before_is_remembered_and_no_list_grows_with_the_calls(tmp_path: Path, config: Path) -> None:
    config.write_text("patience: 7s\n", encoding="utf-8")
    memory = SettingsMemory()
    one, two = (admitted(memory, tmp_path, model="ollama:a") for _ in range(2))

    assert one is two
    assert one.settings.consent is not None
    assert one.settings.consent.begun is None


def test_nothing_stale_is_remembered(tmp_path: Path, config: Path) -> None:
    memory, seen = SettingsMemory(), []
    for text in ("patience: 7s\n", "patience: 8s\n"):
        config.write_text(text, encoding="utf-8")
        os.utime(config, (1, 1))  # neither its size nor its time says that it has changed
        seen.append(admitted(memory, tmp_path, model="ollama:a").draft.limits.patience)
    there = {"HOME": str(tmp_path), "QUORATE_PATIENCE": "9s"}
    env = ProcessEnvironment.of(there)
    seen.append(memory.admit({"model": "ollama:a"}, env, charter=None, trust=False).draft.limits.patience)

    assert seen == [7, 8, 9]


def test_a_panel_file_is_read_at_every_call(tmp_path: Path, config: Path) -> None:
    del config
    memory, seen = SettingsMemory(), []
    for protocol in ("tribunal", "conference"):
        (tmp_path / "p.yaml").write_text(f"extends: {protocol}\n", encoding="utf-8")
        seen.append(admitted(memory, tmp_path, panel=str(tmp_path / "p.yaml"), model="ollama:a").draft.protocol)

    assert seen == ["tribunal", "conference"]
    assert not memory.known
