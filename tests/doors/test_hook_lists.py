"""What is decided before any model is asked, and how the hook gets into an agent's settings."""

import asyncio
import json
import os
import shlex
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.hooks import AGENTS, ToolCall, agent_format, first_list
from quorate.doors.hooks.first_list import FirstList, answer_by_lists
from quorate.doors.hooks.own_places import own_places
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


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A project with open files, secret ones, links and second names."""
    root = tmp_path / "repo"
    for folder in ("src", "docs", ".kube", ".git", "keys", "linked", "twins"):
        (root / folder).mkdir(parents=True)
    for name in ("src/a.py", ".env", ".git-credentials", ".npmrc", ".kube/config", ".git/config", "keys/id_rsa"):
        (root / name).write_text("x")
    outside = tmp_path / "outside"
    outside.write_text("x")
    (root / "linked/shadow.txt").symlink_to("/etc/passwd")
    (root / "linked/src").symlink_to(tmp_path)
    (root / "twins/b.py").hardlink_to(outside)
    return root


def call(tool: str, cwd: Path | str, agent: str = "claude-code", **given: object) -> ToolCall:
    return ToolCall(agent=agent, event="PreToolUse", tool=tool, input=given, cwd=str(cwd))


def decided(one: ToolCall, listed: FirstList | None = None, *, ledger: str | None = None) -> str:
    """What the lists say: those that ship, or the given one alone."""
    own = own_places(ledger, os.environ, Path("~").expanduser())
    with pytest.MonkeyPatch.context() as patch:
        if listed is not None:
            patch.setattr(first_list, "first_list", lambda *_: (listed, False))
        answer = answer_by_lists(one, None, own, os.environ)
    return answer.decision if answer else "panel"


@pytest.mark.parametrize("command", TRICKS)
@pytest.mark.parametrize("pattern", ["Bash(*)", "Bash(git status*)", "Bash", "*", "Bash(git *)"])
@pytest.mark.parametrize("tool", ["Bash", "run_shell_command"])
def test_no_trick_of_the_shell_is_allowed_by_a_pattern(tool: str, pattern: str, command: str, tmp_path: Path) -> None:
    listed = FirstList(always_allow=(pattern.replace("Bash", tool),))

    assert decided(call(tool, tmp_path, command=command), listed) == "panel"
    assert decided(call(tool, tmp_path, cmd=command), listed) == "panel"


READ = {"claude-code": ("Read", "file_path"), "gemini": ("read_file", "file_path")}
SEARCH = {"claude-code": ("Grep", "path"), "gemini": ("grep_search", "dir_path")}
LIST = {"claude-code": ("Glob", "path"), "gemini": ("glob", "dir_path")}
READERS = pytest.mark.parametrize("agent", sorted(READ))


@READERS
def test_an_agent_may_look_at_what_lies_openly_in_its_project(agent: str, repo: Path) -> None:
    read, search, names = READ[agent], SEARCH[agent], LIST[agent]

    for path in ("src/a.py", "./src/a.py", f"{repo}/src/a.py"):
        assert decided(call(read[0], repo, agent, **{read[1]: path})) == "allow", path
    assert decided(call(search[0], repo, agent, pattern="def ", **{search[1]: "src"})) == "allow"
    assert decided(call(names[0], repo, agent, pattern="**/*.py", **{names[1]: str(repo)})) == "allow"


@READERS
@pytest.mark.parametrize(
    "path",
    [
        *("/etc/shadow", "/etc/passwd", "/proc/self/environ", "~/.netrc", "../outside", "src/../../outside"),
        *(".env", ".git-credentials", ".npmrc", ".kube/config", ".git/config", "keys/id_rsa", "KEYS/ID_RSA", ".ENV"),
        *("linked/shadow.txt", "linked/src/outside", "twins/b.py", "src", "$HOME/x", "src/*.py", "src/a.py\n", ""),
    ],
)
def test_no_reader_is_allowed_anywhere_else(agent: str, path: str, repo: Path) -> None:
    for (tool, name), more in ((READ[agent], {}), (SEARCH[agent], {"pattern": "KEY"}), (LIST[agent], {"pattern": "*"})):
        if path in {"src", ""} and tool != READ[agent][0]:
            continue
        assert decided(call(tool, repo, agent, **more, **{name: path})) != "allow", tool


@READERS
@pytest.mark.parametrize("cwd", ["/", "/etc", "/proc/self", "~", "~/.config", "~/..", "/nowhere/at/all", "", "src"])
def test_a_folder_that_is_no_project_is_not_read_in(agent: str, cwd: str, home: Path) -> None:
    (home / ".config").mkdir(exist_ok=True)
    (home / "notes").write_text("x")
    at = os.path.expanduser(cwd)  # noqa: PTH111

    for name in ("notes", "passwd", "environ", "etc/passwd"):
        assert decided(call(READ[agent][0], at, agent, **{READ[agent][1]: name})) != "allow"
    assert decided(call(SEARCH[agent][0], at, agent, pattern="PRIVATE KEY", **{SEARCH[agent][1]: "."})) != "allow"


@READERS
@pytest.mark.parametrize("spoilt", [".env", "deep/er/server.pem", "a/link", "a/twin"])
def test_a_search_is_allowed_only_where_nothing_secret_can_be_met(agent: str, spoilt: str, tmp_path: Path) -> None:
    """The search reads every file below its folder, so one secret is enough; .git is left out by the agents."""
    root = tmp_path / "plain"
    (root / ".git").mkdir(parents=True)
    (root / ".git/config").write_text("x")
    (root / "a").mkdir()
    tool, name = SEARCH[agent]
    search = call(tool, root, agent, pattern="x", **{name: "."})
    assert decided(search) == "allow"

    place = root / spoilt
    place.parent.mkdir(parents=True, exist_ok=True)
    if spoilt == "a/link":
        place.symlink_to("/etc")
    elif spoilt == "a/twin":
        place.hardlink_to(root / ".git/config")
    else:
        place.write_text("KEY=1")
    assert decided(search) == "panel"


@pytest.mark.parametrize(
    "path",
    [
        *(" /tmp/x.py", " src/a.py", "src /a.py", " ~/x.py", "e\u0301/x.py", "%2e%2e/x.py", "file:x.py/y.py"),
        *("-f/x.py", "./-f/x.py", "src/-f/x.py", ".//-f//x.py"),
    ],
)
def test_a_path_that_agents_take_for_another_one_is_not_read(path: str, repo: Path) -> None:
    """Claude Code cuts spaces off the folder of a search; others decode or normalize. All of these lie in here."""
    (repo / path).parent.mkdir(parents=True)
    (repo / path).write_text("x")

    for agent, (tool, name) in READ.items():
        assert decided(call(tool, repo, agent, **{name: path})) == "panel"
    for agent, (tool, name) in (*SEARCH.items(), *LIST.items()):
        assert decided(call(tool, repo, agent, pattern="x", **{name: path.rpartition("/")[0]})) == "panel"


@pytest.mark.parametrize(
    ("agent", "tool", "given"),
    [
        *(
            ("gemini", "grep_search", {"dir_path": "src", "pattern": pattern, "include_pattern": "*.py"})
            for pattern in ("-FOtouch x; true", "-f/etc/passwd", "--open-files-in-pager=id", "-")
        ),
        ("claude-code", "Grep", {"path": "src", "pattern": "--pre=./x"}),
        ("claude-code", "Grep", {"path": "src", "pattern": "x", "glob": "*.git"}),
        ("claude-code", "Glob", {"path": "src", "pattern": "-x"}),
        ("claude-code", "Grep", {"path": "src", "pattern": "x", "output_mode": []}),
        ("claude-code", "Read", {"file_path": "x" * 300}),
        ("claude-code", "Read", {"file_path": "src/a.py", "follow": True}),
        ("claude-code", "Read", {"file_path": ["src/a.py"]}),
        ("claude-code", "Read", {"file_path": "src/a.py", "limit": "9"}),
        ("claude-code", "Read", {"file_path": "src/a.py", "limit": True}),
        ("claude-code", "Read", {"path": "src/a.py"}),
        ("claude-code", "read_file", {"file_path": "src/a.py"}),
        ("claude-code", "Grep", {"pattern": "x", "path": "src", "glob": "!*.py"}),
        ("claude-code", "Grep", {"pattern": "x", "path": "src", "--pre": "sh"}),
        ("claude-code", "Grep", {"pattern": "x", "path": "src", "type": "py --pre=sh"}),
        ("claude-code", "Glob", {"pattern": "**/id_rsa", "path": "src"}),
        ("claude-code", "Glob", {"pattern": "../**", "path": "src"}),
        ("claude-code", "Glob", {"pattern": "/etc/*", "path": "src"}),
        ("claude-code", "TodoWrite", {"todos": "x"}),
        ("claude-code", "Bash", {"command": "ls", "run_in_background": True}),
        ("claude-code", "Bash", {"command": ["ls"]}),
        ("gemini", "Read", {"file_path": "src/a.py"}),
        ("gemini", "read_many_files", {"include": ["src/a.py"]}),
        ("gemini", "grep_search", {"pattern": "x"}),
        ("gemini", "grep_search", {"pattern": "x", "dir_path": "src", "no_ignore": True}),
        ("gemini", "glob", {"pattern": "*"}),
        ("codex", "Read", {"file_path": "src/a.py"}),
        ("codex", "apply_patch", {"command": "*** Begin Patch"}),
        ("claude-code", "mcp__files__read", {"path": "src/a.py"}),
        *(
            ("claude-code", "Bash", {"command": command})
            for command in (
                *("git diff --no-index /etc/passwd x", "git -c core.pager=id log", "git status", "rg --pre sh x"),
                *("find . -exec id", "grep -f /etc/passwd x", "grep --file=x y", "less src/a.py", "cat notes.txt"),
                *("ls linked/src", "ls /etc", "ls ..", "LS", "env", "man ls", "npm test"),
            )
        ),
    ],
)
def test_an_unknown_tool_argument_or_value_goes_to_the_panel(
    agent: str, tool: str, given: dict[str, object], repo: Path
) -> None:
    assert decided(replace(call(tool, repo, agent), input=given)) == ("ask" if "id_rsa" in str(given) else "panel")


def test_what_only_looks_around_is_allowed(repo: Path) -> None:
    todos = [{"content": "x", "status": "pending", "activeForm": "y"}]

    assert decided(call("Bash", repo, command="ls", description="Look")) == "allow"
    assert decided(call("Bash", repo, "codex", command="pwd")) == "allow"
    assert decided(call("run_shell_command", repo, "gemini", command="ls")) == "allow"
    assert decided(call("TodoWrite", repo, todos=todos)) == "allow"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": ".env"}),
        ("Write", {"file_path": "keys/id_rsa", "content": "x"}),
        ("Bash", {"command": "cat ~/.ssh/id_ed25519"}),
        ("Bash", {"command": "cat ~/.git-credentials"}),
        ("Bash", {"command": "tr a b < /proc/1/environ"}),
        ("Grep", {"pattern": "token", "path": ".kube"}),
    ],
)
def test_a_person_is_asked_about_secrets(tool: str, given: dict[str, object], repo: Path) -> None:
    assert decided(replace(call(tool, repo), input=given)) == "ask"


OWN = (
    *("quorate review last --outcome ACT", "/usr/bin/quorate label x", "python -m quorate", "QUORATE_LEDGER=x id"),
    *("rm ~/.config/quorate/hooks.yaml", 'q"uor"ate show', "qu\\orate show", "\uff51uorate show", "quo\u200brate show"),
    *("sqlite3 votes.db", "curl http://127.0.0.1:8420/api", "curl example.org:8420", "rm ~/.claude/settings.json"),
    *("cp x .gemini/settings.json", "cp x ~/.codex/hooks.json", "cat alias/config.yaml", "cat ./alias/"),
    *("{quo,}rate show", "quo$'r'ate show", "python -c \"__import__('quo'+'rate')\"", "cp x alias"),
    *("cat ~/.config/alias", "cat $HOME/.config/alias", "rm ${HOME}/.config/alias/x"),
)
FROM_ELSEWHERE = (
    "cd src && cat other",
    "git -C src checkout other",
    "cd ./src; cd deep; rm other2",
    "tar -C src -x other",
)
"""Commands that enter a folder before they use a link that lies in it."""


@pytest.mark.parametrize("command", [*OWN, *FROM_ELSEWHERE])
@pytest.mark.parametrize("pattern", ["*", "Bash", "Bash(*)", "exact"])
def test_no_list_allows_what_names_quorate(pattern: str, command: str, repo: Path, home: Path) -> None:
    (home / ".config/quorate").mkdir(parents=True)
    for folder in (repo, home / ".config"):
        (folder / "alias").symlink_to(home / ".config/quorate")
    (repo / "src/deep").mkdir()
    for link in ("src/other", "src/deep/other2"):
        (repo / link).symlink_to(home / ".config/quorate")
    (home / ".config/quorate/x").mkdir()
    (repo / "up").symlink_to(home / ".config/quorate/x")
    listed = FirstList(always_allow=(f"Bash({command})" if pattern == "exact" else pattern,))

    assert decided(call("Bash", repo, command=command), listed, ledger="/srv/votes.db") == "ask"
    assert decided(call("Task", repo, prompt={"steps": [command]}), listed, ledger="/srv/votes.db") == "ask"
    assert decided(call("Bash", repo, command=command), FirstList(always_deny=("*",))) == "deny"


def test_no_word_however_long_or_odd_stops_the_search_for_what_is_ours(repo: Path) -> None:
    for word in ("x" * 300, "~\0x/y", "~nobody-such/x", "$HOME\0", "/" * 5_000):
        assert decided(call("Bash", repo, command=f"cat {word}")) == "panel"
        assert decided(call("Bash", repo, command=f"cat {word} quorate")) == "ask"


def test_no_number_of_folders_hides_the_one_that_is_entered(repo: Path, home: Path) -> None:
    (home / ".config/quorate").mkdir(parents=True)
    (repo / "src/other").symlink_to(home / ".config/quorate")
    for number in range(80):
        (repo / f"d{number}").mkdir()
    named = " ".join(f"d{number}" for number in range(80))

    assert decided(call("Bash", repo, command=f"ls {'. ' * 80}d1")) == "allow"
    for before in (". " * 80, f"{named} "):
        assert decided(call("Bash", repo, command=f"ls {before}; cd src; cat other")) == "ask"


def test_the_agents_settings_are_named_from_the_root_too(repo: Path) -> None:
    assert decided(call("Write", "/", file_path="/srv/ann/.claude/settings.json", content="x")) == "ask"


def test_a_project_that_lies_in_a_folder_called_quorate_is_an_ordinary_one(tmp_path: Path, home: Path) -> None:
    project, config = tmp_path / "quorate", home / ".config/quorate"
    for folder in (project, config):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("x")

    assert decided(call("Read", project, file_path=f"{project}/a.py")) == "allow"
    assert decided(call("Read", config, file_path="a.py")) == "ask"


@pytest.mark.parametrize("url", ["http://localhost:3000/x", "http://127.0.0.1/x", "http://[::1]/", "http://0x7f.1/"])
def test_a_request_to_this_machine_is_allowed_by_no_list(url: str, repo: Path) -> None:
    """A server of quorate may listen on any port."""
    listed = FirstList(always_allow=("WebFetch", f"Bash(curl {url})", f"WebFetch({url})"))

    assert decided(call("WebFetch", repo, url=url, prompt="x"), listed) == "panel"
    assert decided(call("Bash", repo, command=f"curl {url}"), listed) == "panel"


def test_a_command_is_allowed_only_as_it_stands_there(repo: Path) -> None:
    listed = FirstList(always_allow=("Bash(git status)", "Bash(git log *)", "Bash(git log -n *)"))

    for expected, commands in {
        "allow": ("git status", "git log src/a.py", "git log main", "git log -n 3 src/a.py"),
        "panel": (
            *("git status -s", "git log ../../x", "git log --output=x", "git log -p", "git log /etc/passwd"),
            *("git log .env", "git log linked/src/outside", "git log a:.env", "git log -n 3 -p"),
        ),
    }.items():
        for command in commands:
            assert decided(call("Bash", repo, command=command), listed) == expected, command
    assert decided(call("Bash", repo, command="git status", description="See", timeout=5), listed) == "allow"
    for given in ({"dangerouslyDisableSandbox": True}, {"cmd": "id"}):
        assert decided(call("Bash", repo, command="git status", **given), listed) == "panel"
    assert decided(call("Bash", repo, command=["git", "status"]), listed) == "panel"
    assert decided(call("bash", repo, command="git status"), listed) == "panel"
    assert decided(replace(call("Bash", repo), input="git status"), listed) == "panel"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("{repo}/docs/a.md", "allow"),
        ("docs/a.md", "allow"),
        ("{repo}/docs/../src/a.py", "panel"),
        ("{repo}/src/a.py", "panel"),
        ("/elsewhere/docs/a.md", "panel"),
        ("docs/a\n.md", "panel"),
        ("docs/.env", "panel"),
        ("docs/", "allow"),
    ],
)
@pytest.mark.parametrize("pattern", ["Write(docs/*)", "Write"])
def test_a_path_is_meant_from_the_folder_and_does_not_leave_it(
    path: str, expected: str, pattern: str, repo: Path
) -> None:
    named = path.format(repo=repo)
    wanted = "allow" if pattern == "Write" and named == f"{repo}/src/a.py" else expected

    assert decided(call("Write", repo, file_path=named, content="x"), FirstList(always_allow=(pattern,))) == wanted


@pytest.mark.parametrize("name", ["path", "notebook_path", "absolute_path", "dir_path", "paths"])
def test_a_second_path_must_fit_too(name: str, repo: Path) -> None:
    """Which of two an agent's tool goes by is not known here."""
    listed = FirstList(always_allow=("Write(docs/*)", "Write"))

    for other in ("/etc/passwd", ["/etc/passwd"]):
        both = replace(call("Write", repo), input={"file_path": "docs/a.md", name: other})
        assert decided(both, listed) == "panel"


