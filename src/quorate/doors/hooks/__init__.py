"""Permission hooks: a coding agent's tool call becomes a question to a panel, the verdict the agent's own answer.

Each agent is one file here, with its format as its documentation has it. What an agent takes for "go ahead" is written
for a verdict to act alone: to agents a hook that fails, times out or says something they cannot read means "go ahead".
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final, Literal, TypedDict

from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass

__all__ = [
    "AGENTS",
    "AgentFormat",
    "HookOptions",
    "HookOutput",
    "PermissionAnswer",
    "PermissionDecision",
    "ToolCall",
    "agent_format",
    "decide_request",
    "deny_unasked",
    "read_call",
    "unpack_arguments",
]

_FILES: Final = MappingProxyType(
    {
        "claude-code": "claude_code",
        "codex": "codex",
        "gemini": "gemini_cli",
        "qwen": "qwen_code",
        "opencode": "opencode",
        "copilot": "copilot",
        "cursor": "cursor",
    }
)
AGENTS: Final = tuple(_FILES)
LARGEST: Final = 4_000_000
"""Bytes of an event that are looked at; a longer one is for a person."""
BLOCK: Final = 2
"""The exit code with which agents stop a call; what stands on stderr is the reason."""

PermissionDecision = Literal["allow", "ask", "deny"]


class HookOptions(TypedDict):
    """What `quorate hook` was told: who is asked, where that is kept, how long it may take, and what to set up."""

    panel: str | None
    model: str | None
    ledger: str | None
    hook_file: str | None
    timeout: str
    event: str | None
    settings_file: str | None
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What an agent is about to do; everything in it but the agent's name was written by somebody else."""

    agent: str
    event: str
    tool: str
    input: object
    cwd: str
    session: str = ""
    """The agent's name for what it is doing since it was started, where it gives one."""

    @property
    def canonical(self) -> str:
        """The same call in the same text, whatever order its arguments came in and at which event."""
        import json

        return json.dumps([self.agent, self.tool, self.input, self.cwd], sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAnswer:
    """Allow it, ask a person, or deny it, and why."""

    decision: PermissionDecision
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOutput:
    """What an agent is told: its own JSON on stdout, or a reason on stderr, with the exit code that goes with it."""

    out: str = ""
    err: str = ""
    code: int = 0

    @classmethod
    def of(cls, document: Mapping[str, object]) -> "HookOutput":
        import json

        return cls(out=json.dumps(document))

    @classmethod
    def block(cls, reason: str) -> "HookOutput":
        return cls(err=reason, code=BLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFormat:
    """How one agent asks and is answered, and where its hooks are set."""

    title: str
    events: tuple[str, ...]
    """What it may send us; anything else is not understood."""
    write: Callable[[str, PermissionAnswer], HookOutput]
    """An answer to one of these events, or to one that could not be read, whose name is empty."""
    settings_file: str
    """In the user's home, unless the variable below says where the folder is."""
    folder_variable: str
    installed: tuple[str, ...]
    """The events it is set up to call us for."""
    hook_entry: Callable[[str, int], Mapping[str, object]]
    """The entry in the settings, for a command and the seconds that it may take."""
    next_step: str
    """What a person still has to do once the settings are written."""
    sample: Mapping[str, object]
    """An event as the documentation shows it."""
    read_event: Callable[[Mapping[str, object]], Mapping[str, object]] = dict
    """The fields of an event under the names that most agents use."""
    version: int | None = None
    """The version that a settings file of its own states."""
    own_file: Callable[[Mapping[str, object]], str] | None = None
    """The whole file, for an entry, where an agent takes a file of ours and no entry in its settings."""


def deny_unasked(why: str, reason: str) -> str:
    """The reason of a denial where a person should decide and the agent can't be made to ask one."""
    return (
        f"a person has to decide this, and {why}: {reason} (to let it through, add it to always_allow in the hook file)"
    )


def decide_request(answer: PermissionAnswer) -> HookOutput:
    """An answer where a person would be asked, as Claude Code and Codex take it; no decision leaves it to them."""
    if answer.decision == "ask":
        return HookOutput.of({"systemMessage": answer.reason})
    decision: dict[str, object] = {"behavior": answer.decision}
    if answer.decision == "deny":
        decision["message"] = answer.reason
    return HookOutput.of({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})


def agent_format(name: str) -> AgentFormat:
    """The format of an agent.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in AGENTS:
        raise UnknownName("agent", name, AGENTS)
    found = import_module(f"quorate.doors.hooks.{_FILES[name]}").AGENT
    assert isinstance(found, AgentFormat)  # noqa: S101  each file here holds one
    return found


def read_call(agent: str, events: tuple[str, ...], content: bytes) -> ToolCall:
    """Read an event of an agent.

    Raises:
        BadSetting: it is no such event.
    """
    if len(content) > LARGEST:
        raise BadSetting(f"the event is longer than {LARGEST} bytes")
    import json

    try:
        event = json.loads(content.decode(), object_pairs_hook=_without_doubles, parse_constant=_no_number)
        json.dumps(event, ensure_ascii=False).encode()  # half a character cannot be put to anybody
    except (ValueError, RecursionError):
        raise BadSetting("the event is not JSON") from None
    if not isinstance(event, dict):
        raise BadSetting("the event is no JSON object")
    event = agent_format(agent).read_event(event)
    named, tool, cwd = (event.get(field, "") for field in ("hook_event_name", "tool_name", "cwd"))
    if not (isinstance(named, str) and named in events):
        raise BadSetting(f"the event is not one of {', '.join(events)}")
    if not (isinstance(tool, str) and tool and isinstance(cwd, str)) or event.get("tool_input") is None:
        raise BadSetting("the event names no tool, or has no input for it")
    session = str(event.get("session_id", ""))
    return ToolCall(agent=agent, event=named, tool=tool, input=event["tool_input"], cwd=cwd, session=session)


def unpack_arguments(value: object) -> object:
    """The arguments of a tool, which some agents send as a text that holds JSON; nothing if it holds none."""
    import json

    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A name that stands there twice could be read one way by us and another by the agent."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError
    return dict(pairs)


def _no_number(_: str) -> float:
    raise ValueError
