"""Whole records as the engine writes them, one a protocol: `python -m tests.written FOLDER` keeps them in files."""

import asyncio
import sys
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
from tests.play import words

GOLDEN = Path(__file__).parent / "golden"
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


def golden(version: int, name: str) -> tuple[Record, list[Row]]:
    """A record that was kept when the chair had that version."""
    lines = (GOLDEN / f"chair-{version}" / f"{name}.jsonl").read_bytes().splitlines()
    records.verify_lines(lines)
    parsed = records.parse(lines)
    rows = list(parsed.rows)
    return record_of(parsed.id, [open_row(row) for row in rows]), rows


async def _lines(name: str) -> bytes:
    ledger = open_ledger(":memory:")
    record = await held(ledger, name, Safety="WARN")
    return b"".join(await records.export(ledger, record.id))


if __name__ == "__main__":
    for each in QUESTIONS:
        (Path(sys.argv[1]) / f"{each}.jsonl").write_bytes(asyncio.run(_lines(each)))
