"""A ledger that version 0.1.0 wrote: everything in it opens, verifies and goes on."""

import gzip
import json
from pathlib import Path

import pytest

from quorate.engine.person_entries import answer, asked_of
from quorate.engine.runner import Runner
from quorate.engine.verify import record_of, verify_record
from quorate.ledger import Ledger, open_ledger
from quorate.model import Ask, Asked, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.views.document import state_of
from tests.play import words

BEFORE = Path(__file__).parents[1] / "golden" / "version-0.1.0"
IDS: dict[str, str] = json.loads((BEFORE / "ids.json").read_text(encoding="utf-8"))
DECIDED = ("tribunal", "conference", "debate", "oracle")
HALF_WAY = tuple(f"{name} half-way" for name in DECIDED)
BALLOT = "Decision: WARN\nConfidence: 80\nRisk: 30\nReasoning: nobody tried the way back"


class Says:
    """Answers whatever is asked, and keeps what that was."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer readably."""
        self.asked.append(ask)
        reply = words(ask)
        overheard(reply.text)
        return reply


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    path = tmp_path / "ledger.db"
    path.write_bytes(gzip.decompress((BEFORE / "ledger.db.gz").read_bytes()))
    return open_ledger(path)


@pytest.mark.parametrize("name", IDS)
async def test_a_record_of_before_opens_and_verifies(ledger: Ledger, name: str) -> None:
    record = record_of(IDS[name], await ledger.read(IDS[name]))
    await ledger.close()

    checked = verify_record(record)

    assert checked.same, checked.why
    assert checked.state == ("holds" if name in (*DECIDED, "turned away") else "unfinished")


@pytest.mark.parametrize("name", HALF_WAY)
async def test_a_record_that_was_killed_half_way_goes_on_and_asks_nobody_again(ledger: Ledger, name: str) -> None:
    before = [entry.event for entry in await ledger.read(IDS[name])]
    answered = {event.key for event in before if not isinstance(event, Asked) and hasattr(event, "key")}
    says = Says()
    async with Runner(ledger) as runner:
        seats = {seat.name: says for seat in before[0].panel}  # type: ignore[union-attr]
        record = await runner.resume(IDS[name], panelists=seats)
    await ledger.close()

    assert state_of(record.events) == "decided"
    assert record.events[: len(before)] == before
    assert answered.isdisjoint(ask.key for ask in says.asked)
    assert verify_record(record).state == "holds"


async def test_a_record_that_waits_for_a_person_goes_on(ledger: Ledger) -> None:
    id_, says = IDS["tribunal waiting"], Says()
    async with Runner(ledger) as runner:
        seats = dict.fromkeys(("Utility", "Accuracy"), says)
        for _ in range(6):
            record = record_of(id_, await ledger.read(id_))
            if state_of(record.events) == "decided":
                break
            asked = await asked_of(ledger, id_, "Safety")
            await answer(ledger, id_, "Safety", BALLOT if asked.wants == "decision" else "Show me the way back.")
            await runner.resume(id_, panelists=seats)
    record = record_of(id_, await ledger.read(id_))
    await ledger.close()

    assert state_of(record.events) == "decided"
    assert verify_record(record).state == "holds"
