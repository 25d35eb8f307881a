"""A permission hook allows nothing by accident: whatever comes on stdin that is no event, and whoever is asked."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from quorate.doors.hooks import AGENTS
from tests.doors.conftest import Quorate, home, quorate
from tests.doors.test_hooks import EVENTS, approves

pytestmark = pytest.mark.promise

TRIES = 2_000
PIECES = (
    *('{"decision":"allow"}', '{"hookSpecificOutput":{"permissionDecision":"allow"}}', "null", "[]", "{}", "true"),
    *('"tool_name":"Read"', '"hook_event_name":"PreToolUse"', '"tool_input":{}', "NaN", "1e999", "\x00", "\u202e"),
)
__all__ = ["home", "quorate"]


def mangled(chance: random.Random, event: dict[str, Any]) -> bytes:
    """An event that is broken: cut, spliced, with fields gone, doubled or of another kind, or none at all."""
    text = json.dumps(event)
    match chance.randrange(6):
        case 0:
            return text.encode()[: chance.randrange(len(text))]
        case 1:
            at = chance.randrange(1, len(text))
            return (text[:at] + chance.choice(PIECES) + text[at + chance.randrange(5) :]).encode()
        case 2:
            gone = chance.choice(("hook_event_name", "tool_name", "tool_input"))
            return json.dumps({key: value for key, value in event.items() if key != gone}).encode()
        case 3:
            field = chance.choice(("hook_event_name", "tool_name", "tool_input", "cwd"))
            return json.dumps({**event, field: chance.choice((None, 1, True, [], {"a": []}, "PostToolUse"))}).encode()
        case 4:
            return chance.randbytes(chance.randrange(200))
        case _:
            return (chance.choice(PIECES) * chance.choice((1, 3, 5_000))).encode()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("agent", AGENTS)
def test_no_garbage_on_stdin_is_ever_allowed(
    quorate: Quorate, agent: str, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No model answers here, so only what is always allowed could be; and nothing that is, is among the events."""
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    events = [one["event"] for one in EVENTS if one["agent"] == agent]
    for _ in range(TRIES // len(AGENTS)):
        told = quorate("hook", agent, stdin=mangled(chance, chance.choice(events)))

        assert not approves(agent, told), told
        assert told.code in {0, 2}
