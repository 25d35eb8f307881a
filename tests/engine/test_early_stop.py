"""A count that is stopped while asks are under way leaves a record that holds, however close together things come."""

import asyncio
from random import Random

import pytest

from quorate import chair
from quorate.engine.runner import Runner
from quorate.engine.verify import verify_record
from quorate.ledger import open_ledger
from quorate.model import Ask, Asked, Decided, Event, Reply, Silent, Withdrawn
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.testing import approval
from quorate.views import Record
from tests.chair.test_early_stop import approval_of_five
from tests.play import OPTIONS


class Approves:
    """Approves of the first option as soon as the others let it."""

    def __init__(self, chance: Random | None = None, together: int = 0) -> None:
        self.chance, self.together = chance, together
        self.asked = 0
        self.all_here = asyncio.Event()

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.asked += 1
        if self.asked == 5:
            self.all_here.set()
        if self.chance is not None:
            for _turn in range(self.chance.randrange(6)):
                await asyncio.sleep(0)
        elif self.together:
            await self.all_here.wait()
            if int(ask.seat.name[1:]) >= self.together:
                await asyncio.Event().wait()
        return Reply(text=approval(ask, [OPTIONS[0]]))


async def held(panelist: Approves, concurrency: int) -> Record:
    begin = approval_of_five()
    panelists: dict[str, Panelist] = dict.fromkeys((seat.name for seat in begin.panel), panelist)
    async with Runner(open_ledger(":memory:"), concurrency=concurrency) as runner:
        record = await runner.hold(begin, panelists=panelists, watch=lambda *_: None)
    return Record(id=record.id, events=record.events)  # judged from its entries, not as it was while it was written


def faults(record: Record) -> list[str]:
    """What is wrong with a record that was stopped early."""
    checked = verify_record(record)
    asked = {event.seat for event in record.events if isinstance(event, Asked)}
    gone = [event.seat for event in record.events if isinstance(event, Withdrawn)]
    silent = [event.seat for event in record.events if isinstance(event, Silent)]
    return [
        *([checked.why] if checked.state != "holds" else []),
        *(f"{seat} is withdrawn more than once" for seat in set(gone) if gone.count(seat) > 1),
        *(f"{seat} was never asked, and is said to be silent" for seat in silent if seat not in asked),
    ]


async def test_who_waited_for_a_turn_and_is_not_needed_is_neither_asked_nor_silent() -> None:
    panelist = Approves()
    record = await held(panelist, concurrency=1)

    assert faults(record) == []
    assert panelist.asked == 3


async def test_who_is_not_waited_for_is_withdrawn_once_whatever_comes_at_the_same_moment() -> None:
    record = await held(Approves(together=4), concurrency=5)

    assert faults(record) == []
    assert [event.seat for event in record.events if isinstance(event, Withdrawn)] == ["s4"]


@pytest.mark.parametrize("concurrency", [1, 2, 3, 5])
async def test_a_record_holds_in_whatever_order_the_answers_come(concurrency: int, seed: int) -> None:
    chance = Random(seed)
    records = [await held(Approves(chance), concurrency) for _ in range(6)]

    assert [fault for record in records for fault in faults(record)] == []


def gone(event: type[Silent | Withdrawn], seat: str, why: str = "no_longer_needed") -> Silent | Withdrawn:
    return event(round="1", seat=seat, why=why)


def ended_with(record: Record, event: Event) -> Record:
    """The same record with something more before its end, and the verdict that follows from it."""
    before = [*record.events[:-1], event]
    verdict = chair.verdict_of(chair.replay(before, check=False))
    return Record(id=record.id, events=[*before, Decided(verdict=verdict, version=chair.VERSION)])


async def test_nobody_is_silent_who_was_not_asked() -> None:
    """Not for any reason, not twice, not in place of a ballot, and nobody who has no seat there."""
    waited = await held(Approves(), concurrency=1)
    cut_off = await held(Approves(together=4), concurrency=5)

    assert verify_record(ended_with(waited, gone(Silent, "s3"))).state == "differs"
    assert verify_record(ended_with(cut_off, gone(Withdrawn, "s4"))).state == "differs"
    assert verify_record(ended_with(waited, gone(Silent, "s3", "timeout"))).state == "differs"
    assert verify_record(ended_with(waited, gone(Silent, "s0"))).state == "differs"
    assert verify_record(ended_with(waited, gone(Silent, "nobody"))).state == "differs"
