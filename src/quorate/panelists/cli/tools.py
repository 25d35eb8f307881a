"""Command-line tools that answer a prompt: their fixed arguments, with every tool of their own switched off.

| tool   | its own tools are off by                                                                 |
|--------|------------------------------------------------------------------------------------------|
| claude | `--tools ""`; `--strict-mcp-config`, or servers of the user stay; `--setting-sources ""` |
| codex  | a home with the login alone; the read-only sandbox; every feature that brings a tool off  |
| gemini | a home with the login alone; a policy that denies every tool; no extensions, no servers   |
| llm    | it has none unless asked                                                                 |

A prompt is never an argument, so no prompt can be a flag. A tool that quorate does not know is declared by its whole
command, in a panel file under `commands` or in QUORATE_COMMAND_NAME; a name alone can therefore start nothing new.
"""

import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.model import Finish, Usage
from quorate.panelists.http.finishes import broke_down, finish_of
from quorate.panelists.http.reply_fields import count_of, message_of, storable, usage_from

__all__ = [
    "DECLARED",
    "TOOLS",
    "Tool",
    "ToolOutput",
    "custom_tool",
    "find_tool",
    "gemini_refusal",
    "tool_maker",
    "variable_of",
]

DECLARED: Final = "QUORATE_COMMAND_"
"""A variable that begins so holds the command of a tool, as one would type it in a shell."""

MODEL: Final = "{model}"
UNKNOWN: Final = Usage()
_MODEL_NAME: Final = re.compile(r"[A-Za-z0-9][\w.:/@+\[\]-]{0,127}", re.ASCII)
_TOOL_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """What a tool's output says; a tool may report its own failure in it."""

    text: str
    model: str = ""
    finish: Finish = "stop"
    usage: Usage = UNKNOWN
    failed: bool = False


