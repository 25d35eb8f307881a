"""The agents with our permission hook: a model asks for one command, and a panel decides whether it runs."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.installed import BIN, Finished, make_home, run
from tests.clients.model import Call, LoopbackModel
from tests.doors.test_hooks import ballot
from tests.servers import Endpoint, said

__all__ = ["check_hooks", "provider_settings"]

TIMEOUT: Final = "5s"
"""How long the panel has; agents wait 15 seconds longer."""


SECONDS: Final = 60
"""What takes longer hangs."""


@dataclass(frozen=True, slots=True)
class Agent:
    """How one agent is run without anybody there, where its hooks are, and how it is asked to run a command."""

    words: list[str]
    settings: str
    call: Callable[[str], Call]
    env: Callable[[str], dict[str, str]]
    files: Callable[[str], dict[str, str]]


def provider_settings(url: str) -> str:
    """Codex's settings that point it at a model."""
    provider = f'name = "loop"\nbase_url = "{url}/v1"\nenv_key = "KEY"\nwire_api = "responses"\n'
    return f'model_provider = "loop"\n[model_providers.loop]\n{provider}supports_websockets = false\n'


def _gemini_files(url: str) -> dict[str, str]:
    login = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    return {
        ".gemini/.env": f"GEMINI_API_KEY=k\nGOOGLE_GEMINI_BASE_URL={url}\n",
        ".gemini/settings.json": json.dumps(login),
    }


def _qwen_files(_: str) -> dict[str, str]:
    return {".qwen/settings.json": json.dumps({"security": {"auth": {"selectedType": "openai"}}})}


def _opencode_files(url: str) -> dict[str, str]:
    provider = {"anthropic": {"options": {"baseURL": f"{url}/v1", "apiKey": "k"}}}
    model = "anthropic/claude-sonnet-4-5"
    settings = {"autoupdate": False, "share": "disabled", "provider": provider, "model": model, "small_model": model}
    return {".config/opencode/opencode.json": json.dumps(settings)}