@pytest.mark.parametrize(
    ("pattern", "tool", "given"),
    [
        ("mcp__fs__*", "mcp__fs__read", {"file": "/etc/shadow"}),
        ("mcp__fs__*", "mcp__fs__read", {"files": [{"at": "../../etc/shadow"}]}),
        ("mcp__fs__*", "mcp__fs__read", {"target": "~/.ssh/config"}),
        ("mcp__fs__*", "mcp__fs__read", {"target": ".env"}),
        ("mcp__fs__*", "mcp__fs__read", {"url": "/etc/shadow"}),
        ("mcp__fs__*", "mcp__fs__read", {"query": "~/.ssh/config"}),
        ("mcp__fs__*", "mcp__fs__read", {"target": "linked/src/outside"}),
        ("read_many_files", "read_many_files", {"include": ["/etc/*"]}),
        ("Glob", "Glob", {"pattern": "/etc/*"}),
        ("Glob", "Glob", {"path": "src", "pattern": "../../*"}),
        ("Glob(src/*)", "Glob", {"path": "src/", "pattern": "/etc/*"}),
        ("mcp__fs__move(docs/*)", "mcp__fs__move", {"path": "docs/a", "destination": "/etc/x"}),
        ("mcp__fs__move(docs/*)", "mcp__fs__move", {"path": "docs/a", "destination": "src/a.py"}),
        ("WebFetch(https://a.org/*)", "WebFetch", {"url": "https://a.org/x", "query": "https://b.org/"}),
        ("WebFetch(https://a.org/*)", "WebFetch", {"url": "https://a.org/x", "save_as": "/etc/x"}),
        ("Bash(gcc *)", "Bash", {"command": "gcc @args"}),
        ("Bash(vim *)", "Bash", {"command": "vim +x"}),
    ],
)
def test_an_argument_whose_name_is_not_known_widens_no_pattern(
    pattern: str, tool: str, given: dict[str, object], repo: Path
) -> None:
    assert decided(replace(call(tool, repo), input=given), FirstList(always_allow=(pattern,))) == "panel"


