"""What is decided before any model is asked, and how the hook gets into an agent's settings."""

import asyncio
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.doors.hooks import AGENTS, ToolCall, agent_format
from quorate.doors.hooks.first_list import DEFAULTS, FirstList
from tests.doors.conftest import Quorate
from tests.doors.test_hooks import BALLOT, EVENTS
from tests.servers import Endpoint

TRICKS = (
    *("git status; rm -rf x", "git status && id", "git status & id", "git status | sh", "git status || id"),
    *("git status `id`", "git status $(id)", "git status ${HOME}", "git status\nid", "git status\rid"),
    *("git status > /etc/x", "git status < x", "git status >> x", "git status 2>&1", "git status \\\nid"),
    *("GIT_PAGER=id git status", "git status 'x'", 'git status "x"', "git status #x", "git status *", "~/git status"),
    *("git status {a,b}", "git status ?", "git status [a]", "git status !x", "git status \x00", "git status \u2028id"),
    *("git\u00a0status", "", "   ", "git status\t&& id"),
)


def call(tool: str = "Bash", cwd: str = "/repo", **given: object) -> ToolCall:
    return ToolCall(agent="claude-code", event="PreToolUse", tool=tool, input=given, cwd=cwd)


def decided(found: FirstList, one: ToolCall) -> str:
    answer = found.answer(one)
    return answer.decision if answer else "panel"


@pytest.mark.parametrize("command", TRICKS)
@pytest.mark.parametrize("pattern", ["Bash(*)", "Bash(git status*)", "Bash", "*", "Bash(git *)"])
@pytest.mark.parametrize("tool", ["Bash", "run_shell_command"])
def test_no_trick_of_the_shell_is_allowed_by_a_pattern(tool: str, pattern: str, command: str) -> None:
    found = FirstList(always_allow=(pattern.replace("Bash", tool),))

    assert decided(found, call(tool, command=command)) == "panel"
    assert decided(found, call(tool, cmd=command)) == "panel"


@pytest.mark.parametrize(
    ("cwd", "given"),
    [
        ("/repo", {"pattern": ".", "path": "/srv/u/.ssh"}),
        ("/srv/u", {"pattern": ".", "path": ".gnupg"}),
        ("/srv/u/.ssh", {"pattern": "."}),
        ("/repo", {"pattern": "key", "path": "/srv/u/.aws"}),
        ("/repo", {"file_path": "/srv/u/.aws//credentials"}),
        ("/repo", {"file_path": "/srv/u/.config/./quorate/config.yaml"}),
        ("/srv/u/.aws", {"file_path": "credentials"}),
        ("/srv/u", {"paths": ["a", ".local//share/quorate/ledger.db"]}),
    ],
)
@pytest.mark.parametrize("tool", ["Read", "Grep", "read_many_files"])
def test_another_spelling_of_a_place_is_the_same_place(tool: str, cwd: str, given: dict[str, object]) -> None:
    assert decided(DEFAULTS, call(tool, cwd, **given)) == "ask"


def test_a_search_elsewhere_is_still_allowed() -> None:
    assert decided(DEFAULTS, call("Grep", pattern="x")) == "allow"
    assert decided(DEFAULTS, call("Read", file_path="src/a.py")) == "allow"
    assert decided(FirstList(always_deny=("Bash(repo)",)), call(command="ls")) == "panel"


def test_a_command_is_allowed_only_as_it_stands_there() -> None:
    found = FirstList(always_allow=("Bash(git status)", "Bash(git log *)"))

    assert decided(found, call(command="git status", description="See", timeout=5)) == "allow"
    assert decided(found, call(command="git log -n 3 src/a.py")) == "allow"
    assert decided(found, call(command="git status -s")) == "panel"
    assert decided(found, call(command="git log ../../x")) == "panel"
    assert decided(found, call(command="git status", dangerouslyDisableSandbox=True)) == "panel"
    assert decided(found, call(command="git status", cmd="id")) == "panel"
    assert decided(found, call(command=["git", "status"])) == "panel"
    assert decided(found, call("bash", command="git status")) == "panel"
    assert decided(found, ToolCall(agent="codex", event="", tool="Bash", input="git status", cwd="")) == "panel"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/repo/docs/a.md", "allow"),
        ("docs/a.md", "allow"),
        ("/repo/docs/../src/a.py", "panel"),
        ("/repo/src/a.py", "panel"),
        ("/elsewhere/docs/a.md", "panel"),
        ("docs/a\n.md", "panel"),
        ("docs/", "allow"),
    ],
)
def test_a_path_is_meant_from_the_folder_and_does_not_leave_it(path: str, expected: str) -> None:
    assert decided(FirstList(always_allow=("Write(docs/*)",)), call("Write", file_path=path, content="x")) == expected


@pytest.mark.parametrize("name", ["path", "notebook_path", "absolute_path", "dir_path", "paths"])
def test_a_second_path_must_fit_too(name: str) -> None:
    """Which of two an agent's tool goes by is not known here."""
    listed = FirstList(always_allow=("Write(docs/*)",))

    for other in ("/etc/passwd", ["/etc/passwd"]):
        one = replace(call("Write"), input={"file_path": "docs/a.md", name: other})
        assert decided(listed, one) == "panel"


