import json
from pathlib import Path

import click
import pytest

from quorate import catalogue, presets
from quorate.doors.cli.command_group import quorate as group
from quorate.settings.panel_file import load_charter
from tests.doors.conftest import Quorate

BALLOT = '{"decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "mind the gap"}'


def commands() -> list[str]:
    return group.list_commands(click.Context(group))


@pytest.mark.parametrize("command", commands())
def test_every_command_explains_itself_with_an_example(quorate: Quorate, command: str) -> None:
    told = quorate(command, "--help")

    assert told.code == 0
    assert "Example" in told.out
    assert f"quorate {command}" in told.out.partition("Example")[2]


def test_config_says_where_every_setting_comes_from(quorate: Quorate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    monkeypatch.setenv("QUORATE_DEADLINE", "2m")

    told = quorate("config", "--model", "openai:some", "--json")

    rows = {row["key"]: (row["value"], row["source"]) for row in told.document["settings"]}
    assert rows["seat Safety"] == ("openai:some", "flag --model")
    assert rows["deadline"] == ("120 s", "environment QUORATE_DEADLINE")
    assert "canary" not in told.out + quorate("config").out


def test_the_whole_catalogue_is_listed(quorate: Quorate) -> None:
    told = quorate("rules")

    assert told.code == 0
    for name in (*catalogue.names("protocol"), *catalogue.names("rule"), *presets.rulebooks()):
        assert f"  {name} " in told.out


def test_a_name_is_shown_as_everything_that_bears_it(quorate: Quorate) -> None:
    shown = quorate("rules", "show", "tribunal", "--json").document["catalogue"]

    assert [thing["kind"] for thing in shown] == ["protocol", "rulebook"]
    assert "veto" in [setting["name"] for setting in shown[0]["settings"]]
    assert shown[1]["asks"][0] == "asks veto(means=REFUSE)"


def test_the_panels_that_ship_are_listed(quorate: Quorate) -> None:
    assert [panel["panel"] for panel in quorate("panels", "--json").document["panels"]] == list(presets.panels())
    assert "Safety: vote, veto." in quorate("panels").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_its_completion(quorate: Quorate, shell: str) -> None:
    assert "_QUORATE_COMPLETE" in quorate("completion", shell).out


def test_decide_prints_the_document_with_the_verdict_alone(quorate: Quorate) -> None:
    ballots = [{"seat": "Safety Agent", "decision": "VETO", "confidence": 5, "risk": 95, "reasoning": "no way back"}]

    told = quorate("decide", "-", "--json", stdin=json.dumps(ballots))

    assert list(told.document) == ["schema", "may_act", "verdict"]
    assert (told.document["verdict"]["outcome"], told.document["verdict"]["rule"]) == ("REFUSE", "veto")
    assert quorate("decide", "-", "-q", stdin=json.dumps(ballots)).out == "REFUSE  veto by Safety\n"


def test_read_says_what_a_reply_counts_as(quorate: Quorate) -> None:
    read = quorate("read", "-", "--json", stdin=f"I think so.\n\nBALLOT {BALLOT}")
    unread = quorate("read", "-", "--json", stdin="I would rather not say.")

    ballot = {"choice": "WARN", "confidence": 0.7, "risk": 0.3, "reason": "mind the gap"}
    assert ballot.items() <= read.document["ballot"].items()
    assert (read.document["silence"], read.document["cautions"]) == (None, [])
    assert unread.document["ballot"] is None
    assert unread.document["silence"]


@pytest.mark.parametrize(
    ("protocol", "reply", "why"),
    [
        ("conference", "Kafka, I think.", "there was no vote in it (no_vote)"),
        (
            "conference",
            '{"option": "Kafka", "confidence": 7}',
            "a number in its vote was missing or out of range (bad_number)",
        ),
        ("delphi", "twelve", "there was no estimate in it (no_ballot)"),
        ("tribunal", '{"decision": "ACT"}', "its ballot did not say how sure you are (no_confidence)"),
    ],
)
def test_read_says_why_there_is_no_ballot_in_words_of_its_protocol(
    quorate: Quorate, protocol: str, reply: str, why: str
) -> None:
    assert quorate("read", "-", "--protocol", protocol, stdin=reply).out == f"no ballot: {why}\n"


def test_read_prints_words_and_not_values_of_python(quorate: Quorate) -> None:
    vote = {"option": "Kafka", "confidence": 0.9, "rationale": "fast", "continue_debate": False}
    found = {"outcome": "YES", "confidence": 0.9, "reasoning": "r", "evidence": [{"url": "a.txt", "quote": "it did"}]}

    told = quorate("read", "-", "--protocol", "conference", stdin=json.dumps(vote)).out
    cited = quorate("read", "-", "--protocol", "oracle", stdin=json.dumps(found)).out

    assert told.splitlines()[-2:] == ["abstains    no", "go on       no"]
    assert cited.splitlines()[-1] == "evidence    a.txt: it did"
    assert quorate("read", "-", "--answer", stdin=" ").out == "no ballot: it was empty (empty)\n"


def test_the_version_is_the_package_s(quorate: Quorate) -> None:
    from importlib.metadata import version

    assert quorate("--version").out == f"quorate {version('quorate')}\n"


def test_a_new_panel_file_is_the_preset_and_overwrites_nothing(
    quorate: Quorate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = quorate("panel", "new", "mine.yaml", "--like", "council")
    again = quorate("panel", "new", "mine.yaml")
    listed = quorate("config", "--panel", "mine.yaml", "--json")

    assert (made.code, again.code, listed.code) == (0, 1, 0)
    assert made.out == "mine.yaml written; edit it, then: quorate ask QUESTION --panel mine.yaml\n"
    assert "'mine.yaml' already exists" in again.err
    assert quorate("panel", "new", "-", "--like", "council").out == Path("mine.yaml").read_text()
    assert load_charter("mine.yaml").panel == presets.panel("council").panel


def test_a_panel_file_that_cannot_be_written_is_told(quorate: Quorate) -> None:
    told = quorate("panel", "new", "nowhere/mine.yaml")

    assert (told.code, told.err) == (1, "quorate: cannot write 'nowhere/mine.yaml': no such file or directory\n")
