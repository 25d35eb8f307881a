"""Qwen Code: its `PreToolUse` hook (https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/).

It knows allow, ask and deny in the form of Claude Code, with times in milliseconds.
Exit code 2 blocks, with what stands on stderr. With any other, a signal, or none in time, the call goes on.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat
from quorate.doors.hooks.claude_code import write_pre_tool_use

EVENT: Final = "PreToolUse"


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    run = {"type": "command", "name": "quorate", "command": command, "timeout": seconds * 1000}
    return {"matcher": "*", "hooks": [run]}


AGENT: Final = AgentFormat(
    title="Qwen Code",
    events=(EVENT,),
    write=write_pre_tool_use,
    settings_file=".qwen/settings.json",
    folder_variable="QWEN_HOME",
    installed=(EVENT,),
    hook_entry=_entry,
    next_step="Restart Qwen Code; /hooks lists it.",
    sample=MappingProxyType(
        {
            "session_id": "abc123",
            "transcript_path": "/path/to/transcript.jsonl",
            "cwd": "/path/to/project",
            "hook_event_name": EVENT,
            "timestamp": "2026-03-21T10:00:00.000Z",
            "permission_mode": "default",
            "tool_name": "run_shell_command",
            "tool_input": {"command": "npm test"},
            "tool_use_id": "toolu_abc123",
        }
    ),
)