def plain(output: str) -> ToolOutput:
    """Everything it wrote is its answer."""
    return ToolOutput(text=output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A command: fixed arguments, how it is told the model and the effort, and how its output is read."""

    argv: tuple[str, ...]
    model: tuple[str, ...] = ()
    effort: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    maker: str = ""
    read: Callable[[str], ToolOutput] = plain
    home: Callable[[Path, Mapping[str, str]], dict[str, str]] | None = None
    """Puts the files it needs into a folder; returns the variables that name them."""
    refusal: Callable[[], str] = str
    """Why it must not be used on this machine, empty if it may."""


def custom_tool(name: str, command: str) -> Tool:
    """A tool of the user's own, as its command says.

    Raises:
        BadSetting: the command cannot be taken apart.
    """
    try:
        argv = tuple(shlex.split(command))
    except ValueError as wrong:
        raise BadSetting(f"the command of {name!r} cannot be read: {wrong}") from None
    if not argv:
        raise BadSetting(f"the command of {name!r} is empty; write the program and its arguments")
    return Tool(argv=argv)


def variable_of(name: str) -> str:
    """The variable that declares a tool.

    Raises:
        BadSetting: no tool can be called so.
    """
    if not _TOOL_NAME.fullmatch(name):
        raise BadSetting(f"a tool is named in lower-case letters, digits, - and _, not {name[:40]!r}")
    return DECLARED + name.upper().replace("-", "_")


def find_tool(name: str, effort: str, environ: Mapping[str, str]) -> Tool:
    """The tool of `NAME` or `NAME/MODEL`, ready to be run; a declared one goes before one that is known.

    Raises:
        UnknownName: nobody declared it, and it is not known.
        BadSetting: it takes no model or no effort, or they cannot be arguments.
    """
    called, slash, model = name.partition("/")
    tool = _tool(called, environ)
    if slash:
        _check_model(called, tool, model)
    if effort and not tool.effort:
        raise BadSetting(f"the tool {called!r} takes no effort; leave the option out")
    more = (*(tool.model if slash else ()), *(tool.effort if effort else ()), *tool.end)
    argv = (word.replace(MODEL, model).replace("{effort}", effort) for word in (*tool.argv, *more))
    return replace(tool, argv=tuple(argv))


def _check_model(called: str, tool: Tool, model: str) -> None:
    if not _MODEL_NAME.fullmatch(model):
        raise BadSetting(f"{model[:40]!r} is no name of a model that a command-line tool could be given")
    if not tool.model and not any(MODEL in word for word in tool.argv):
        raise BadSetting(f"the tool {called!r} takes no model; write {MODEL} into its command where it belongs")


def _tool(called: str, environ: Mapping[str, str]) -> Tool:
    command = environ.get(variable_of(called), "")
    if command:
        return custom_tool(called, command)
    if called not in TOOLS:
        there = (one.removeprefix(DECLARED).lower() for one in environ if one.startswith(DECLARED))
        raise UnknownName("command-line tool", called, {*TOOLS, *there})
    return TOOLS[called]


def tool_maker(name: str, environ: Mapping[str, str]) -> str:
    """Whose models a known tool asks, empty if that cannot be told."""
    called = name.partition("/")[0]
    known = called in TOOLS and not environ.get(DECLARED + called.upper().replace("-", "_"))
    return TOOLS[called].maker if known else ""


def _object(output: str) -> dict[str, Any] | None:
    """The JSON object that a tool wrote, perhaps behind a line or two of warnings."""
    for begun in (output, output[max(output.find("\n{"), 0) :]):
        try:
            said = json.loads(begun)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict):
            return said
    return None


def _busiest(models: object, answered: Callable[[dict[str, Any]], object]) -> tuple[str, dict[str, Any]]:
    """The model that wrote most: tools ask small ones besides, to choose a way or a title."""
    used = {name: how for name, how in models.items() if isinstance(how, dict)} if isinstance(models, dict) else {}
    wrote = {name: count if isinstance(count := answered(how), int) else 0 for name, how in used.items()}
    name = max(wrote, key=wrote.__getitem__, default="")
    return name, used.get(name, {})


def _counts(used: dict[str, Any]) -> dict[str, Any]:
    tokens = used.get("tokens")
    return tokens if isinstance(tokens, dict) else {}


def _claude(output: str) -> ToolOutput:
    said = _object(output)
    if said is None or not isinstance(said.get("result"), str):
        return ToolOutput(text=output, failed=said is not None)
    used, models = said.get("usage"), said.get("modelUsage")
    counts = used if isinstance(used, dict) else {}
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    asked = [count for part in parts if (count := count_of(counts.get(part))) is not None]
    stop = said.get("stop_reason")
    return ToolOutput(
        text=storable(said["result"]),
        model=_busiest(models, lambda used: used.get("outputTokens"))[0],
        finish="stop" if stop is None else finish_of(stop),
        usage=usage_from(sum(asked) if asked else None, counts.get("output_tokens"), None, said.get("total_cost_usd")),
        failed=bool(said.get("is_error") or said.get("error") or broke_down(stop)),
    )


def _codex(output: str) -> ToolOutput:
    """Its events, one a line: the last message is the answer, and a turn that did not complete has failed."""
    text = error = ""
    used: object = None
    failed = False
    for line in output.splitlines():
        match _object(line):
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(message)}}:
                text = message
            case {"type": "turn.completed", "usage": usage}:
                used = usage
            case {"type": "turn.failed" | "error" as kind, **about}:
                # An error alone may be a connection that was lost and came back; whether the turn failed is said too.
                failed = failed or kind == "turn.failed"
                error = message_of(about.get("error") or about)
            case _:
                pass
    if failed or not isinstance(used, dict):
        return ToolOutput(text=error or output, failed=True)
    return ToolOutput(text=storable(text), usage=usage_from(used.get("input_tokens"), used.get("output_tokens"), None))


def _gemini(output: str) -> ToolOutput:
    said = _object(output)
    if said is None or said.get("error") or not isinstance(said.get("response"), str):
        error = said.get("error") if said else None
        why = error.get("message") if isinstance(error, dict) else None
        return ToolOutput(text=why if isinstance(why, str) else output, failed=said is not None)
    stats = said.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    name, of_model = _busiest(models, lambda used: _counts(used).get("candidates"))
    counts = _counts(of_model)
    return ToolOutput(
        text=storable(said["response"]),
        model=name,
        usage=usage_from(counts.get("prompt"), counts.get("candidates"), None),
    )


# Codex reads instructions from its folder even with --ignore-user-config, and Gemini CLI has no flag against its user's
# hooks, servers and memory at all, and skips a file of system settings unless root owns it. So both get a home of ours
# that holds what is named here and nothing else. A file of the login is a link, so that a renewed token is kept.
LARGEST: Final = 65_536
_CODEX_LOGIN: Final = ("auth.json",)
_GEMINI_LOGIN: Final = ("oauth_creds.json", "google_accounts.json", "gemini-credentials.json")
_LOGIN_LINES: Final = re.compile(
    r"^(?:export[ ]+)?(?:GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_(?:PROJECT|LOCATION)"
    r"|GOOGLE_GENAI_USE_(?:GCA|VERTEXAI)|GOOGLE_(?:GEMINI|VERTEX)_BASE_URL)=.*$",
    re.MULTILINE,
)
_LOGIN_KIND: Final = re.compile(r'"selectedType"\s*:\s*"([a-z-]{1,40})"')
_GEMINI_SETTINGS: Final = {
    "hooksConfig": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
_GEMINI_POLICY: Final = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_SYSTEM_POLICIES: Final = Path(
    "/Library/Application Support/GeminiCli/policies" if sys.platform == "darwin" else "/etc/gemini-cli/policies"
)


def codex_home(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Codex's folder with the login alone, made in `folder`; returns the variable that names it."""
    user = Path(env.get("CODEX_HOME") or Path(env.get("HOME", "/")) / ".codex")
    _link_files(user, folder / "home", _CODEX_LOGIN)
    return {"CODEX_HOME": str(folder / "home")}


def gemini_home(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Gemini CLI's home with the login alone, and a policy that denies every tool; returns the variables it needs."""
    home = Path(env.get("GEMINI_CLI_HOME") or env.get("HOME", "/"))
    own = folder / "home" / ".gemini"
    _link_files(home / ".gemini", own, _GEMINI_LOGIN)
    kind = _LOGIN_KIND.search(_read(home / ".gemini" / "settings.json"))
    login = {"security": {"auth": {"selectedType": kind[1]}}} if kind else {}
    _write(own / "settings.json", json.dumps({**_GEMINI_SETTINGS, **login}))
    _write(folder / "policy.toml", _GEMINI_POLICY)
    # Gemini looks for a file of variables from its folder up to the root. This one ends the search: a folder above is
    # one of temporary files, where other users of the machine could leave theirs.
    variables = _read(home / ".gemini" / ".env") or _read(home / ".env")
    _write(folder / "empty" / ".gemini" / ".env", "".join(f"{line}\n" for line in _LOGIN_LINES.findall(variables)))
    return {"GEMINI_CLI_HOME": str(folder / "home"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(folder / "none.json")}


def gemini_refusal(policies: Path = _SYSTEM_POLICIES) -> str:
    """Why Gemini CLI cannot be used on this machine, empty if it can.

    It skips a policy that it is started with where the system has policies of its own, and those could allow tools.
    """
    if not any(policies.glob("*.toml")):
        return ""
    return f"Gemini CLI skips our policy against its tools because there are policies in {policies}"


def _link_files(user: Path, own: Path, names: tuple[str, ...]) -> None:
    own.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (user / name).is_file():
            with suppress(FileExistsError):
                (own / name).symlink_to((user / name).resolve())


def _read(path: Path) -> str:
    """What a file says, nothing if it cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
        return ""


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


_OFF: Final = (
    *("shell_tool", "unified_exec", "apps", "plugins", "multi_agent", "multi_agent_v2", "hooks", "view_image"),
    *("browser_use", "browser_use_external", "computer_use", "image_generation", "memories", "goals", "sleep_tool"),
    *("tool_suggest", "skill_search", "code_mode", "code_mode_host"),
)
"""Codex's features that bring a tool. Without the last, a model's scripts, from which it calls others, fail to run."""
_CODEX_SETTINGS: Final = (
    *('web_search="disabled"', "agents.enabled=false", "project_doc_max_bytes=0", "skills.bundled.enabled=false"),
    *("skills.include_instructions=false", "tools.update_plan.enabled=false"),
    *("tools.experimental_request_user_input.enabled=false", *(f"features.{feature}=false" for feature in _OFF)),
)

TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {
        "claude": Tool(
            argv=(
                *("claude", "--print", "--output-format", "json", "--tools", "", "--strict-mcp-config"),
                *("--setting-sources", "", "--disable-slash-commands", "--no-session-persistence"),
            ),
            model=("--model", MODEL),
            effort=("--effort", "{effort}"),
            end=("--",),
            maker="anthropic",
            read=_claude,
        ),
        "codex": Tool(
            argv=(
                *("codex", "exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"),
                *("--ignore-user-config", "--ignore-rules", "--color", "never", "--json"),
                *(word for setting in _CODEX_SETTINGS for word in ("-c", setting)),
            ),
            model=("--model", MODEL),
            effort=("-c", 'model_reasoning_effort="{effort}"'),
            end=("--", "-"),
            maker="openai",
            read=_codex,
            home=codex_home,
        ),
        "gemini": Tool(
            argv=(
                *("gemini", "--output-format", "json", "--approval-mode", "default", "--extensions", "none"),
                *("--allowed-mcp-server-names", "none", "--skip-trust", "--admin-policy", "../policy.toml"),
            ),
            model=("--model", MODEL),
            end=("--",),
            maker="google",
            read=_gemini,
            home=gemini_home,
            refusal=gemini_refusal,
        ),
        "llm": Tool(argv=("llm", "prompt", "--no-stream", "--no-log"), model=("--model", MODEL), end=("--",)),
    }
)