def test_a_pattern_allows_what_it_names_with_what_the_agents_tools_take(repo: Path) -> None:
    edit = call("Edit", repo, file_path="docs/a.md", old_string="/etc", new_string="~/x", replace_all=True)

    assert decided(edit, FirstList(always_allow=("Edit(docs/*)",))) == "allow"
    assert decided(edit, FirstList(always_allow=("Edit",))) == "allow"
    assert decided(call("WebSearch", repo, query="what is /etc?"), FirstList(always_allow=("WebSearch",))) == "allow"
    assert decided(call("mcp__x__y", repo, id="a1", n=3), FirstList(always_allow=("mcp__x__*",))) == "allow"


@pytest.mark.parametrize("cwd", ["/", "~", "/etc"])
def test_a_search_that_names_no_folder_is_not_allowed_where_there_is_no_project(cwd: str, home: Path) -> None:
    listed = FirstList(always_allow=("Grep", "*"))

    assert decided(call("Grep", os.path.expanduser(cwd), pattern="PRIVATE KEY"), listed) == "panel"  # noqa: PTH111


def test_what_asks_or_denies_is_met_anywhere_and_goes_first(repo: Path) -> None:
    listed = FirstList(always_allow=("*",), always_ask=("Write(secrets)",), always_deny=("*(rm  -rf)",))

    assert decided(call("Write", repo, file_path="a", content="My SECRETS are"), listed) == "ask"
    assert decided(call("write", repo, file_path="secrets"), listed) == "ask"
    assert decided(call("Bash", repo, command="sudo RM \t -rf x"), listed) == "deny"
    assert decided(call("Task", repo, prompt={"steps": [{"run": "rm -rf /"}]}), listed) == "deny"
    assert decided(call("Read", repo, file_path="a"), listed) == "allow"


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


