"""People and recordings on a panel: the record waits for the one and gives the other again."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quorate.engine.person_entries import answer, asked_of
from quorate.engine.runner import Runner
from quorate.errors import BadSetting
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.export import export
from quorate.middleware.budget import Budget, Charge
from quorate.model import Ask, Asked, Convened, Decided, Limits, SeatModel, Silent, Spoken
from quorate.panelists.price import FREE
from quorate.views.document import cost, open_asks, state_of
from tests.play import convened
from tests.tribunal import PANEL

BALLOT = "Decision: WARN\nConfidence: 80\nRisk: 30\nReasoning: nobody tried the way back"


def seated(**models: str) -> Convened:
    sits = tuple(
        SeatModel(seat=seat.name, model=models.get(seat.name, "demo:scripted"), domain=seat.name) for seat in PANEL
    )
    return replace(convened(PANEL), seated=sits)


def kept(path: Path, lines: Sequence[bytes]) -> None:
    path.write_bytes(b"".join(lines))


async def waiting(ledger: Ledger, begin: Convened) -> str:
    async with Runner(ledger) as runner:
        record = await runner.hold(begin)
    assert state_of(record.events) == "waiting"
    return record.id


async def test_a_panel_waits_for_a_person_and_goes_on_when_they_have_answered() -> None:
    ledger = open_ledger(":memory:")
    id_ = await waiting(ledger, seated(Safety="person:ann"))
    record = None
    async with Runner(ledger) as runner:
        for _ in range(4):
            ask = await asked_of(ledger, id_, "safety")
            words = BALLOT if ask.wants == "decision" else "I doubt it, and here is why."
            await answer(ledger, id_, "Safety", words)
            record = await runner.resume(id_)

    assert record is not None
    ended = record.events[-1]
    assert isinstance(ended, Decided)
    assert ended.verdict.outcome == "WARN"
    assert [event.reply.model for event in record.events if isinstance(event, Spoken) and event.seat == "Safety"] == [
        "person:ann"
    ] * 4


async def test_to_wait_again_asks_and_buys_nothing_more() -> None:
    ledger = open_ledger(":memory:")
    id_ = await waiting(ledger, seated(Safety="person"))
    async with Runner(ledger) as runner:
        record = await runner.resume(id_)
        again = await runner.resume(id_)

    assert again.events == record.events
    assert [asked.sending for asked in open_asks(again.events)] == [1]
    assert cost(again.events)["calls"] == 4  # two analyses, two challenges between the scripted two
    people = [event for event in again.events if isinstance(event, Asked) and event.model == "person"]
    assert Budget.restore(Limits(), people, lambda _: FREE).spent == Charge()


async def test_an_answer_that_cannot_be_read_is_refused_and_nothing_is_written() -> None:
    ledger = open_ledger(":memory:")
    id_ = await waiting(ledger, seated(Safety="person"))
    before = await ledger.read(id_)

    with pytest.raises(BadSetting, match="there was no ballot in it"):
        await answer(ledger, id_, "Safety", "I would rather not say.")

    assert await ledger.read(id_) == before


async def test_only_what_waits_can_be_answered() -> None:
    ledger = open_ledger(":memory:")
    id_ = await waiting(ledger, seated(Safety="person"))

    with pytest.raises(BadSetting, match="it waits for Safety"):
        await answer(ledger, id_, "Utility", BALLOT)


async def test_a_person_is_cut_by_the_deadline_of_the_whole_and_by_no_patience() -> None:
    ledger = open_ledger(":memory:")
    begin = replace(seated(Safety="person"), limits=Limits(deadline=Fraction(1, 10**9)))
    async with Runner(ledger) as runner:
        late = await runner.hold(begin)
    patient = await waiting(ledger, replace(seated(Safety="person"), limits=Limits(patience=Fraction(60))))

    silent = [event for event in late.events if isinstance(event, Silent) and event.seat == "Safety"]
    assert [event.why for event in silent] == ["deadline"]
    assert (await asked_of(ledger, patient, "Safety")).round == "analysis"


async def test_whoever_is_at_the_keyboard_is_asked_right_there() -> None:
    async def present(ask: Ask) -> str:
        return BALLOT if ask.wants == "decision" else "I doubt it, and here is why."

    async with Runner(open_ledger(":memory:"), present=present) as runner:
        record = await runner.hold(seated(Safety="person"))

    assert state_of(record.events) == "decided"


@pytest.mark.parametrize("from_file", [False, True])
async def test_a_recording_gives_an_earlier_deliberation_again(tmp_path: Path, *, from_file: bool) -> None:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        first = await runner.hold(seated())
        name = first.id
        if from_file:
            name = str(tmp_path / "record.jsonl")
            kept(Path(name), await export(ledger, first.id))
        again = await runner.hold(replace(seated(**{seat.name: f"recording:{name}" for seat in PANEL}), seed="ab" * 32))

    ballots = [[event.ballot for event in one.events if isinstance(event, Spoken)] for one in (first, again)]
    assert sorted(map(repr, ballots[0])) == sorted(map(repr, ballots[1]))
    assert any(ballots[0])


async def test_what_a_recording_lacks_is_silence() -> None:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        first = await runner.hold(seated())
        begin = replace(
            convened(PANEL, settings=(("final_vote", "asked"),)), seated=seated(Safety=f"recording:{first.id}").seated
        )
        again = await runner.hold(begin)

    silent = [event for event in again.events if isinstance(event, Silent)]
    assert [(event.seat, event.round, event.why) for event in silent] == [("Safety", "vote", "not_recorded")]
