"""Holding deliberations: resume, resending, veto at once, many at a time, limits."""

import asyncio
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quorate.engine.runner import Runner
from quorate.errors import LedgerError, NotRecorded, OwnerLost
from quorate.ledger import Entry, new_id, open_ledger
from quorate.ledger.export import forget
from quorate.middleware.budget import Budget
from quorate.model import Ask, Asked, AskKey, Convened, Decided, Limits, Reply, Silent, Spoken, Withdrawn
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.price import FREE
from quorate.testing import Faulty, Scripted
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.result import Result, cost_of
from tests.conference import conference
from tests.play import convened, words
from tests.tribunal import PANEL

SEATS = tuple(seat.name for seat in PANEL)


class Speaks:
    """Answers everything with the same choice, and counts how often it is asked and how many at once."""

    def __init__(self, choice: str = "WARN", took: float = 0.0) -> None:
        self.choice, self.took = choice, took
        self.asked: list[tuple[str, ...]] = []
        self.now = self.most = 0
        self.fifth = asyncio.Event()

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.asked.append((ask.seat.name, ask.round, ask.key.about))
        self.now += 1
        if len(self.asked) == 5:
            self.fifth.set()
        self.most = max(self.most, self.now)
        await asyncio.sleep(self.took)
        self.now -= 1
        return words(ask, self.choice)


class Counts:
    """Answers everything readably, and lets a test wait until so many calls have gone out."""

    def __init__(self) -> None:
        self.keys: list[AskKey] = []
        self.stop = 0
        self.reached = asyncio.Event()

    @property
    def calls(self) -> int:
        return len(self.keys)

    async def until(self, calls: int) -> None:
        """Wait until so many calls have gone out; those after it are not answered."""
        self.stop = calls
        self.reached.clear()
        await self.reached.wait()
        self.stop = 0

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.keys.append(ask.key)
        if self.stop and self.calls >= self.stop:
            self.reached.set()
            await asyncio.Event().wait()
        return words(ask)


async def held(begin: Convened, panelists: dict[str, Panelist]) -> Record:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        return await runner.hold(begin, panelists=panelists)


def everyone(panelist: Panelist) -> dict[str, Panelist]:
    return dict.fromkeys(SEATS, panelist)


async def test_an_attempt_that_may_be_billed_is_on_record_before_the_next_goes_out() -> None:
    flaky = {**everyone(Speaks()), "Utility": Faulty("bad_reply", times=1, then=Speaks())}
    record = await held(convened(PANEL), flaky)
    sent = [event.sending for event in record.events if isinstance(event, Asked) and event.seat == "Utility"]
    budget = Budget.restore(Limits(), record.events, lambda _: FREE)

    assert sent[:2] == [1, 2]
    assert budget.spent.calls == 13


async def test_an_immediate_veto_cancels_what_is_in_flight() -> None:
    slow = Speaks(took=60)
    begin = convened(PANEL, settings=(("veto", "immediate"),))
    record = await held(begin, {**everyone(slow), "Safety": Speaks("VETO")})
    last = record.events[-1]

    assert {event.seat for event in record.events if isinstance(event, Withdrawn)} == {"Utility", "Accuracy"}
    assert isinstance(last, Decided)
    assert (last.verdict.outcome, last.verdict.rule) == ("REFUSE", "veto")


async def test_what_can_be_asked_at_once_is_asked_at_once() -> None:
    panelist = Speaks(took=0.01)
    await held(convened(PANEL), everyone(panelist))

    assert panelist.most == 6
    assert len(panelist.asked) == len(set(panelist.asked)) == 12


async def test_many_deliberations_share_one_bound_on_what_is_in_flight() -> None:
    panelist = Speaks(took=0.002)
    ledger = open_ledger(":memory:")
    async with Runner(ledger, concurrency=5) as runner:
        records = await asyncio.gather(*(runner.hold(convened(PANEL), panelists=everyone(panelist)) for _ in range(10)))

    assert panelist.most == 5
    assert {type(record.events[-1]) for record in records} == {Decided}


async def test_at_the_deadline_open_asks_fall_silent_and_the_rules_decide() -> None:
    begin = replace(convened(PANEL), limits=Limits(deadline=Fraction(1, 20)))
    record = await held(begin, {**everyone(Speaks()), "Safety": Faulty("never")})
    last = record.events[-1]

    assert "deadline" in {event.why for event in record.events if isinstance(event, Silent)}
    assert isinstance(last, Decided)
    assert last.verdict.outcome == "REFUSE"


