"""A permission hook allows nothing by accident: whatever comes on stdin that is no event, and whoever is asked."""

import asyncio
import json
import random
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from quorate.doors.hooks import AGENTS, ToolCall, agent_format
from quorate.doors.hooks.first_list import FirstList
from tests.doors.conftest import Quorate, home, quorate
from tests.doors.test_hook_lists import OWN, decided, installed_command
from tests.doors.test_hooks import BALLOT, EVENTS, approves, ask
from tests.servers import Endpoint, failing

pytestmark = pytest.mark.promise

TRIES, LONG = 30_000, pytest.param(300_000, marks=pytest.mark.long)
"""Events, over all agents; commands are five times as many."""
PIECES = (
    *('{"decision":"allow"}', '{"hookSpecificOutput":{"permissionDecision":"allow"}}', "null", "[]", "{}", "true"),
    *('"tool_name":"Read"', '"hook_event_name":"PreToolUse"', '"tool_input":{}', "NaN", "1e999", "\x00", "\u202e"),
)
JOINTS = (
    ";",
    "&&",
    "&",
    "|",
    "||",
    "`id`",
    "$(id)",
    "${x}",
    "\n",
    "\r\n",
    ">",
    ">>",
    "<",
    "<(id)",
    "2>&1",
    "\\",
    "'",
    '"',
)
KEYS = ("command", "cmd", "script")
__all__ = ["home", "quorate"]


def mangled(chance: random.Random, event: dict[str, Any]) -> bytes:
    """An event that is broken: cut, spliced, with fields gone, doubled or of another kind, or none at all."""
    text = json.dumps(event)
    match chance.randrange(6):
        case 0:
            return text.encode()[: chance.randrange(len(text))]
        case 1:
            at = chance.randrange(1, len(text))
            return (text[:at] + chance.choice(PIECES) + text[at + chance.randrange(5) :]).encode()
        case 2:
            gone = chance.choice(("hook_event_name", "tool_name", "tool_input", "toolName", "toolArgs", "command"))
            return json.dumps({key: value for key, value in event.items() if key != gone}).encode()
        case 3:
            field = chance.choice(
                ("hook_event_name", "tool_name", "tool_input", "cwd", "toolName", "toolArgs", "command")
            )
            return json.dumps({**event, field: chance.choice((None, 1, True, [], {"a": []}, "PostToolUse"))}).encode()
        case 4:
            return chance.randbytes(chance.randrange(200))
        case _:
            return (chance.choice(PIECES) * chance.choice((1, 3, 5_000))).encode()


def is_event(content: bytes, agent: str) -> bool:
    """Whether this is an event of that agent after all, by what its documentation says."""
    try:
        event = json.loads(content)
    except ValueError:
        return False
    names = [one["event"].get("hook_event_name") for one in EVENTS if one["agent"] == agent]
    if not isinstance(event, dict) or event.get("hook_event_name") not in names:
        return False
    if agent == "copilot":
        return isinstance(event.get("toolName"), str) and "toolArgs" in event
    if event["hook_event_name"] == "beforeShellExecution":
        return isinstance(event.get("command"), str)
    return isinstance(event.get("tool_name"), str) and "tool_input" in event


