"""How often a panel refused an agent's calls in one session: an agent that keeps trying needs a person.

What cannot be read or written here leaves a refusal a refusal; changing the file can only bring in a person.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from quorate.doors.hooks import PermissionAnswer, ToolCall
from quorate.doors.hooks.answer_cache import call_key, read_private_json, write_private_json
from quorate.frozen import dataclass

__all__ = ["IN_ALL", "IN_A_ROW", "RefusalCounts"]

IN_A_ROW: Final = 3
IN_ALL: Final = 20
"""From so many refusals in a session on, the next one goes to a person instead."""
AGE: Final = 24 * 3600
"""Seconds after which a session is forgotten."""
MOST: Final = 1000
"""Sessions kept at most; the oldest go first."""


@dataclass(frozen=True, slots=True)
class RefusalCounts:
    """A file with the refusals of each session: how many in a row, how many in all, and when the last answer was."""

    file: Path

    def escalate(self, call: ToolCall, answer: PermissionAnswer, now: float) -> PermissionAnswer:
        """Count a panel's answer; a refusal that is one too many is for a person to decide."""
        key, known = call_key(call.agent, call.session or call.cwd), self._known(now)
        row, whole, _ = known.get(key, (0, 0, now))
        if answer.decision == "deny":
            row, whole = row + 1, whole + 1
        elif answer.decision == "allow":
            row = 0
        newest = sorted({**known, key: (row, whole, now)}.items(), key=lambda one: one[1][2])[-MOST:]
        if whole:
            write_private_json(self.file, dict(newest))
        if answer.decision != "deny" or (row < IN_A_ROW and whole < IN_ALL):
            return answer
        often = f"{row} calls in a row" if row >= IN_A_ROW else f"{whole} calls"
        return replace(answer, decision="ask", reason=f"the panel refused {often} in this session: {answer.reason}")

    def _known(self, now: float) -> dict[str, tuple[int, int, float]]:
        """The sessions of the last day."""
        entries = ((name, _entry(value)) for name, value in read_private_json(self.file).items())
        return {name: entry for name, entry in entries if entry is not None and 0 <= now - entry[2] <= AGE}


def _entry(value: object) -> tuple[int, int, float] | None:
    match value:
        case [int() as row, int() as whole, int() | float() as at] if 0 <= row <= whole:
            return row, whole, float(at)
        case _:
            return None
