"""At a gate that promises how often it is wrong, an allow is earned by labels that count."""

import asyncio
import json
from pathlib import Path

from quorate.evaluate.act_threshold import error_free_acts
from tests.doors.conftest import Quorate, home, quorate
from tests.doors.test_hooks import BALLOT, EVENTS
from tests.servers import Endpoint

__all__ = ["home", "quorate"]
PROMISE = 0.5


async def test_what_all_seats_approve_is_allowed_only_once_enough_past_acts_were_right(
    quorate: Quorate, home: Path
) -> None:
    config = home / ".config/quorate/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"act_error: {PROMISE:.0%}\n")
    needed = error_free_acts(PROMISE)
    async with Endpoint(otherwise=BALLOT) as endpoint:

        async def decision(number: int) -> str:
            event = {**EVENTS[0]["event"], "tool_input": {"command": f"make step{number}"}}
            words = ("hook", "claude-code", "--model", f"openai:m@{endpoint.url}")
            told = await asyncio.to_thread(quorate, *words, stdin=json.dumps(event))
            return str(told.document["hookSpecificOutput"]["permissionDecision"])

        for number in range(needed):
            assert await decision(number) == "ask", "nothing is labelled yet"
            labelled = await asyncio.to_thread(quorate, "outcome", "last", "ACT")
            assert labelled.code == 0, labelled.err

        assert await decision(needed) == "allow"
        assert (await asyncio.to_thread(quorate, "outcome", "last", "REFUSE")).code == 0
        assert await decision(needed + 1) == "ask", "one of them was wrong after all"