def test_what_asks_or_denies_is_met_anywhere_and_goes_first() -> None:
    found = FirstList(always_allow=("*",), always_ask=("Write(secrets)",), always_deny=("*(rm  -rf)",))

    assert decided(found, call("Write", file_path="a", content="My SECRETS are")) == "ask"
    assert decided(found, call("write", file_path="secrets")) == "ask"
    assert decided(found, call(command="sudo RM \t -rf x")) == "deny"
    assert decided(found, call("Task", prompt={"steps": [{"run": "rm -rf /"}]})) == "deny"
    assert decided(found, call("Read", file_path="a")) == "allow"


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Read", {"file_path": "/repo/a.py"}, "allow"),
        ("read_file", {"absolute_path": "/repo/a.py"}, "allow"),
        ("Read", {"file_path": "/repo/.env"}, "ask"),
        ("Read", {"file_path": "/u/.ssh/id_ed25519"}, "ask"),
        ("Write", {"file_path": "/u/.claude/settings.json", "content": "{}"}, "ask"),
        ("Bash", {"command": "echo x > ~/.config/quorate/hooks.yaml"}, "ask"),
        ("Write", {"file_path": "/repo/a.py", "content": "x"}, "panel"),
        ("Bash", {"command": "npm test"}, "panel"),
        ("WebFetch", {"url": "https://example.org"}, "panel"),
        ("mcp__files__read", {"path": "a"}, "panel"),
        ("apply_patch", {"command": "*** Begin Patch"}, "panel"),
    ],
)
def test_what_ships_lets_an_agent_look_and_no_more(tool: str, given: dict[str, object], expected: str) -> None:
    assert decided(DEFAULTS, replace(call(tool), input=given)) == expected


async def test_the_hook_file_is_asked_before_any_model(quorate: Quorate, home: Path) -> None:
    folder = home / ".config" / "quorate"
    folder.mkdir(parents=True)
    async with Endpoint(otherwise=BALLOT) as endpoint:
        words = ("hook", "claude-code", "--model", f"openai:m@{endpoint.url}")
        for text, expected in (
            ("always_deny: ['*(psql)']\nalways_allow: [Bash]", "deny"),
            ("always_ask: [Bash]", "ask"),
            ("always_allow: no list", "ask"),
            ("allow: [Bash]", "ask"),
            ("always_allow: ['(']", "ask"),
        ):
            (folder / "hooks.yaml").write_text(text)
            told = await asyncio.to_thread(quorate, *words, stdin=json.dumps(EVENTS[0]["event"]))
            assert told.document["hookSpecificOutput"]["permissionDecision"] == expected, told.out

    assert endpoint.seen == []


@pytest.mark.parametrize("agent", AGENTS)
def test_it_is_installed_once_beside_what_was_there_and_the_old_file_is_kept(
    quorate: Quorate, home: Path, agent: str
) -> None:
    form = agent_format(agent)
    path = home / form.settings_file
    event, _ = form.hook_entry("", 1)
    own = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
    before = json.dumps({"theme": "dark", "hooks": {event: [own], "Stop": [own]}})
    path.parent.mkdir()
    path.write_text(before)
    path.chmod(0o640)
    words = ("hook", "install", agent, "--model", "ollama:NAME")

    shown = quorate(*words)
    assert (shown.code, path.read_text()) == (0, before)
    assert f"hook {agent} --model ollama:NAME" in shown.out
    written = quorate(*words, "--yes")
    again = quorate(*words, "--yes")
    other = quorate("hook", "install", agent, "--timeout", "20s", "--yes")

    settings = json.loads(path.read_text())
    kept = sorted(path.parent.glob("*.before-quorate*"))
    assert [told.code for told in (written, again, other)] == [0, 0, 0]
    assert "nothing to change" in again.out
    assert [one.read_text() == before for one in kept] == [True, False]
    assert settings["theme"] == "dark"
    assert settings["hooks"]["Stop"] == [own]
    assert settings["hooks"][event][0] == own
    assert [one["hooks"][0]["command"].split("hook ")[1] for one in settings["hooks"][event][1:]] == [
        f"{agent} --timeout 20s"
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[]", '{"hooks": []}', '{"hooks": {"BeforeTool": {}}}', "\xff"])
def test_settings_that_cannot_be_understood_are_left_alone(quorate: Quorate, tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text, encoding="latin-1")
    told = quorate("hook", "install", "gemini", "--settings-file", str(path), "--yes")

    assert told.code == 2
    assert told.err.startswith("quorate: ")
    assert path.read_text(encoding="latin-1") == text
    assert list(tmp_path.glob("*.before-quorate*")) == []


def test_no_link_that_waits_where_the_copy_goes_is_followed(quorate: Quorate, tmp_path: Path) -> None:
    path, nowhere = tmp_path / "settings.json", tmp_path / "elsewhere"
    path.write_text("{}")
    path.with_name("settings.json.before-quorate").symlink_to(nowhere)
    told = quorate("hook", "install", "gemini", "--settings-file", str(path), "--yes")

    assert told.code == 0, told.err
    assert not nowhere.exists()
    assert path.with_name("settings.json.before-quorate-1").read_text() == "{}"


def test_a_hook_that_could_ask_nobody_is_not_installed_in_silence(quorate: Quorate) -> None:
    nobody = quorate("hook", "install", "gemini")
    somebody = quorate("hook", "install", "gemini", "--model", "ollama:NAME")

    assert "this hook has no verdict and allows nothing: no model answers for Utility, Accuracy, Safety" in nobody.err
    assert "allows nothing" not in somebody.err + somebody.out


def test_where_there_are_no_settings_they_are_made_for_the_user_alone(quorate: Quorate, home: Path) -> None:
    told = quorate("hook", "install", "codex", "--ledger", "new.db", "--yes")
    path = home / ".codex" / "hooks.json"

    assert told.code == 0
    assert f"--ledger {Path('new.db').absolute()}" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(json.loads(path.read_text())["hooks"]) == ["PermissionRequest"]
    assert "/hooks" in told.out
