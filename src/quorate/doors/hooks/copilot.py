"""GitHub Copilot CLI: its `preToolUse` hook (https://docs.github.com/en/copilot/reference/hooks-reference).

Written by its documentation and not run here. It knows allow, ask and deny; the arguments of a tool may come as text
that holds JSON. A hook that fails or outlives its time lets the call go on, as the page has it for some releases, so
our shell around the program ends with a denial where it can.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, unpack_arguments

EVENT: Final = "preToolUse"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    return HookOutput.of({"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason})


def _read(event: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "hook_event_name": event.get("hook_event_name", EVENT),
        "session_id": event.get("sessionId", ""),
        "cwd": event.get("cwd", ""),
        "tool_name": event.get("toolName", ""),
        "tool_input": unpack_arguments(event.get("toolArgs")),
    }


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    return {"type": "command", "bash": command, "timeoutSec": seconds}


AGENT: Final = AgentFormat(
    title="GitHub Copilot",
    events=(EVENT,),
    write=_write,
    read_event=_read,
    settings_file=".copilot/hooks/quorate.json",
    folder_variable="",
    installed=(EVENT,),
    hook_entry=_entry,
    version=1,
    next_step="Restart Copilot CLI.",
    sample=MappingProxyType(
        {
            "sessionId": "abc123",
            "timestamp": 1704614600000,
            "cwd": "/path/to/project",
            "toolName": "bash",
            "toolArgs": '{"command":"npm test","description":"Run the tests"}',
        }
    ),
)
