"""Claude Code: its `PreToolUse` hook, which knows allow, ask and deny (https://code.claude.com/docs/en/hooks).

Exit code 0 with this JSON decides, 2 blocks with what stands on stderr; with any other the call goes on, and so it does
when the hook times out, unless the entry says `onFailure: block`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer

EVENT: Final = "PreToolUse"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    return HookOutput.of(
        {
            "hookSpecificOutput": {
                "hookEventName": EVENT,
                "permissionDecision": answer.decision,
                "permissionDecisionReason": answer.reason,
            }
        }
    )


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    run = {"type": "command", "command": command, "timeout": seconds, "onFailure": "block"}
    return {"matcher": "*", "hooks": [run]}


AGENT: Final = AgentFormat(
    title="Claude Code",
    events=(EVENT,),
    write=_write,
    settings_file=".claude/settings.json",
    folder_variable="CLAUDE_CONFIG_DIR",
    installed=(EVENT,),
    hook_entry=_entry,
    next_step="Start Claude Code anew; /hooks lists it.",
    sample=MappingProxyType(
        {
            "session_id": "abc123",
            "transcript_path": "~/.claude/projects/project/00893aaf.jsonl",
            "cwd": "/srv/my-project",
            "permission_mode": "default",
            "hook_event_name": EVENT,
            "tool_name": "Bash",
            "tool_input": {"command": "npm test"},
            "tool_use_id": "toolu_01ABC123",
        }
    ),
)
