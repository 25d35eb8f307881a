"""Cursor: its `beforeShellExecution` and `beforeMCPExecution` hooks (https://cursor.com/docs/hooks).

Written by its documentation and not run here. Both know allow, ask and deny. `failClosed` stops the call where a hook
fails or outlives its time.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, unpack_arguments

SHELL: Final = "beforeShellExecution"
MCP: Final = "beforeMCPExecution"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    told = {"permission": answer.decision, "user_message": answer.reason, "agent_message": answer.reason}
    return HookOutput.of(told)


def _read(event: Mapping[str, object]) -> Mapping[str, object]:
    roots = event.get("workspace_roots")
    first = next(iter(roots), "") if isinstance(roots, list) else ""
    common = {
        "hook_event_name": event.get("hook_event_name"),
        "session_id": event.get("conversation_id", ""),
        "cwd": event.get("cwd") or first,
    }
    if event.get("hook_event_name") == SHELL:
        command = event.get("command")
        return {
            **common,
            "tool_name": "Shell",
            "tool_input": {"command": command} if isinstance(command, str) else None,
        }
    given = unpack_arguments(event.get("tool_input"))
    return {**common, "tool_name": event.get("tool_name", ""), "tool_input": given}


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    return {"command": command, "timeout": seconds, "failClosed": True}


AGENT: Final = AgentFormat(
    title="Cursor",
    events=(SHELL, MCP),
    write=_write,
    read_event=_read,
    settings_file=".cursor/hooks.json",
    folder_variable="",
    installed=(SHELL, MCP),
    hook_entry=_entry,
    version=1,
    next_step="Restart Cursor; the Hooks tab of its settings lists it.",
    sample=MappingProxyType(
        {
            "conversation_id": "668320d2",
            "generation_id": "490b90b7",
            "hook_event_name": SHELL,
            "workspace_roots": ["/path/to/project"],
            "command": "npm test",
            "cwd": "/path/to/project",
        }
    ),
)
