import asyncio
from fractions import Fraction

import pytest

from quorate.errors import PanelistError
from quorate.middleware.budget import Budget
from quorate.middleware.circuit_breaker import Circuit
from quorate.middleware.deadline import Deadline, TimeLimit
from quorate.middleware.provider_limits import BreakerLimits
from quorate.middleware.retry import Retries
from quorate.middleware.stack import ModelCandidate, ProviderLine, QueuedPanelist, SharedLimits, in_turn, wrap_panelist
from quorate.model import Ask, Limits, Prompt, Reply, Seat
from quorate.model.ballot import LOCKED_OUT
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.http.client import MIB, Http
from quorate.panelists.http.openai import Endpoint, OpenAI
from quorate.testing import Faulty, Scripted
from tests import servers

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"), wants="decision", mark="5eed")
QUICK = Retries(base=0.001)


def now() -> float:
    return asyncio.get_running_loop().time()


async def why(panelist: Panelist) -> PanelistError:
    with pytest.raises(PanelistError) as raised:
        await panelist.answer(ASK)
    return raised.value


async def test_an_ask_beyond_its_patience_is_a_timeout_that_may_be_billed() -> None:
    failed = await why(Deadline(Faulty("never"), TimeLimit(seconds=0.02)))

    assert (failed.why, failed.billed) == ("timeout", True)
    assert "0.02 seconds" in failed.detail


async def test_an_ask_in_flight_at_the_deadline_ends_with_it() -> None:
    failed = await why(Deadline(Faulty("never"), TimeLimit(until=now() + 0.02, seconds=60)))

    assert (failed.why, failed.billed) == ("deadline", True)


async def test_after_the_deadline_nobody_is_asked() -> None:
    faulty = Faulty("slow")
    failed = await why(Deadline(faulty, TimeLimit(until=now() - 1)))

    assert (failed.why, failed.billed, faulty.asked) == ("deadline", False, 0)


async def test_without_limits_there_is_none() -> None:
    reply = await Deadline(Faulty("slow"), TimeLimit.of(Limits(), now())).answer(ASK)

    assert reply.text.startswith("Well.")


def test_patience_is_read_from_the_limits() -> None:
    patience = TimeLimit.of(Limits(deadline=Fraction(60), patience=Fraction(5, 2)), 100.0)

    assert patience == TimeLimit(until=160.0, seconds=2.5)
    assert (patience.ends(100.0), patience.ends(159.0)) == (102.5, 160.0)


async def test_a_timeout_of_somebody_else_s_is_left_alone() -> None:
    def late(_: Ask) -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await Deadline(Scripted({"Safety": late}), TimeLimit(seconds=60)).answer(ASK)


async def test_only_so_many_are_under_way_at_once_over_all_deliberations() -> None:
    stepper = asyncio.Semaphore(3)
    async with servers.Endpoint(latency=0.01) as endpoint, Http() as client:
        panelist = OpenAI(Endpoint(url=endpoint.url, model="m"), client)
        await asyncio.gather(*(QueuedPanelist(panelist, stepper).answer(ASK) for _ in range(12)))

    assert len(endpoint.seen) == 12
    assert endpoint.most_at_once == 3


async def test_nobody_holds_a_turn_while_waiting_to_try_again() -> None:
    conditions = SharedLimits(budget=Budget(Limits()), stepper=asyncio.Semaphore(1), retries=Retries(base=60, most=60))
    waiting = asyncio.create_task(wrap_panelist(Faulty("overloaded"), conditions).answer(ASK))
    await asyncio.sleep(0)

    async with asyncio.timeout(0.5):
        await wrap_panelist(Faulty("slow", delay=0), conditions).answer(ASK)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.parametrize("limits", [Limits(), Limits(calls=9)], ids=["plain", "with a budget"])
@pytest.mark.parametrize("reason", sorted(LOCKED_OUT))
async def test_a_seat_without_access_is_not_asked_again(reason: str, limits: Limits) -> None:
    class Refuses:
        asked = 0

        async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
            del ask, overheard
            self.asked += 1
            raise PanelistError(reason, "the provider's sentence")

    refuses = Refuses()
    panelist = wrap_panelist(refuses, SharedLimits(budget=Budget(limits), stepper=asyncio.Semaphore(1)))
    failures = [await why(panelist) for _ in range(3)]

    assert [(failed.why, failed.detail) for failed in failures] == [(reason, "the provider's sentence")] * 3
    assert refuses.asked == 1


async def test_a_breaker_that_opens_between_attempts_is_not_told_as_the_reason() -> None:
    line = ProviderLine(circuit=Circuit(BreakerLimits(failures=1, pause=3600)))
    candidate = ModelCandidate(model="m", panelist=Faulty("overloaded"), line=line)
    conditions = SharedLimits(budget=Budget(Limits()), stepper=asyncio.Semaphore(1), retries=Retries(base=0))

    assert (await why(in_turn((candidate,), conditions))).why == "overloaded"
    closed = await why(in_turn((candidate,), conditions))
    assert closed.why == "breaker"
    assert "not asked" in closed.detail


async def test_waiting_for_a_turn_counts_as_time() -> None:
    stepper = asyncio.Semaphore(0)
    conditions = SharedLimits(budget=Budget(Limits()), stepper=stepper, patience=TimeLimit(seconds=0.02))

    assert (await why(wrap_panelist(Faulty("slow"), conditions))).why == "timeout"


async def test_every_attempt_is_booked_for_itself_and_an_empty_budget_ends_the_attempts() -> None:
    conditions = SharedLimits(budget=Budget(Limits(calls=2)), stepper=asyncio.Semaphore(9), retries=QUICK)
    faulty = Faulty("bad_reply")

    assert (await why(wrap_panelist(faulty, conditions))).why == "budget"
    assert faulty.asked == conditions.budget.spent.calls == 2


@pytest.mark.parametrize("name", [*servers.FAULTS, *servers.STREAM_FAULTS])
async def test_through_all_limits_every_fault_ends_in_time_within_the_attempts_and_the_budget(name: str) -> None:
    act = {**servers.FAULTS, **servers.STREAM_FAULTS}[name]
    listen = (lambda _: None) if name in servers.STREAM_FAULTS else ignore_words
    budget = Budget(Limits(calls=100, tokens=100_000))
    conditions = SharedLimits(
        budget=budget,
        stepper=asyncio.Semaphore(9),
        retries=QUICK,
        patience=TimeLimit.of(Limits(patience=Fraction(1, 5)), 0),
    )
    async with servers.Endpoint(otherwise=act) as endpoint, Http(most=MIB) as client:
        began = now()
        with pytest.raises(PanelistError) as raised:
            await wrap_panelist(OpenAI(Endpoint(url=endpoint.url, model="m"), client), conditions).answer(ASK, listen)

        assert now() - began < 1.2
    # A call cut off on its way is booked, since it may be billed, though the server may never have read it.
    on_the_wire = int(raised.value.why == "timeout")
    assert 1 <= len(endpoint.seen) <= 3
    assert budget.spent.calls <= len(endpoint.seen) + on_the_wire
    assert budget.held.calls == 0
