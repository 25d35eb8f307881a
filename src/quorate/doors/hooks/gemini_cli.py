"""Gemini CLI: its `BeforeTool` hook (https://geminicli.com/docs/hooks/reference).

The page names `allow` and `deny`. `ask` makes it ask a person where there is one, and wait forever where there is none;
no field of the event says which. So what a person should decide is denied.
Exit code 2 blocks, and only if something stands on stderr. With 0 or 1, a signal, or none in time, the call goes on.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, deny_unasked

EVENT: Final = "BeforeTool"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    if answer.decision != "ask":
        return HookOutput.of({"decision": answer.decision, "reason": answer.reason})
    reason = deny_unasked("Gemini CLI doesn't say whether anybody is there to be asked", answer.reason)
    return HookOutput.of({"decision": "deny", "reason": reason})


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    run = {"type": "command", "name": "quorate", "command": command, "timeout": seconds * 1000}
    return {"matcher": ".*", "hooks": [run]}


AGENT: Final = AgentFormat(
    title="Gemini CLI",
    events=(EVENT,),
    write=_write,
    settings_file=".gemini/settings.json",
    folder_variable="",
    installed=(EVENT,),
    hook_entry=_entry,
    next_step="Restart Gemini CLI; /hooks lists it.",
    sample=MappingProxyType(
        {
            "session_id": "abc123",
            "transcript_path": "/path/to/transcript.json",
            "cwd": "/path/to/project",
            "hook_event_name": EVENT,
            "timestamp": "2026-03-21T10:00:00.000Z",
            "tool_name": "run_shell_command",
            "tool_input": {"command": "npm test"},
        }
    ),
)