WITH_SETTINGS = [agent for agent in AGENTS if agent_format(agent).own_file is None]


def command_of(entry: dict[str, Any]) -> str:
    """What an entry of an agent's settings runs."""
    held = entry.get("hooks", [entry])[0]
    return str(held.get("command") or held.get("bash"))


@pytest.mark.parametrize("agent", WITH_SETTINGS)
def test_it_is_installed_once_beside_what_was_there_and_the_old_file_is_kept(
    quorate: Quorate, home: Path, agent: str
) -> None:
    form = agent_format(agent)
    path = home / form.settings_file
    event = form.installed[0]
    own = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
    before = json.dumps({"theme": "dark", "hooks": {event: [own], "Stop": [own]}})
    path.parent.mkdir(parents=True)
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
    ours = [command_of(one).split(" hook ")[1] for one in settings["hooks"][event][1:]]
    assert ours == [f"{agent} --timeout 20s"]
    assert settings.get("version") == form.version
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
    assert "/hooks" in told.out


def installed_command(path: Path) -> str:
    """What the agent would run, with a program of ours in place of quorate."""
    text = path.read_text()
    if path.suffix == ".js":
        (line,) = (line for line in text.splitlines() if line.startswith("const HOOK = "))
        command = json.loads(line.removeprefix("const HOOK = "))["command"]
    else:
        (command,) = {command_of(one) for entries in json.loads(text)["hooks"].values() for one in entries}
    words = shlex.split(command)
    words[words.index("hook") - 1] = str(path.with_name("q"))
    return shlex.join(words)