CODEX: Final = ["codex", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"]
AGENTS: Final = {
    "claude": Agent(
        ["claude", "-p", "go on"],
        ".claude/settings.json",
        lambda command: ("Bash", {"command": command, "description": "x"}),
        lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k"},
        lambda _: {},
    ),
    "codex": Agent(
        [*CODEX, "--dangerously-bypass-hook-trust", "go on"],
        ".codex/hooks.json",
        lambda command: ("functions.exec", f"text(await tools.exec_command({json.dumps({'cmd': command})}))"),
        lambda _: {"KEY": "k"},
        lambda url: {".codex/config.toml": provider_settings(url)},
    ),
    "gemini": Agent(
        ["gemini", "--skip-trust", "--yolo", "--model", "gemini-3-flash-preview", "-p", "go on"],
        ".gemini/settings.json",
        lambda command: ("run_shell_command", {"command": command}),
        lambda _: {},
        _gemini_files,
    ),
    "qwen": Agent(
        ["qwen", "--yolo", "-p", "go on"],
        ".qwen/settings.json",
        lambda command: ("run_shell_command", {"command": command, "is_background": False}),
        lambda url: {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "m"},
        _qwen_files,
    ),
    "opencode": Agent(
        ["opencode", "run", "go on"],
        ".config/opencode/plugins/quorate.js",
        lambda command: ("bash", {"command": command, "description": "x"}),
        lambda _: {},
        _opencode_files,
    ),
}
NAMES: Final = {"claude": "claude-code", "codex": "codex", "gemini": "gemini", "qwen": "qwen", "opencode": "opencode"}


@dataclass(frozen=True, slots=True)
class Case:
    """What the panel does, or what is done to the settings, and what must come of it."""

    title: str
    verdict: str = "ACT"
    latency: float = 0
    change: Callable[[str], str] = str
    words: Callable[[list[str]], list[str]] = list
    runs: tuple[str, ...] = ()
    """The agents in which the command runs."""
    tells: str = ""
    """What the model is told then."""
    call: Callable[[str], Call] | None = None
    """What the model asks for in place of the command."""
    files: Callable[[str], dict[str, str]] = lambda _: {}
    """What else is in the home, for the address of the model."""
    only: tuple[str, ...] = tuple(AGENTS)
    hangs: bool = False


def _hooks(change: Callable[[dict[str, Any]], None]) -> Callable[[str], str]:
    """A change to each hook in an agent's settings."""

    def changed(text: str) -> str:
        start = "const HOOK = "
        if start in text:  # OpenCode's is a program, with the hook on a line of its own
            (line,) = (line for line in text.splitlines() if line.startswith(start))
            hook = json.loads(line.removeprefix(start))
            change(hook)
            return text.replace(line, start + json.dumps(hook))
        settings = json.loads(text)
        for entries in settings["hooks"].values():
            for entry in entries:
                for hook in entry["hooks"]:
                    change(hook)
        return json.dumps(settings)

    return changed


def _slow(hook: dict[str, Any]) -> None:
    hook["command"] = "sleep 30"
    hook["timeout"] = 2 if hook["timeout"] < 1000 else 2000


def _gone(hook: dict[str, Any]) -> None:
    hook["command"] = "/nowhere/quorate hook"


def _killed(hook: dict[str, Any]) -> None:
    hook["command"] = "kill -9 $$"


def _asking(hook: dict[str, Any]) -> None:
    hook["command"] = 'echo \'{"decision": "ask", "systemMessage": "may it?"}\''


def _blocking_touch(hook: dict[str, Any]) -> None:
    hook["command"] = "if grep -q touch; then echo no >&2; exit 2; fi"


def _blocking_without_variable(hook: dict[str, Any]) -> None:
    hook["command"] = '[ "$XDG_CONFIG_HOME" = /planted ] || { echo no >&2; exit 2; }'


def _typed(command: str) -> Call:
    typed = json.dumps(f"{command}\n")
    start = 'const shell = await tools.exec_command({cmd: "sh", tty: true, yield_time_ms: 1000}); '
    write = f"await tools.write_stdin({{session_id: shell.session_id, chars: {typed}, yield_time_ms: 1500}})"
    return ("functions.exec", f"{start}text({write})")


def _without_pre_tool_use(text: str) -> str:
    settings = json.loads(text)
    del settings["hooks"]["PreToolUse"]
    return json.dumps(settings)


def _as_permission_request(text: str) -> str:
    settings = json.loads(text)
    settings["hooks"] = {"PermissionRequest": settings["hooks"]["PreToolUse"]}
    return json.dumps(settings)


CASES: Final = (
    Case("hook: ACT, the command runs", runs=tuple(AGENTS)),
    Case("hook: WARN, it doesn't run", verdict="WARN", tells="mind the dump"),
    Case("hook: REFUSE, it doesn't run", verdict="REFUSE", tells="mind the dump"),
    Case(
        "hook: REFUSE in auto mode, it doesn't run",
        verdict="REFUSE",
        words=lambda words: [*words, "--permission-mode", "auto"],
        tells="mind the dump",
        only=("claude",),
    ),
    Case(
        "hook: a search that hands on an option is put to the panel",
        verdict="REFUSE",
        call=lambda _: ("grep_search", {"pattern": "-f/etc/passwd", "dir_path": "."}),
        tells="mind the dump",
        only=("gemini",),
    ),
    Case("hook: no verdict in time, it doesn't run", latency=60, tells="no verdict"),
    Case(
        "hook: our program is gone, it doesn't run",
        change=lambda text: text.replace(str(BIN / "quorate"), "/nowhere/quorate"),
        tells="quorate did not answer",
    ),
    Case("seen: without our shell, program gone", change=_hooks(_gone), runs=("codex", "qwen")),
    Case("seen: without our shell, program killed", change=_hooks(_killed), runs=("codex", "gemini", "qwen")),
    Case("seen: a hook that outlives the agent's limit", change=_hooks(_slow), runs=("codex", "gemini", "qwen")),
    Case(
        "hook: PermissionRequest and ACT, the command runs",
        change=_as_permission_request,
        runs=("claude",),
        only=("claude",),
    ),
    Case(
        "hook: PermissionRequest and WARN, nobody there, it doesn't run",
        verdict="WARN",
        change=_as_permission_request,
        only=("claude",),
    ),
    Case(
        "hook: PermissionRequest and REFUSE, it doesn't run",
        verdict="REFUSE",
        change=_as_permission_request,
        tells="mind the dump",
        only=("claude",),
    ),
    Case(
        "seen: PermissionRequest alone is never called, the command runs",
        verdict="REFUSE",
        change=_without_pre_tool_use,
        runs=("codex",),
        only=("codex",),
    ),
    Case(
        "seen: a project's settings switch the hook off, the command runs",
        verdict="REFUSE",
        words=lambda words: [*words, "--permission-mode", "bypassPermissions"],
        files=lambda _: {"project/.claude/settings.json": json.dumps({"disableAllHooks": True})},
        runs=("claude",),
        only=("claude",),
    ),
    Case(
        "seen: what is typed into a running program is not asked about",
        change=_hooks(_blocking_touch),
        call=_typed,
        runs=("codex",),
        only=("codex",),
    ),
    Case(
        "seen: variables of a project's .env reach the hook",
        change=_hooks(_blocking_without_variable),
        files=lambda url: {"project/.env": f"{_gemini_files(url)['.gemini/.env']}XDG_CONFIG_HOME=/planted\n"},
        runs=("gemini",),
        only=("gemini",),
    ),
    Case("seen: it waits for an answer to ask", change=_hooks(_asking), only=("gemini",), hangs=True),
    Case(
        "seen: an untrusted hook is skipped, the command runs",
        verdict="REFUSE",
        words=lambda words: [word for word in words if "trust" not in word],
        runs=("codex",),
        only=("codex",),
    ),
)


async def check_hooks(
    agents: tuple[str, ...] = tuple(AGENTS), cases: tuple[Case, ...] = CASES
) -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong."""
    for name in agents:
        for case in cases:
            if name in case.only:
                yield name, case.title, await _wrong(name, case)


async def _wrong(name: str, case: Case) -> str:
    agent = AGENTS[name]
    async with Endpoint(otherwise=said(ballot(case.verdict)), latency=case.latency) as panel:
        with LoopbackModel("Done.") as model:
            home = make_home(f"hook-{name}", {**agent.files(model.url), **case.files(model.url)})
            model.calls = [(case.call or agent.call)(f"touch {home}/project/tool.ran")]
            asked = ("hook", "install", NAMES[name], "--model", f"openai:m@{panel.url}", "--timeout", TIMEOUT, "--yes")
            installed = await asyncio.to_thread(run, [BIN / "quorate", *asked], home)
            if installed.code:
                return installed.err
            settings = home / agent.settings
            settings.write_text(case.change(settings.read_text()))
            done = await asyncio.to_thread(run, case.words(agent.words), home, agent.env(model.url), seconds=SECONDS)
            return _judged(done, home, case, model, name)


def _judged(done: Finished, home: Path, case: Case, model: LoopbackModel, name: str) -> str:
    ran = (home / "project" / "tool.ran").exists()
    wrong = ""
    if case.hangs or done.code is None:
        wrong = "" if case.hangs is (done.code is None) else "it hangs" if done.code is None else "it doesn't hang"
    elif ran is not (name in case.runs):
        wrong = f"the command {'ran' if ran else 'did not run'}"
    elif len(model.bodies) < 2:
        wrong = "the model heard of no result"
    elif case.tells not in model.heard:
        wrong = f"the model was not told {case.tells!r}"
    return wrong and f"{wrong}; {done.code}, {done.out[-300:]!r}, {done.err[-600:]!r}, {model.heard[-600:]!r}"
