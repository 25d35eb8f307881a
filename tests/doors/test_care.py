"""Every door treats providers as the panel file says: a breaker that opens at once shows that it was read."""

import asyncio
import json
from pathlib import Path

import pytest

from quorate import resume as resume_
from quorate.doors.langgraph import deliberation_graph
from quorate.engine.stepper import Stepper
from quorate.ledger import new_id, open_ledger
from quorate.model import Question, Silent
from quorate.settings.convene import convene
from quorate.settings.panel_file import load_charter
from quorate.settings.provider_settings import BreakerLimits, ProviderLimits
from tests.doors.conftest import Quorate
from tests.middleware.test_telemetry import Kept
from tests.servers import Endpoint, failing

QUESTION = "Should we?"


def panel(home: Path, url: str) -> Path:
    """Three seats on one provider, left alone after its first failure."""
    seats = [{"name": name, "model": f"openai:m@{url}"} for name in ("A", "B", "C")]
    path = home / "panel.yaml"
    path.write_text(json.dumps({"seats": seats, "breaker": "1 failures, 1h"}), encoding="utf-8")
    return path


async def begun(home: Path, file: Path) -> str:
    """A record that holds nothing but who was convened."""
    ledger = open_ledger(str(home / "ledger.db"))
    id_ = new_id()
    async with ledger.own(id_) as book:
        book.write(convene(Question(text=QUESTION), load_charter(str(file))))
    await ledger.close()
    return id_


async def reasons(home: Path) -> set[str]:
    """Why seats fell silent, over everything on record."""
    ledger = open_ledger(str(home / "ledger.db"))
    found = {
        event.why
        async for summary in ledger.list()
        for event in (entry.event for entry in await ledger.read(summary.id))
        if isinstance(event, Silent)
    }
    await ledger.close()
    return found


async def test_resume_takes_the_breaker_of_a_panel_file(home: Path, quorate: Quorate) -> None:
    async with Endpoint(otherwise=failing(503)) as down:
        file = panel(home, down.url)
        id_ = await begun(home, file)
        told = await asyncio.to_thread(quorate, "resume", id_, "--panel", str(file), "--trust")

    assert told.code == 3
    assert await reasons(home) <= {"overloaded", "breaker"}
    assert len(down.seen) <= 3, "nine without it"


async def test_resume_in_python_does_the_same(home: Path) -> None:
    async with Endpoint(otherwise=failing(503)) as down:
        file = panel(home, down.url)
        await resume_(await begun(home, file), panel=file, trust=True)

    assert await reasons(home) <= {"overloaded", "breaker"}
    assert len(down.seen) <= 3


async def test_a_graph_does_the_same(home: Path) -> None:
    async with Endpoint(otherwise=failing(503)) as down:
        graph = deliberation_graph(panel=panel(home, down.url), ledger=home / "ledger.db", trust=True)
        await graph.ainvoke({"question": QUESTION})

    assert await reasons(home) <= {"overloaded", "breaker"}
    assert len(down.seen) <= 3


async def test_what_is_asked_in_turns_is_within_the_span_of_its_deliberation(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    monkeypatch.setattr("quorate.engine.runner.watcher", lambda _: kept.watcher)
    async with Endpoint(otherwise=failing(401)) as down:
        convened = convene(Question(text=QUESTION), load_charter(str(panel(home, down.url))))
        async with Stepper(
            open_ledger(":memory:"), provider_limits=ProviderLimits(breaker=BreakerLimits(failures=0))
        ) as stepper:
            id_ = await stepper.begin(convened)
            await stepper.take(id_)

    assert kept.parents == {"chat m": True, "invoke_agent tribunal": False}
    assert {told["gen_ai.conversation.id"] for name, told in kept.spans if name.startswith("invoke")} == {id_}
