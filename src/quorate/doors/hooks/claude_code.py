"""Claude Code: its hooks `PreToolUse` and `PermissionRequest` (https://code.claude.com/docs/en/hooks).

`PreToolUse` comes before every call and knows allow, ask and deny. `PermissionRequest` comes where a person would be
asked; no decision leaves it to them. Only the first is set up: with both, a call that the panel wants a person to look
at would be put to the panel once more, and a second try must not make an allow of a WARN.
Exit code 0 with this JSON decides, 2 blocks with what stands on stderr; with any other the call goes on, and so it does
when the hook times out, unless the entry says `onFailure: block`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, decide_request

EVENT: Final = "PreToolUse"
REQUEST: Final = "PermissionRequest"


def _write(event: str, answer: PermissionAnswer) -> HookOutput:
    return decide_request(answer) if event == REQUEST else write_pre_tool_use(event, answer)


def write_pre_tool_use(_: str, answer: PermissionAnswer) -> HookOutput:
    """An answer to the event before a tool call, as Qwen Code takes it too."""
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
    events=(EVENT, REQUEST),
    write=_write,
    settings_file=".claude/settings.json",
    folder_variable="CLAUDE_CONFIG_DIR",
    installed=(EVENT,),
    hook_entry=_entry,
    next_step="Restart Claude Code; /hooks lists it.",
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
