import asyncio
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate.engine.prices import Prices
from quorate.errors import PanelistError, PriceUnknown
from quorate.middleware.budget import Budget, Charge, CostEstimate, MeteredPanelist
from quorate.model import Ask, Asked, AskKey, Event, Limits, Prompt, Reply, Seat, Silent, Spoken, Usage, Withdrawn
from quorate.panelists.price import FREE, Price
from quorate.testing import Faulty, Scripted

PRICE = Price.per_million("1", "10")
PROMPT = "x" * 300
ASK = Ask(Seat(name="Safety"), "analysis", Prompt(PROMPT))
KEY = AskKey("analysis", "Safety", "", 1)
RESERVED = Charge(1, 100 + 1000, Fraction(101, 10_000))


def reply(
    asked: int | None = 90, answered: int | None = 50, money: Fraction | None = None, text: str = "Yes."
) -> Reply:
    return Reply(text=text, usage=Usage(asked=asked, answered=answered, money=money))


def priced(_: str) -> Price:
    return PRICE


async def spent(said: Reply | PanelistError) -> Charge:
    budget = Budget(Limits())
    with suppress(PanelistError):
        await MeteredPanelist(Scripted({"Safety": said}), budget, PRICE, 1000).answer(ASK)
    assert budget.held == Charge()
    return budget.spent


def test_a_call_is_reserved_at_a_third_of_its_bytes_and_its_longest_reply() -> None:
    assert CostEstimate(PROMPT, 1000, PRICE).charge() == RESERVED
    assert CostEstimate("漢字", 0, None).charge() == Charge(1, 2)
    assert CostEstimate("x", 0, None).charge() == Charge(1, 1)


async def test_a_reply_costs_what_it_reports() -> None:
    assert await spent(reply()) == Charge(1, 140, Fraction(59, 100_000))


@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        (reply(asked=None), 100 + 50),
        (reply(answered=None), 90 + 1000),
        (reply(asked=-90, answered=-50), 100 + 1000),
        (reply(asked=0, answered=0), 100),
        (reply(asked=300 // 8, answered=0), 300 // 8),
        (reply(asked=0, answered=0, text="y" * 80_000), 100 + 20_000),
        (reply(answered=10_000, text="y" * 80_000), 90 + 10_000),
        (reply(answered=None, text="y" * 80_000), 90 + 20_000),
        (reply(asked=900, answered=10_000), 10_900),
    ],
)
async def test_a_report_is_never_believed_below_what_can_be_seen(said: Reply, tokens: int) -> None:
    assert (await spent(said)).tokens == tokens


@pytest.mark.parametrize(
    ("money", "counted"),
    [
        (Fraction(1, 3), Fraction(1, 3)),
        (Fraction(-1, 3), Fraction(59, 100_000)),
        (Fraction(0), Fraction(37, 1_000_000)),
    ],
)
async def test_money_is_as_reported_but_never_less_than_can_be_seen(money: Fraction, counted: Fraction) -> None:
    assert (await spent(reply(money=money))).money == counted


@pytest.mark.parametrize(("billed", "left"), [(False, Charge(calls=1)), (True, RESERVED)])
async def test_a_failed_attempt_is_a_call_and_costs_no_more_only_if_that_is_certain(billed: bool, left: Charge) -> None:
    assert await spent(PanelistError("bad_reply", billed=billed)) == left


async def test_what_was_never_sent_costs_nothing() -> None:
    assert await spent(PanelistError("no_longer_needed")) == Charge()


async def test_a_cancelled_call_keeps_its_reservation() -> None:
    budget = Budget(Limits())
    task = asyncio.create_task(MeteredPanelist(Faulty("never"), budget, PRICE, 1000).answer(ASK))
    await asyncio.sleep(0)
    assert (budget.held, budget.spent) == (RESERVED, Charge())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert (budget.held, budget.spent) == (Charge(), RESERVED)
    assert budget.lost == {KEY: RESERVED}


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(calls=2), "2 calls"),
        (Limits(tokens=2200), "2200 tokens"),
        (Limits(money=Fraction(202, 10_000)), "0.0202 dollars"),
    ],
)
def test_nothing_is_granted_beyond_a_limit(limits: Limits, says: str) -> None:
    budget = Budget(limits)
    held = [budget.reserve(KEY, RESERVED), budget.reserve(KEY, RESERVED)]
    with pytest.raises(PanelistError, match=says) as raised:
        budget.reserve(KEY, RESERVED)
    held[0].release()
    budget.reserve(KEY, RESERVED)

    assert (raised.value.why, raised.value.again, raised.value.billed) == ("budget", False, False)


