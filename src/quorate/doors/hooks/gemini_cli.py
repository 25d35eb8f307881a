"""Gemini CLI: its `BeforeTool` hook (https://geminicli.com/docs/hooks/reference).

The page names `allow` and `deny`; `ask` makes it ask a person, in interactive use, since google-gemini/gemini-cli#21146
(March 2026). Exit code 2 blocks with what stands on stderr; with any other code, or none in time, the call goes on.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer

EVENT: Final = "BeforeTool"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    document: dict[str, object] = {"decision": answer.decision, "reason": answer.reason}
    if answer.decision == "ask":
        document["systemMessage"] = answer.reason
    return HookOutput.of(document)


def _entry(command: str, seconds: int) -> tuple[str, Mapping[str, object]]:
    run = {"type": "command", "name": "quorate", "command": command, "timeout": seconds * 1000}
    return EVENT, {"matcher": ".*", "hooks": [run]}


AGENT: Final = AgentFormat(
    title="Gemini CLI",
    events=(EVENT,),
    write=_write,
    settings_file=".gemini/settings.json",
    folder_variable="",
    hook_entry=_entry,
    next_step="Start Gemini CLI anew; /hooks lists it.",
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
