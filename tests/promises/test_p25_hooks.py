"""A permission hook allows nothing by accident: whatever comes on stdin that is no event, and whoever is asked."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.hooks import AGENTS, ToolCall
from quorate.doors.hooks.first_list import FirstList
from tests.doors.conftest import Quorate, home, quorate
from tests.doors.test_hook_lists import OWN, decided
from tests.doors.test_hooks import BALLOT, EVENTS, approves
from tests.servers import Endpoint

pytestmark = pytest.mark.promise

TRIES, LONG = 3_000, pytest.param(30_000, marks=pytest.mark.long)
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
            gone = chance.choice(("hook_event_name", "tool_name", "tool_input"))
            return json.dumps({key: value for key, value in event.items() if key != gone}).encode()
        case 3:
            field = chance.choice(("hook_event_name", "tool_name", "tool_input", "cwd"))
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
    names = [one["event"]["hook_event_name"] for one in EVENTS if one["agent"] == agent]
    if not isinstance(event, dict) or not isinstance(event.get("tool_name"), str):
        return False
    return event.get("hook_event_name") in names and "tool_input" in event


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
def test_no_command_that_does_more_than_one_thing_is_allowed_by_a_pattern(agent: str, tries: int, seed: int) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    everything = FirstList(always_allow=("*", "*(*)", "Bash(git *)", "run_shell_command(*)"))
    for _ in range(5 * tries):
        words = [chance.choice(("git", "status", "-s", "./x", "a=b")) for _ in range(chance.randrange(1, 6))]
        words.insert(chance.randrange(1, len(words) + 1), chance.choice(JOINTS))
        joined = chance.choice(("", " ")).join(words)
        call = ToolCall(agent=agent, event="", tool="Bash", input={chance.choice(KEYS): joined}, cwd="/srv")

        assert everything.allows(call, Path("/nobody")) is None, joined


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
)
TOOLS = {
    "claude-code": (("Read", "file_path", {}), ("Grep", "path", {"pattern": "KEY"}), ("Bash", "command", {})),
    "codex": (("Bash", "command", {}), ("apply_patch", "command", {})),
    "gemini": (("read_file", "file_path", {}), ("grep_search", "dir_path", {"pattern": "KEY"})),
}


@pytest.mark.parametrize("tries", [TRIES, LONG])
@pytest.mark.parametrize("agent", AGENTS)
def test_no_call_that_reaches_beyond_the_open_project_is_allowed_by_what_ships(
    agent: str, tries: int, seed: int, tmp_path: Path
) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance, root = random.Random(seed), tmp_path / "repo"
    for folder in (root / "src", root / ".ssh", tmp_path / "src"):
        folder.mkdir(parents=True)
        for name in ("a.py", ".env", "id_rsa"):
            (folder / name).write_text("x")
    (root / "away").symlink_to(tmp_path)
    allowed = 0
    for _ in range(tries):
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
        allowed += 1
        assert command in {"ls", "pwd"} if name == "command" else (root / path).resolve() == root / "src/a.py", call
    assert allowed, "something is allowed"


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
