"""What would be ignored, or could never come to anything, is refused with what would be right."""

import time
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--protocol", "tribunal", "--option", "a", "--option", "b"), "protocol tribunal takes no options"),
        (("--protocol", "debate", "--option", "a", "--option", "b"), "protocol debate takes no options"),
        (("--protocol", "oracle", "--option", "a", "--option", "b"), "protocol oracle takes no options"),
        (("--protocol", "delphi", "--option", "a", "--option", "b"), "protocol delphi takes no options"),
        (("--protocol", "tribunal", "--sources", "."), "takes no sources; only the oracle does"),
        (("--protocol", "conference", "--sources", "."), "takes no sources; only the oracle does"),
        (("--set", "supermajority.at_least=2"), "at most 1"),
        (("--protocol", "conference", "--set", "veto=final"), "no setting of protocol 'conference' 'veto'"),
    ],
)
def test_what_a_protocol_would_ignore_is_refused(quorate: Quorate, words: tuple[str, ...], named: str) -> None:
    told = quorate("ask", "Should we?", "--model", "demo:scripted", *words)

    assert (told.code, told.out) == (1, "")
    assert named in told.err
    assert quorate("list").out == ""


@pytest.mark.parametrize("protocol", ["conference", "oracle"])
def test_a_rulebook_of_another_protocol_does_not_replay(quorate: Quorate, protocol: str) -> None:
    quorate("ask", "Which?", "--protocol", protocol, "--model", "demo:scripted", "--quiet")

    told = quorate("replay", "last", "--rulebook", "strict")

    assert (told.code, told.out) == (1, "")
    assert "'strict'" in told.err


def test_the_rulebook_of_its_own_protocol_still_replays(quorate: Quorate) -> None:
    quorate("ask", "Should we?", "--panel", "demo", "--quiet")

    assert quorate("replay", "last", "--rulebook", "strict", "--quiet").code == 0


def test_a_panel_that_could_not_be_convened_does_not_pass_the_check(quorate: Quorate, home: Path) -> None:
    seats = "seats: [{name: Opponent}, {name: Moderator, powers: []}]"
    (home / "panel.yaml").write_text(f"protocol: debate\n{seats}\n")

    told = quorate("panel", "check", str(home / "panel.yaml"))

    assert (told.code, told.out) == (1, "")
    assert "proponent" in told.err


@pytest.mark.parametrize("preset", ["tribunal", "conference", "debate", "oracle", "delphi", "ranked", "approval"])
def test_every_preset_passes_the_check_and_can_be_shown(quorate: Quorate, preset: str) -> None:
    assert quorate("panel", "check", preset).code == 0
    assert quorate("config", "--panel", preset).code == 0


def test_config_refuses_a_setting_there_is_not(quorate: Quorate) -> None:
    told = quorate("config", "--set", "colour=red")

    assert (told.code, told.out) == (1, "")
    assert "colour" in told.err


@pytest.mark.parametrize("protocol", ["conference", "debate"])
def test_a_forecast_of_endless_rounds_ends_at_once(quorate: Quorate, protocol: str) -> None:
    begun = time.process_time()
    told = quorate(
        "ask", "Ship?", "--protocol", protocol, "--model", "ollama:a", "--set", "max_rounds=999999999", "--dry-run"
    )

    assert told.code == 0
    assert "only the first 30 are counted" in told.out
    assert time.process_time() - begun < 5