async def test_out_of_budget_the_rules_decide_on_what_is_there() -> None:
    panelist = Speaks("ACT")
    record = await held(replace(convened(PANEL), limits=Limits(calls=4)), everyone(panelist))

    assert len(panelist.asked) == 4
    assert {event.why for event in record.events if isinstance(event, Silent)} == {"budget"}
    assert isinstance(record.events[-1], Decided)


async def test_a_deliberation_that_was_broken_off_goes_on_and_asks_nobody_twice() -> None:
    ledger, first, second = open_ledger(":memory:"), Speaks(took=0.01), Speaks()
    begun: list[str] = []
    async with Runner(ledger) as runner:
        task = asyncio.create_task(runner.hold(convened(PANEL), panelists=everyone(first), begun=begun.append))
        await first.fifth.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        kept = {entry.event.key for entry in await ledger.read(begun[0]) if isinstance(entry.event, Spoken)}
        record = await runner.resume("last", panelists=everyone(second))

    again = {(round_, seat, about, 1) for seat, round_, about in second.asked}
    assert not again & kept
    assert isinstance(record.events[-1], Decided)


@pytest.mark.parametrize("conference_", [True, False])
async def test_every_call_is_counted_once_however_often_it_was_broken_off(conference_: bool) -> None:
    begin = conference() if conference_ else convened(PANEL)
    ledger, panelist = open_ledger(":memory:"), Counts()
    panelists = dict.fromkeys((seat.name for seat in begin.panel), panelist)
    begun: list[str] = []
    async with Runner(ledger) as runner:
        work = runner.hold(begin, panelists=panelists, begun=begun.append)
        for cut in (2, 5, 8):
            task = asyncio.create_task(work)
            await panelist.until(cut)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            work = runner.resume(begun[0], panelists=panelists)
        record = await work
    cost, needed = cost_of(record.events), 6 if conference_ else 12

    assert cost.calls == panelist.calls
    assert cost.calls - cost.resent == len(set(panelist.keys)) >= needed
    told = dict(rows(Result.of(record)))["cost"][0]
    assert told.startswith(f"{cost.calls} calls ({cost.resent} of them sent again), ")


async def test_nothing_is_watched_before_it_is_durable_and_all_of_it_is() -> None:
    seen: list[Entry] = []
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        record = await runner.hold(
            convened(PANEL), panelists=everyone(Speaks()), watch=lambda entry, _: seen.append(entry)
        )

    assert [entry.event for entry in seen] == record.events


async def test_a_forgotten_deliberation_does_not_go_on() -> None:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        begun = asyncio.Event()
        never = everyone(Faulty("never"))
        task = asyncio.create_task(runner.hold(convened(PANEL), panelists=never, begun=lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await forget(ledger, await ledger.find("last"))
        with pytest.raises(LedgerError, match="seed"):
            await runner.resume("last", panelists=everyone(Speaks()))


async def test_resuming_what_is_not_there_says_so() -> None:
    async with Runner(open_ledger(":memory:")) as runner:
        with pytest.raises(NotRecorded):
            await runner.resume("nothing")


async def test_a_fault_of_our_own_is_not_swallowed() -> None:
    from quorate.errors import ScriptError

    with pytest.raises(ScriptError):
        await held(convened(PANEL), everyone(Scripted({})))


async def test_what_a_process_took_and_never_began_is_held_under_its_id(tmp_path: Path, postgres_ledger: str) -> None:
    """A process that is killed at the wrong moment leaves a name without an entry; whoever knows it goes on."""
    for place in (":memory:", tmp_path / "ledger.db", postgres_ledger):
        ledger, id_ = open_ledger(place), new_id()
        async with ledger.own(id_):
            pass
        async with Runner(ledger) as runner:
            record = await runner.hold(convened(PANEL), id_=id_, left=True, panelists=everyone(Speaks()))
            with pytest.raises(OwnerLost, match="taken over"):
                await runner.hold(convened(PANEL), id_=id_, left=True, panelists=everyone(Speaks()))
        await ledger.close()

        assert record.id == id_
        assert isinstance(record.events[-1], Decided)
