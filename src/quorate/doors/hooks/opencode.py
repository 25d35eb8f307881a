"""OpenCode: a plugin of ours with its `tool.execute.before` (https://opencode.ai/docs/plugins/).

OpenCode runs no command before a tool; a plugin's function does, and what it throws stops the call. The plugin written
here hands the call to our program and throws unless the answer is an allow, so whatever goes wrong stops the call.
It can't make OpenCode ask a person, so what a person should decide is denied with the reason.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.doors.hooks import AgentFormat, HookOutput, PermissionAnswer, deny_unasked

EVENT: Final = "tool.execute.before"


def _write(_: str, answer: PermissionAnswer) -> HookOutput:
    if answer.decision == "ask":
        reason = deny_unasked("OpenCode can't be made to ask by a plugin", answer.reason)
        return HookOutput.of({"decision": "deny", "reason": reason})
    return HookOutput.of({"decision": answer.decision, "reason": answer.reason})


def _entry(command: str, seconds: int) -> Mapping[str, object]:
    return {"command": command, "timeout": seconds * 1000}


PLUGIN: Final = """\
// Written by `quorate hook install opencode`: it asks a panel before every tool call.
import { spawnSync } from "node:child_process"

const HOOK = @HOOK@

export const QuoratePlugin = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const event = {
      hook_event_name: "tool.execute.before",
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args ?? {},
    }
    const ran = spawnSync("/bin/sh", ["-c", HOOK.command], {
      input: JSON.stringify(event),
      timeout: HOOK.timeout,
      encoding: "utf8",
    })
    let answer = {}
    try {
      answer = JSON.parse(ran.stdout)
    } catch {}
    if (ran.status !== 0 || answer.decision !== "allow") {
      throw new Error(answer.reason || (ran.stderr || "").trim() || "quorate did not answer, so this is blocked")
    }
  },
})
"""


def _plugin(entry: Mapping[str, object]) -> str:
    return PLUGIN.replace("@HOOK@", json.dumps(dict(entry)))


AGENT: Final = AgentFormat(
    title="OpenCode",
    events=(EVENT,),
    write=_write,
    settings_file=".config/opencode/plugins/quorate.js",
    folder_variable="",
    installed=(EVENT,),
    hook_entry=_entry,
    own_file=_plugin,
    next_step="Restart OpenCode.",
    sample=MappingProxyType(
        {
            "hook_event_name": EVENT,
            "session_id": "ses_abc123",
            "cwd": "/path/to/project",
            "tool_name": "bash",
            "tool_input": {"command": "npm test", "description": "Run the tests"},
        }
    ),
)
