"""The golden records: one per protocol as the engine writes it, and one of every event; `make golden` rewrites them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from quorate import presets
from quorate.engine.runner import Runner
from quorate.engine.verify import record_of
from quorate.ledger import Ledger, Row, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import open_row
from quorate.model import Ask, Question, Reply
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.settings.convene import convene
from quorate.views import Record
from tests.ledger.contract import written
from tests.ledger.sample import EVENTS
from tests.play import words

GOLDEN = Path(__file__).parent / "golden"
EVERY_EVENT = GOLDEN / "every_event.jsonl"
QUESTIONS = {
    "tribunal": "Should we delete the staging database?",
    "conference": "Which queue should we use?",
    "debate": "Should we move to one repository?",
    "oracle": "Did it rain in Oslo on Monday?",
    "turned_away": "",
}
"""By the name of a golden record; the last is turned away from a tribunal."""


class Says:
    """Answers every ask readably; a seat may be told what to choose."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        self._choices = choices

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Choose ACT unless told otherwise."""
        reply = words(ask, self._choices.get(ask.seat.name, "ACT"))
        overheard(reply.text)
        return reply


def panelists(protocol: str, **choices: str) -> dict[str, Panelist]:
    """Who answers for every seat of a protocol's own panel."""
    says = Says(choices)
    return {seat.name: says for seat in presets.panel(protocol).panel}


async def held(ledger: Ledger, name: str, **choices: str) -> Record:
    """Hold a deliberation to its end."""
    protocol = "tribunal" if name == "turned_away" else name
    charter = presets.panel(protocol)
    models = tuple((seat.name, f"ollama:model-{number}") for number, seat in enumerate(charter.panel))
    async with Runner(ledger) as runner:
        convened = convene(Question(text=QUESTIONS[name]), replace(charter, models=models))
        return await runner.hold(convened, panelists=panelists(protocol, **choices))


def golden(name: str) -> tuple[Record, list[Row]]:
    """A golden record, with its rows."""
    lines = (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()
    records.verify_lines(lines)
    parsed = records.parse(lines)
    rows = list(parsed.rows)
    return record_of(parsed.id, [open_row(row) for row in rows]), rows


async def _rewrite() -> None:
    ledger = open_ledger(":memory:")
    ids = {name: (await held(ledger, name, Safety="WARN")).id for name in QUESTIONS}
    ids[EVERY_EVENT.stem] = await written(ledger, *EVENTS)
    for name, id_ in ids.items():
        (GOLDEN / f"{name}.jsonl").write_bytes(b"".join(await records.export(ledger, id_)))


if __name__ == "__main__":
    asyncio.run(_rewrite())
