"""Command-line tools that answer a prompt: their fixed arguments, with every tool of their own switched off.

| tool   | its own tools are off by                                                                 |
|--------|------------------------------------------------------------------------------------------|
| claude | `--tools ""`; `--strict-mcp-config`, or servers of the user stay; `--setting-sources ""` |
| codex  | the read-only sandbox; no user's configuration or rules; shell, apps, plugins, search off |
| gemini | settings of ours that name no tools, servers or hooks; no extensions; nobody to approve   |
| llm    | it has none unless asked                                                                 |

A prompt is never an argument, so no prompt can be a flag. A tool that quorate does not know is declared by its whole
command, in a panel file under `commands` or in QUORATE_COMMAND_NAME; a name alone can therefore start nothing new.
"""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.model import Finish, Usage
from quorate.panelists.http.finishes import broke_down, finish_of
from quorate.panelists.http.reply_fields import count_of, storable, usage_from

__all__ = ["DECLARED", "TOOLS", "Tool", "ToolOutput", "custom_tool", "find_tool", "tool_maker", "variable_of"]

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
    settings: tuple[str, str] = ("", "")
    """A variable that names a file of settings, and what stands in that file."""


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


_NO_TOOLS: Final = {
    "tools": {"core": []},
    "mcp": {"allowed": []},
    "mcpServers": {},
    "hooksConfig": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}
_OFF: Final = ("shell_tool", "unified_exec", "apps", "plugins", "multi_agent", "hooks", "view_image", "browser_use")

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
                *("--ignore-user-config", "--ignore-rules", "--color", "never", "-c", 'web_search="disabled"'),
                *(word for feature in _OFF for word in ("-c", f"features.{feature}=false")),
            ),
            model=("--model", MODEL),
            effort=("-c", 'model_reasoning_effort="{effort}"'),
            end=("--", "-"),
            maker="openai",
        ),
        "gemini": Tool(
            argv=(
                *("gemini", "--output-format", "json", "--approval-mode", "default", "--extensions", "none"),
                *("--allowed-mcp-server-names", "none"),
            ),
            model=("--model", MODEL),
            end=("--",),
            maker="google",
            read=_gemini,
            settings=("GEMINI_CLI_SYSTEM_SETTINGS_PATH", json.dumps(_NO_TOOLS)),
        ),
        "llm": Tool(argv=("llm", "prompt", "--no-stream", "--no-log"), model=("--model", MODEL), end=("--",)),
    }
)
