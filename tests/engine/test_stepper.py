"""Turns: what is kept between two of them is only what the ledger holds, and nobody else is shut out by it."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from quorate.engine.due_steps import DueStep, due_steps
from quorate.engine.stepper import Stepper
from quorate.engine.verify import verify_record
from quorate.errors import LedgerError, OwnerLost, PanelistWaits
from quorate.ledger import Ledger, open_ledger
from quorate.model import Ask, Question, Reply, Spoken
from quorate.panelists import WordListener, ignore_words
from quorate.settings.convene import convene
from quorate.settings.program_options import answered_by
from tests.doors.graphs import QUESTION, Answers, charter

PANEL = charter("tribunal")
CONVENED = convene(Question(text=QUESTION), answered_by(PANEL, Answers().by_seat(PANEL.panel)))


@pytest.fixture
async def ledgers(tmp_path: Path) -> AsyncGenerator[tuple[Ledger, Ledger]]:
    """One file, opened twice as by two processes."""
    first, second = open_ledger(tmp_path / "ledger.db"), open_ledger(tmp_path / "ledger.db")
    yield first, second
    await first.close()
    await second.close()


class Blocked(Answers):
    """Some seats answer once they are let, and the others at once."""

    def __init__(self, *seats: str) -> None:
        super().__init__()
        self.seats = seats
        self.begun, self.let = asyncio.Event(), asyncio.Event()

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        if ask.seat.name in self.seats:
            self.begun.set()
            await self.let.wait()
        return await super().answer(ask, overheard)


class Absent(Blocked):
    """And one is a person who answers later."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        if ask.seat.name == "Utility":
            raise PanelistWaits("asked")
        return await super().answer(ask, overheard)


def turns(ledger: Ledger, answers: Answers) -> Stepper:
    return Stepper(ledger, panelists=answers.by_seat(PANEL.panel))


async def begun_with(stepper: Stepper, seat: str) -> str:
    """A deliberation of which one seat has done all that was due for it at first."""
    id_ = await stepper.begin(CONVENED)
    await stepper.take(id_, await due_for(stepper, id_, seat))
    return id_


async def due_for(stepper: Stepper, id_: str, seat: str) -> list[DueStep]:
    return [place for place in due_steps((await stepper.look(id_)).state) if place.seat == seat]


async def test_what_another_process_adds_between_two_turns_is_seen_and_bought_once(
    ledgers: tuple[Ledger, Ledger],
) -> None:
    answers = Answers()
    async with turns(ledgers[0], answers) as ours, turns(ledgers[1], answers) as theirs:
        id_ = await begun_with(ours, "Utility")
        await theirs.take(id_, await due_for(theirs, id_, "Safety"))
        record = await ours.take(id_)

    assert len(answers.asked) == len(set(answers.asked)) == 12
    assert {event.key for event in record.events if isinstance(event, Spoken)} == set(answers.asked)
    assert verify_record(record).holds


async def test_while_one_is_at_a_record_no_other_writes_and_afterwards_it_may(ledgers: tuple[Ledger, Ledger]) -> None:
    answers = Blocked("Utility")
    async with turns(ledgers[0], answers) as ours, turns(ledgers[1], answers) as theirs:
        id_ = await ours.begin(CONVENED)
        turn = asyncio.create_task(ours.take(id_, await due_for(ours, id_, "Utility")))
        await answers.begun.wait()
        with pytest.raises(OwnerLost, match="in use by process"):
            await theirs.take(id_)
        answers.let.set()
        await turn
        assert await ledgers[1].owner(id_) is None

        record = await theirs.take(id_)

    assert len(answers.asked) == len(set(answers.asked)) == 12
    assert verify_record(record).holds


async def test_whoever_leaves_first_is_told_when_its_words_are_durable_and_not_when_all_are_done(
    ledgers: tuple[Ledger, Ledger],
) -> None:
    answers = Blocked("Safety")
    async with turns(ledgers[0], answers) as ours:
        id_ = await ours.begin(CONVENED)
        slow = asyncio.create_task(ours.take(id_, await due_for(ours, id_, "Safety")))
        await answers.begun.wait()
        await ours.take(id_, await due_for(ours, id_, "Utility"))

        events = [entry.event for entry in await ledgers[1].read(id_)]
        assert [event.seat for event in events if isinstance(event, Spoken)] == ["Utility"]
        assert not slow.done()
        answers.let.set()
        await slow


async def test_whoever_waits_for_a_person_alone_does_not_wait_for_the_others(ledgers: tuple[Ledger, Ledger]) -> None:
    answers = Absent("Safety")
    async with turns(ledgers[0], answers) as ours:
        id_ = await ours.begin(CONVENED)
        slow = asyncio.create_task(ours.take(id_, await due_for(ours, id_, "Safety")))
        await answers.begun.wait()

        record = await ours.take(id_, await due_for(ours, id_, "Utility"))

        assert not [event for event in record.events if isinstance(event, Spoken)]
        assert not slow.done()
        answers.let.set()
        await slow


async def test_what_was_forgotten_between_two_turns_is_not_gone_on_with_from_memory(
    ledgers: tuple[Ledger, Ledger],
) -> None:
    answers = Answers()
    async with turns(ledgers[0], answers) as ours:
        id_ = await begun_with(ours, "Utility")
        bought = len(answers.asked)
        await ledgers[1].forget(id_)

        with pytest.raises(LedgerError, match=id_):
            await ours.take(id_)
    assert len(answers.asked) == bought


async def test_while_somebody_looks_at_what_rests_another_turn_goes_by_the_ledger(
    ledgers: tuple[Ledger, Ledger],
) -> None:
    answers = Answers()
    async with turns(ledgers[0], answers) as ours:
        id_ = await begun_with(ours, "Utility")
        with ours.at_rest(id_) as seen, ours.at_rest(id_) as again:
            assert seen is not None
            assert again is None
            before = len(seen.events)
            await ours.take(id_, await due_for(ours, id_, "Safety"))
            assert len(seen.events) == before
        record = await ours.take(id_)

    assert len(answers.asked) == len(set(answers.asked)) == 12
    assert verify_record(record).holds
