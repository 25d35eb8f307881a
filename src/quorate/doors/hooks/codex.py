"""Codex: its hooks `PermissionRequest` and `PreToolUse` (https://learn.chatgpt.com/docs/hooks).

`PermissionRequest` comes where Codex would ask a person: allow and deny decide, and no decision leaves it to them.
`codex exec` asks nobody, so it never comes there; `PreToolUse` comes before every call, everywhere, and can only deny.
It has no "ask": that is taken for a fault of the hook, and the call goes on. So there what a person should decide is
denied, with the reason and how to let it through.
Exit code 2 blocks with what stands on stderr, and only if something does; with any other code the call goes on.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, decide_request, deny_unasked

REQUEST: Final = "PermissionRequest"
BEFORE: Final = "PreToolUse"


def _write(event: str, answer: PermissionAnswer) -> HookOutput:
    if event == REQUEST:
        return decide_request(answer)
    if event != BEFORE:
        return HookOutput.block(answer.reason)
    if answer.decision == "allow":
        return HookOutput.of({})
    reason = answer.reason if answer.decision == "deny" else deny_unasked("Codex can't be made to ask", answer.reason)
    told = {"hookEventName": BEFORE, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return HookOutput.of({"hookSpecificOutput": told})


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    run = {"type": "command", "command": command, "timeout": seconds, "statusMessage": "Asking the panel"}
    return {"matcher": "*", "hooks": [run]}


AGENT: Final = AgentFormat(
    title="Codex",
    events=(REQUEST, BEFORE),
    write=_write,
    settings_file=".codex/hooks.json",
    folder_variable="CODEX_HOME",
    installed=(BEFORE, REQUEST),
    hook_entry=_entry,
    next_step="In Codex, type /hooks and trust it: a new or changed hook is skipped until you do.",
    sample=MappingProxyType(
        {
            "session_id": "<session-id>",
            "turn_id": "<turn-id>",
            "transcript_path": "/path/to/transcript.jsonl",
            "cwd": "/path/to/cwd",
            "hook_event_name": REQUEST,
            "model": "gpt-5",
            "permission_mode": "default",
            "tool_name": "Bash",
            "tool_input": {"command": "rm -f /tmp/example"},
        }
    ),
)
