"""The agents as panelists: each answers, runs nothing, and reads nothing of its user's but the login."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.installed import BIN, Finished, make_home, run
from tests.clients.model import ANSWERED, ASKED, Call, LoopbackModel

__all__ = ["check_panelists"]

TEXT: Final = "The answer is 42."
PUT: Final = """
import asyncio, os, sys
from quorate.model import Ask, Prompt, Seat
from quorate.panelists.http.client import Http
from quorate.panelists.registry import open_panelist

async def main():
    panelist = open_panelist(sys.argv[1], Http(), os.environ)
    reply = await panelist.answer(Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?")))
    print(reply.text, reply.model, reply.usage.asked, reply.usage.answered, sep="|")

asyncio.run(main())
"""
PLANT: Final = '#!/bin/sh\ntouch "$0.ran"\necho "[]"\n'
"""A program that its user has set up as hook, server and so on; it shows that it ran."""
MEMORY: Final = "planted-memory"
SECRET: Final = "planted-secret"
DEAD: Final = {"codex": {"exec", "wait"}}
"""Tools that an agent offers all the same. No setting of Codex takes these away; a script in them fails to run."""


@dataclass(frozen=True, slots=True)
class Agent:
    """How one agent is pointed at the model, what of its user's it must not read, and the calls the model asks for."""

    model: str
    shown: str
    login: dict[str, str]
    planted: dict[str, str]
    calls: list[Call]
    plain: list[str]
    """The agent without our flags, which must fall for all that is planted."""


def _hooks(plant: str, *events: str) -> dict[str, Any]:
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": plant}]}
    return {"hooks": {event: [hook] for event in events}}


def _claude(url: str, home: Path) -> Agent:
    servers = json.dumps({"mcpServers": {"plant": {"command": f"{home}/plant", "args": []}}})
    settings = json.dumps(_hooks(f"{home}/plant", "SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"))
    return Agent(
        model="cli:claude",
        shown="claude-",
        login={"bin/claude": _wrapper("claude", f"ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=k")},
        planted={
            **{f"{place}/.claude/settings.json": settings for place in (".", "project", "tmp")},
            **dict.fromkeys((".claude/CLAUDE.md", "project/CLAUDE.md", "tmp/CLAUDE.md"), MEMORY),
            **dict.fromkeys((".claude.json", "project/.mcp.json", "tmp/.mcp.json"), servers),
        },
        calls=[
            ("Bash", {"command": f"touch {home}/tool.ran", "description": "x"}),
            ("Write", {"file_path": f"{home}/tool.ran", "content": "x"}),
            ("Read", {"file_path": f"{home}/secret"}),
            ("Task", {"description": "x", "prompt": "y", "subagent_type": "general-purpose"}),
        ],
        plain=["claude", "-p", "--dangerously-skip-permissions", "hi"],
    )


def _codex(url: str, home: Path) -> Agent:
    settings = f'[mcp_servers.plant]\ncommand = "{home}/plant"\n'
    hooks = _hooks(f"{home}/plant", "SessionStart", "UserPromptSubmit", "PreToolUse", "Stop")
    command = json.dumps({"cmd": f"touch {home}/tool.ran; cat {home}/secret"})
    patch = json.dumps(f"*** Begin Patch\n*** Add File: {home}/tool.ran\n+x\n*** End Patch")
    return Agent(
        model="cli:codex",
        shown="cli:codex",
        login={
            ".codex/auth.json": json.dumps({"OPENAI_API_KEY": "k"}),
            "bin/codex": _wrapper("codex", "", f"-c 'openai_base_url=\"{url}/v1\"'"),
        },
        planted={
            ".codex/hooks.json": json.dumps(hooks),
            **dict.fromkeys((".codex/config.toml", "tmp/.codex/config.toml"), settings),
            **dict.fromkeys((".codex/AGENTS.md", "project/AGENTS.md", "tmp/AGENTS.md"), MEMORY),
        },
        calls=[
            ("functions.exec", f"text(await tools.exec_command({command}))"),
            ("functions.exec", f"text(await tools.apply_patch({patch}))"),
            ("exec_command", {"cmd": f"touch {home}/tool.ran"}),
            ("shell_command", {"command": f"touch {home}/tool.ran"}),
            ("shell", {"command": ["touch", f"{home}/tool.ran"]}),
            ("collaboration.spawn_agent", {"message": "x", "task_name": "a", "fork_turns": "none"}),
        ],
        plain=[
            *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
            *("--dangerously-bypass-approvals-and-sandbox", "hi"),
        ],
    )


def _gemini(url: str, home: Path) -> Agent:
    servers = {"mcpServers": {"plant": {"command": f"{home}/plant"}}}
    login = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    tools = {"tools": {"discoveryCommand": f"{home}/plant"}}
    hooks = _hooks(f"{home}/plant", "SessionStart", "BeforeAgent", "BeforeModel", "BeforeTool")
    settings = json.dumps({**hooks, **servers, **login, **tools})
    return Agent(
        model="cli:gemini/gemini-3-flash-preview",
        shown="gemini-loopback",
        login={".gemini/.env": f"GEMINI_API_KEY=k\nGOOGLE_GEMINI_BASE_URL={url}\n"},
        planted={
            **{f"{place}/.gemini/settings.json": settings for place in (".", "project", "tmp")},
            **dict.fromkeys((".gemini/GEMINI.md", "project/GEMINI.md", "tmp/GEMINI.md"), MEMORY),
            "tmp/.env": "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\n",
            ".gemini/extensions/plant/gemini-extension.json": json.dumps(
                {"name": "plant", "version": "1.0.0", **servers}
            ),
            ".gemini/policies/all.toml": '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n',
            ".agents/skills/plant/SKILL.md": f"---\nname: plant\ndescription: {MEMORY}\n---\nhi\n",
        },
        calls=[
            ("run_shell_command", {"command": f"touch {home}/tool.ran"}),
            ("write_file", {"file_path": f"{home}/tool.ran", "content": "x"}),
            ("read_file", {"file_path": f"{home}/secret"}),
            ("invoke_agent", {"agent_name": "generalist", "prompt": "x"}),
        ],
        plain=["gemini", "--skip-trust", "--yolo", "--model", "gemini-3-flash-preview", "-p", "hi"],
    )


AGENTS: Final = {"claude": _claude, "codex": _codex, "gemini": _gemini}


def _wrapper(name: str, variables: str, flags: str = "") -> str:
    """Stands before the real program on the PATH and points it at the model."""
    return f'#!/bin/sh\nPATH="${{PATH#*:}}"\n{variables} exec {name} {flags} "$@"\n'


async def check_panelists() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong."""
    for name in AGENTS:
        with LoopbackModel(TEXT) as model:
            home, agent = _prepared(name, model)
            done = await asyncio.to_thread(run, [BIN / "python", "-c", PUT, agent.model], home)
            yield name, "panelist: answers, tokens and model read", _misread(done, agent, len(model.bodies))
            offered = {*_offered(model)} - DEAD.get(name, set())
            yield (
                name,
                f"panelist: offered {' and '.join(sorted(DEAD.get(name, ())) or ['no tool'])}",
                ", ".join(offered),
            )
            yield name, "panelist: none of its tools runs", _ran(home / "tool.ran", model, SECRET)
            yield name, "panelist: user's hooks, servers, memory unread", _ran(home / "plant.ran", model, MEMORY)
        with LoopbackModel(TEXT) as model:
            home, agent = _prepared(name, model)
            await asyncio.to_thread(run, agent.plain, home)
            ran = [(home / f"{what}.ran").exists() for what in ("plant", "tool")]
            seen = [*ran, MEMORY in model.heard, bool(_offered(model))]
            yield (
                name,
                "seen: without our flags all of it runs and is read",
                "" if all(seen) else f"the traps are dead: {seen}",
            )


def _prepared(name: str, model: LoopbackModel) -> tuple[Path, Agent]:
    home = make_home(f"panelist-{name}", {})
    agent = AGENTS[name](model.url, home)
    model.calls = agent.calls
    return make_home(f"panelist-{name}", {"plant": PLANT, "secret": SECRET, **agent.planted, **agent.login}), agent


def _misread(done: Finished, agent: Agent, requests: int) -> str:
    text, model, asked, answered = (*done.out.strip().split("|"), *[""] * 4)[:4]
    tokens = (str(requests * ASKED), str(requests * ANSWERED))
    good = text == TEXT and model.startswith(agent.shown) and (asked, answered) == tokens and requests > 1
    return "" if good else f"{requests} requests, {done.code}, {done.out!r}, {done.err[-600:]!r}"


def _offered(model: LoopbackModel) -> list[str]:
    """The names of the tools in its requests; Codex names them in its input, in groups."""
    requests = [json.loads(body) for body in model.bodies]
    items = [item for one in requests for item in one.get("input") or () if item.get("type") == "additional_tools"]
    tools = [tool for one in (*requests, *items) for tool in one.get("tools") or ()]
    groups = [tool.get("functionDeclarations", tool.get("tools", [tool])) for tool in tools]
    return [str(tool.get("name") or tool.get("type")) for group in groups for tool in group]


def _ran(trace: Path, model: LoopbackModel, word: str) -> str:
    if trace.exists():
        return f"{trace.name} is there"
    return f"the model was sent {word}" if word in model.heard else "" if model.bodies else "it was not asked"