def test_a_reservation_is_closed_once() -> None:
    budget = Budget(Limits())
    held = budget.reserve(KEY, RESERVED)
    held.settle(Charge(1, 5))
    held.release()
    held.keep()

    assert (budget.spent, budget.held, budget.lost) == (Charge(1, 5), Charge(), {})


ASKED = Asked(round="analysis", seat="Safety", prompt=PROMPT, model="m")
AGAIN = Asked(round="analysis", seat="Safety", prompt=PROMPT, model="m", sending=2)
SPOKEN = Spoken(round="analysis", seat="Safety", reply=reply())


def silent(why: str) -> Silent:
    return Silent(round="analysis", seat="Safety", why=why)


@pytest.mark.parametrize(
    ("events", "counted"),
    [
        ([], Charge()),
        ([ASKED], RESERVED),
        ([ASKED, SPOKEN], Charge(1, 140, Fraction(59, 100_000))),
        ([ASKED, AGAIN], RESERVED + RESERVED),
        ([ASKED, AGAIN, SPOKEN], RESERVED + Charge(1, 140, Fraction(59, 100_000))),
        ([ASKED, silent("timeout")], RESERVED),
        ([ASKED, silent("wrong_key")], Charge(calls=1)),
        ([ASKED, silent("budget")], RESERVED),
        ([silent("budget")], Charge()),
        ([ASKED, Withdrawn(round="analysis", seat="Safety", why="no_longer_needed")], RESERVED),
        ([ASKED, SPOKEN, silent("no_ballot")], Charge(1, 140, Fraction(59, 100_000))),
        ([silent("turned off")], Charge()),
    ],
)
def test_a_record_restores_what_was_spent_and_what_was_under_way(events: list[Event], counted: Charge) -> None:
    assert Budget.restore(Limits(), events, priced, 1000).spent == counted


def test_once_it_has_ended_a_call_that_was_not_needed_counts_with_what_was_sent() -> None:
    cancelled = Withdrawn(round="analysis", seat="Safety", why="no_longer_needed")
    spent = Budget.restore(Limits(), [ASKED, cancelled], priced, 1000, ended=True).spent

    assert spent == Charge(1, 100, priced("m").of(100, 0))
    assert Budget.restore(Limits(), [ASKED, silent("timeout")], priced, 1000, ended=True).spent == RESERVED


def test_what_was_under_way_is_restored_with_the_longest_reply_its_model_was_allowed() -> None:
    asked = replace(ASKED, model="openai:m?max_tokens=1000")

    assert Budget.restore(Limits(), [asked], priced, 7).spent == RESERVED


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai:gpt-4o", Price.per_million("2.5", "10")),
        ("openai:gpt-4o@http://127.0.0.1:9000/v1", None),
        ("openai:no-such-model", None),
        ("xai:grok-4", Price.per_million("3", "15")),
        ("ollama:llama3", FREE),
        ("vllm:x@http://gpu.example:8000/v1", FREE),
        ("openrouter:meta-llama/llama-3:free", FREE),
        ("demo:scripted", FREE),
        ("mine:own", None),
        ("openai:ours", PRICE),
        ("openai:ours@http://127.0.0.1:9000/v1", PRICE),
    ],
)
def test_a_price_is_the_user_s_the_published_one_or_unknown(model: str, price: Price | None) -> None:
    pytest.importorskip("genai_prices")

    assert Prices({"openai:ours": PRICE}).of(model) == price


def test_a_money_budget_over_an_unknown_price_names_the_model() -> None:
    prices, unknown = Prices(), "openai:x@http://127.0.0.1:9000/v1"
    with pytest.raises(PriceUnknown, match=unknown):
        prices.require(["ollama:m", unknown], Limits(money=Fraction(1)))

    prices.require([unknown], Limits(money=Fraction(1), unpriced=True))
    prices.require([unknown], Limits(tokens=1000))