@pytest.mark.parametrize("tries", [TRIES, LONG])
@pytest.mark.parametrize("agent", AGENTS)
async def test_no_garbage_on_stdin_is_ever_allowed(  # noqa: PLR0913, PLR0917 - fixtures, and how often
    quorate: Quorate, agent: str, tries: int, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The panel would allow everything; what is allowed must at least have been a question."""
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    events = [one["event"] for one in EVENTS if one["agent"] == agent]
    async with Endpoint(otherwise=BALLOT) as endpoint:
        for _ in range(tries // len(AGENTS)):
            content = mangled(chance, chance.choice(events))
            words = ("hook", agent, "--model", f"openai:m@{endpoint.url}")
            told = await asyncio.to_thread(quorate, *words, stdin=content)

            assert told.code in {0, 2}
            assert is_event(content, agent) or not approves(agent, told), (content, told)


@pytest.mark.parametrize("tries", [TRIES, LONG])
@pytest.mark.parametrize("agent", AGENTS)
def test_no_command_that_does_more_than_one_thing_is_allowed_by_a_pattern(
    agent: str, tries: int, seed: int, tmp_path: Path
) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    everything = FirstList(always_allow=("*", "*(*)", "Bash(git *)", "run_shell_command(*)"))
    for _ in range(5 * tries // len(AGENTS)):
        words = [chance.choice(("git", "status", "-s", "./x", "a=b")) for _ in range(chance.randrange(1, 6))]
        words.insert(chance.randrange(1, len(words) + 1), chance.choice(JOINTS))
        joined = chance.choice(("", " ")).join(words)
        key = chance.choice(KEYS)
        call = ToolCall(agent=agent, event="", tool="Bash", input={key: joined}, cwd=str(tmp_path))

        assert everything.allows(call, Path("/nobody")) is None, joined
    plain = ToolCall(agent=agent, event="", tool="Bash", input={"command": "git status x"}, cwd=str(tmp_path))
    assert everything.allows(plain, Path("/nobody")), "the control: one plain command is"


STEPS = (
    "src",
    ".",
    "..",
    "~",
    "etc",
    "shadow",
    ".ssh",
    "id_rsa",
    ".env",
    "away",
    "a.py",
    "proc",
    "self",
    "environ",
    "",
    " ",
    "a.py ",
    "%2e%2e",
    "-f",
    "e\u0301.py",
)
TOOLS: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "claude-code": (("Read", "file_path", {}), ("Grep", "path", {"pattern": "KEY"}), ("Bash", "command", {})),
    "codex": (("Bash", "command", {}), ("apply_patch", "command", {})),
    "gemini": (("read_file", "file_path", {}), ("grep_search", "dir_path", {"pattern": "KEY"})),
    "qwen": (("run_shell_command", "command", {"is_background": False}),),
    "opencode": (("bash", "command", {"description": "x"}),),
}


@pytest.mark.parametrize("tries", [TRIES, LONG])
@pytest.mark.parametrize("agent", TOOLS)
def test_no_call_that_reaches_beyond_the_open_project_is_allowed_by_what_ships(
    agent: str, tries: int, seed: int, tmp_path: Path
) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance, root = random.Random(seed), tmp_path / "repo"
    for folder in (root / "src", root / ".ssh", tmp_path / "src", root / " ", root / "%2e%2e", root / "-f"):
        folder.mkdir(parents=True)
        for name in ("a.py", ".env", "id_rsa", "a.py ", "e\u0301.py"):
            (folder / name).write_text("x")
    (root / "away").symlink_to(tmp_path)
    for _ in range(tries // len(AGENTS)):
        tool, name, more = chance.choice(TOOLS[agent])
        path = chance.choice(("", "", "/", f"{root}/")) + "/".join(chance.choices(STEPS, k=chance.randrange(1, 5)))
        command = f"{chance.choice(('ls', 'cat', 'pwd', ''))} {path}".strip()
        call = ToolCall(
            agent=agent,
            event="",
            tool=tool,
            input={name: command if name == "command" else path, **more},
            cwd=str(root),
        )
        if decided(call) != "allow":
            continue
        program, *paths = command.split() if name == "command" else ("", path)
        reached = [(root / one).resolve() for one in paths]
        if program == "ls":
            assert all(one.is_relative_to(root) and not {".ssh", ".env", "id_rsa"} & {*one.parts} for one in reached)
        else:
            assert all(one == root / "src/a.py" for one in reached), call
    tool, name, more = TOOLS[agent][0]
    harmless = {name: "ls" if name == "command" else "src/a.py", **more}
    assert decided(ToolCall(agent=agent, event="", tool=tool, input=harmless, cwd=str(root))) == "allow"


@pytest.mark.parametrize("tries", [TRIES, LONG])
@pytest.mark.parametrize("agent", AGENTS)
def test_nothing_that_names_quorate_is_allowed_by_any_list(agent: str, tries: int, seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance, everything = random.Random(seed), FirstList(always_allow=("*", "*(*)"))
    names = [command for command in OWN if "votes" not in command and "alias" not in command]
    for _ in range(tries // 3):
        text = chance.choice(names)
        text = "".join(chance.choice((sign, sign.upper(), f"{sign}\u200d", f"{sign}''")) for sign in text)
        call = ToolCall(
            agent=agent, event="", tool=chance.choice(("Bash", "x")), input={"a": [{"b": text}]}, cwd=str(tmp_path)
        )

        assert decided(call, everything) == "ask", text


SECRETS: Final = """
    .env~ .env.bak .env.local prod.env .flaskenv .npmrc.bak
    .netrc.old .vault-token auth.json config.json token token.txt
    apikey.txt api_key api-keys.json passwords.txt passwd master.key
    .boto .s3cfg rclone.conf .my.cnf.old .mylogin.cnf kubeconfig.yaml
    config.yaml .htpasswd.bak id_rsa.txt deploy_key server.key.bak key.pem.1
    keys.json private.xml .pgpass~ hosts.yml gh_token .terraformrc
    Cookies key4.db logins.json cookies.sqlite krb5cc_1000 user.keytab
    .docker/config.json .config/gh/hosts.yml .m2/settings.xml .gradle/gradle.properties .claude/.credentials.json
    .codex/auth.json
    .ssh/x.py .gemini/oauth_creds.json wallet.json keystore.json .ssh_key vault.yml
    .vault_pass .pip/pip.conf .secrets/a.py secret_key_base local.settings.json appsettings.Development.json
    .aws-credentials firebase-adminsdk-x.json serviceAccountKey.json .bash_history core.1234 dump.sql
    backup.tar notes x.py.bak .py \u200b.env ID_RSA.PEM
    .git/config .GIT/config nested/.Ssh/config.md
""".split()  # noqa: SIM905  easier to read
READING: Final[dict[str, tuple[tuple[str, str, dict[str, str]], ...]]] = {
    "claude-code": (("Read", "file_path", {}), ("Grep", "path", {"pattern": "KEY"})),
    "gemini": (("read_file", "file_path", {}), ("grep_search", "dir_path", {"pattern": "KEY"})),
}


@pytest.mark.parametrize("agent", sorted(READING))
def test_what_ships_reads_open_sources_and_nothing_else(agent: str, tmp_path: Path) -> None:
    """Sources and build files are listed; whatever else a project holds goes to the panel or a person."""
    (read, file, _), (search, folder, pattern) = READING[agent]
    for number, name in enumerate(SECRETS):
        root = tmp_path / str(number)
        place = root / name
        place.parent.mkdir(parents=True)
        place.write_text("KEY=1")
        for path in (name, f"./{name}", str(place)):
            one = ToolCall(agent=agent, event="", tool=read, input={file: path}, cwd=str(root))
            assert decided(one) != "allow", name
        if name.partition("/")[0].casefold() != ".git":  # the agents leave it out of every search
            one = ToolCall(agent=agent, event="", tool=search, input={folder: ".", **pattern}, cwd=str(root))
            assert decided(one) != "allow", name

    root = tmp_path / "open"
    root.mkdir()
    for name in ("a.py", "b.TS", "README.md", "package.json", "Makefile", "key_store.rs", "tokens.py"):
        (root / name).write_text("x")
        one = ToolCall(agent=agent, event="", tool=read, input={file: name}, cwd=str(root))
        assert decided(one) == "allow", name
    one = ToolCall(agent=agent, event="", tool=search, input={folder: ".", **pattern}, cwd=str(root))
    assert decided(one) == "allow"


@pytest.mark.parametrize("agent", sorted(READING))
def test_a_search_for_some_names_is_not_stopped_by_others_and_still_by_secret_folders(
    agent: str, tmp_path: Path
) -> None:
    _, (search, folder, pattern) = READING[agent]
    more = {"glob": "*.py"} if agent == "claude-code" else {"include_pattern": "**/*.py"}
    root = tmp_path / "repo"
    root.mkdir()
    one = ToolCall(agent=agent, event="", tool=search, input={folder: ".", **pattern, **more}, cwd=str(root))
    for name in ("a.py", "config.json", "dump.sql", "b.PY"):
        (root / name).write_text("KEY=1")
    assert decided(one) == "allow"
    (root / ".kube").mkdir()
    assert decided(one) != "allow"


PLACES = (
    "/",
    "/tmp",  # noqa: S108
    "/opt",
    "/srv",
    "/etc",
    "/proc/self",
    "/private/etc",
    "/usr",
    "/var/lib",
    "/root",
    "/home",
    "/dev",
)
"""Where no project is, or more than one."""
HOMES = ("/", "/root", "/srv/ann", "/nonexistent")


@pytest.mark.parametrize("own", HOMES)
def test_no_folder_of_the_system_is_a_project_whatever_the_home_is(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", own)
    for cwd in PLACES:
        for agent, ((read, file, _), (search, folder, pattern)) in READING.items():
            for path in ("environ", "shadow", "passwd", "a.py", "hosts"):
                one = ToolCall(agent=agent, event="", tool=read, input={file: path}, cwd=cwd)
                assert decided(one) != "allow", (own, cwd, path)
            one = ToolCall(agent=agent, event="", tool=search, input={folder: ".", **pattern}, cwd=cwd)
            assert decided(one) != "allow", (own, cwd)
            one = ToolCall(agent=agent, event="", tool="Bash", input={"command": "ls"}, cwd=cwd)
            assert decided(one) != "allow", (own, cwd)


@pytest.mark.parametrize("folder", ["Library/Keychains", "AppData/Roaming/x", "snap/browser/common", ".config/gh"])
def test_what_programs_keep_in_a_home_is_no_project(folder: str, home: Path) -> None:
    place = home / folder
    place.mkdir(parents=True)
    (place / "a.py").write_text("x")
    one = ToolCall(agent="claude-code", event="", tool="Read", input={"file_path": "a.py"}, cwd=str(place))
    assert decided(one) != "allow"


@pytest.mark.parametrize("pattern", ["away/*", "*/*.py", "a*/**", "**/away/*", "./away/*", "..", "**/..", "**/**/x"])
def test_a_glob_goes_through_no_link(pattern: str, tmp_path: Path) -> None:
    """Some agents' globs follow a link that the pattern names."""
    root = tmp_path / "repo"
    root.mkdir()
    (root / "away").symlink_to("/etc")
    for agent, tool, name in (("claude-code", "Glob", "path"), ("gemini", "glob", "dir_path")):
        one = ToolCall(agent=agent, event="", tool=tool, input={"pattern": pattern, name: str(root)}, cwd=str(root))
        assert decided(one) != "allow"
        control = {**one.input, "pattern": "**/*.py"} if isinstance(one.input, dict) else {}
        assert decided(ToolCall(agent=agent, event="", tool=tool, input=control, cwd=str(root))) == "allow"


@pytest.mark.parametrize(
    ("folder", "name"), [(".claude", "settings.json"), (".codex", "hooks.json"), (".gemini", "settings.json")]
)
def test_the_agents_settings_are_named_from_inside_their_folder_too(folder: str, name: str, tmp_path: Path) -> None:
    """They hold the hook itself."""
    place, everything = tmp_path / folder, FirstList(always_allow=("*", f"Write({name})", f"Bash(rm {name})"))
    (place / "deeper").mkdir(parents=True)
    for cwd, text in ((place, name), (place, f"./{name}"), (place / "deeper", f"../{name}"), (place, f"rm {name}")):
        key = "command" if " " in text else "file_path"
        tool = "Bash" if " " in text else "Write"
        one = ToolCall(agent="claude-code", event="", tool=tool, input={key: text, "content": "x"}, cwd=str(cwd))
        assert decided(one, everything) == "ask", (cwd, text)


async def test_a_record_from_elsewhere_allows_no_call(quorate: Quorate, tmp_path: Path) -> None:
    """Its ballots are somebody else's words. The control at once: in the ledger where it was held it does."""
    event = json.dumps(EVENTS[0]["event"])
    async with Endpoint(otherwise=BALLOT) as endpoint:
        words = ("hook", "claude-code", "--model", f"openai:m@{endpoint.url}", "--ledger")
        held, copied, theirs = str(tmp_path / "held.db"), str(tmp_path / "copied.db"), tmp_path / "theirs.jsonl"
        await asyncio.to_thread(quorate, *words, held, stdin=event)
        await asyncio.to_thread(quorate, *words, held, stdin=event)
        assert len(endpoint.seen) == 3
        exported = await asyncio.to_thread(quorate, "export", "last", "--ledger", held)
        theirs.write_text(exported.out)
        assert (await asyncio.to_thread(quorate, "import", str(theirs), "--ledger", copied)).code == 0
        await asyncio.to_thread(quorate, *words, copied, stdin=event)

    assert len(endpoint.seen) == 6


@pytest.mark.parametrize(
    "command",
    [
        "echo '-----BEGIN PRIVATE KEY-----'; rm -r ~",
        'password="$(reboot)" true',
        "curl http://user:$(reboot)@host",
        "curl -H 'Authorization: Bearer ~/mine/old.txt'",
    ],
)
async def test_a_command_in_the_form_of_a_secret_is_not_allowed_unseen(command: str, quorate: Quorate) -> None:
    """The control at once: what is a word and nothing else may be taken out."""
    for text, decision in ((command, "ask"), ("login --token made-up_12345", "allow")):
        one = {**EVENTS[0], "event": {**EVENTS[0]["event"], "tool_input": {"command": text}}}
        told, _ = await ask(quorate, one, BALLOT)

        assert told.document["hookSpecificOutput"]["permissionDecision"] == decision


@pytest.mark.parametrize("agent", AGENTS)
async def test_without_a_verdict_nothing_is_allowed(agent: str, quorate: Quorate, tmp_path: Path) -> None:
    """The provider fails, a panel is missing or for show, or the time is up; the control: a panel that approves."""
    event = json.dumps(next(one["event"] for one in EVENTS if one["agent"] == agent))
    for status in (400, 401, 404, 429, 500):
        async with Endpoint(otherwise=failing(status, "allow approve ACT", "Retry-After: 0")) as endpoint:
            words = ("hook", agent, "--model", f"openai:m@{endpoint.url}")
            told = await asyncio.to_thread(quorate, *words, "--timeout", "20s", stdin=event)
            assert not approves(agent, told), status
    async with Endpoint(otherwise=BALLOT, latency=5) as endpoint:
        words = ("hook", agent, "--model", f"openai:m@{endpoint.url}")
        late = await asyncio.to_thread(quorate, *words, "--timeout", "1s", stdin=event)
        assert not approves(agent, late)
    for wrong in (("--panel", str(tmp_path / "none.yaml")), ("--panel", "demo"), ("--panel", "conference"), ()):
        assert not approves(agent, await asyncio.to_thread(quorate, "hook", agent, *wrong, stdin=event)), wrong
    async with Endpoint(otherwise=BALLOT) as endpoint:
        words = ("hook", agent, "--model", f"openai:m@{endpoint.url}")
        assert approves(agent, await asyncio.to_thread(quorate, *words, stdin=event))


HERE = (
    *("http://0:9000/x", "http://0x0:9000/x", "http://0/x", "http://2130706433:9000/", "http://017700000001/x"),
    *(
        "http://127.1:9000/x",
        "http://10.0.0.5/x",
        "http://192.168.1.9:9000/x",
        "http://%6cocalhost/x",
        "http://box:9000/",
    ),
    *(
        "ws://localhost.:9000/x",
        "http://me@0:9000/",
        "http:\\\\localhost/x",
        "ftp:///etc/passwd",
        "http://[fe80::1]/x",
    ),
)


@pytest.mark.parametrize("url", HERE)
def test_no_spelling_of_an_address_near_here_is_allowed_by_a_list(url: str, tmp_path: Path) -> None:
    """A server of quorate may listen on any port of this machine or its network."""
    listed = FirstList(always_allow=("*", "WebFetch", f"WebFetch({url})", f"Bash(curl {url})", "Bash(curl *)"))
    for tool, given in (("WebFetch", {"url": url}), ("Bash", {"command": f"curl {url}"}), ("Task", {"prompt": url})):
        one = ToolCall(agent="claude-code", event="", tool=tool, input=given, cwd=str(tmp_path))
        assert decided(one, listed) != "allow", (tool, url)
    control = ToolCall(
        agent="", event="", tool="WebFetch", input={"url": "https://docs.python.org/3/"}, cwd=str(tmp_path)
    )
    assert decided(control, FirstList(always_allow=("WebFetch",))) == "allow"


PROGRAMS = {
    "is missing": None,
    "cannot be run": "",
    "fails": "#!/bin/sh\nexit 1\n",
    "is killed": "#!/bin/sh\nkill -9 $$\n",
    "says nothing": "#!/bin/sh\nexit 0\n",
    "allows it and fails": "#!/bin/sh\necho '{}'; exit 1\n",
}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("how", PROGRAMS)
def test_an_installed_hook_blocks_where_our_program(quorate: Quorate, home: Path, agent: str, how: str) -> None:
    """Agents take any exit code but 2, and 2 without a reason, for consent."""
    assert quorate("hook", "install", agent, "--yes").code == 0
    settings = home / agent_format(agent).settings_file
    program = settings.with_name("q")
    if (script := PROGRAMS[how]) is not None:
        program.write_text(script)
        program.chmod(0o755 if script else 0o644)
    done = subprocess.run(["/bin/sh", "-c", installed_command(settings)], input=b"{}", capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"quorate did not answer" in done.stderr