def test_codex_is_told_to_ask_before_every_call_and_for_every_permission(quorate: Quorate, home: Path) -> None:
    """`codex exec` asks nobody for permission, so the hook for that alone would never be called there."""
    quorate("hook", "install", "codex", "--yes")
    quorate("hook", "install", "codex", "--timeout", "20s", "--yes")
    hooks = json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]

    assert {event: len(entries) for event, entries in hooks.items()} == {"PreToolUse": 1, "PermissionRequest": 1}


@pytest.mark.parametrize("agent", AGENTS)
def test_an_installed_hook_passes_on_the_event_and_the_answer(quorate: Quorate, home: Path, agent: str) -> None:
    quorate("hook", "install", agent, "--yes")
    settings = home / agent_format(agent).settings_file
    program = settings.with_name("q")
    program.write_text('#!/bin/sh\nprintf "%s " "$@"; cat\n')
    program.chmod(0o755)
    command = installed_command(settings)
    done = subprocess.run(["/bin/sh", "-c", command], input=b'{"a": "\\n"}', capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (0, f'hook {agent} --timeout 45s {{"a": "\\n"}}\n'.encode())


def test_a_file_of_our_own_is_written_and_replaced_as_a_whole(quorate: Quorate, home: Path) -> None:
    path = home / agent_format("opencode").settings_file
    written = quorate("hook", "install", "opencode", "--yes")
    first = path.read_text()
    again = quorate("hook", "install", "opencode", "--yes")
    other = quorate("hook", "install", "opencode", "--timeout", "20s", "--yes")

    assert [told.code for told in (written, again, other)] == [0, 0, 0]
    assert "nothing to change" in again.out
    assert "hook opencode --timeout 20s" in path.read_text()
    assert [one.read_text() for one in path.parent.glob("*.before-quorate*")] == [first]
