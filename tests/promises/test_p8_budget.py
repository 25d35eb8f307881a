"""P8: it never spends more than you allowed. Random histories of one budget, its provider's own books beside it."""

import asyncio
import os
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from quorate.errors import PanelistError
from quorate.middleware.budget import Budget, Charge, CostEstimate, Reservation
from quorate.middleware.retry import Retries
from quorate.middleware.stack import SharedLimits, wrap_panelist
from quorate.model import Ask, Asked, AskKey, Event, Limits, Prompt, Reply, Seat, Silent, Spoken, Usage, Withdrawn
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI, SamplingOptions
from quorate.panelists.price import Price
from tests import servers

pytestmark = pytest.mark.promise

HISTORIES = 50_000
TURNS = ("send",) * 5 + ("land",) * 3 + ("fail", "cancel", "crash")
MOST = 60
PRICE = Price.per_million("1000", "2000")


@dataclass
class History:
    """One deliberation: asks go out, come back, fail, are cancelled, crash; the provider lies about what it used."""

    chance: random.Random
    limits: Limits
    budget: Budget
    events: list[Event] = field(default_factory=list)
    flying: dict[AskKey, tuple[CostEstimate, Reservation]] = field(default_factory=dict)
    seen: int = 0
    """Tokens that anybody can count, in prompts sent and replies received."""
    overrun: Charge = field(default_factory=Charge)
    """What reports claimed beyond their reservations: told, never granted."""
    stepper: Counter[str] = field(default_factory=Counter)
    price: Price | None = PRICE
    sendings: dict[AskKey, int] = field(default_factory=dict)
    left: list[tuple[AskKey | None, int, str]] = field(default_factory=list)
    """What a crash left unanswered, and the number of its next sending."""

    def send(self) -> None:
        """Put a new ask, or once more one that a crash left unanswered."""
        key, sending, prompt = self.left.pop() if self.left else (None, 1, "x" * self.chance.randrange(1, 400))
        key = key or AskKey("analysis", f"seat {len(self.events)}", "", 1)
        estimate = CostEstimate(prompt, MOST, self.price)
        with suppress(PanelistError):
            self.flying[key] = (estimate, self.budget.reserve(key, estimate.charge()))
        if key not in self.flying:
            self.stepper["refused"] += 1
            return
        self.sendings[key] = sending
        self.events.append(Asked(round=key.round, seat=key.seat, prompt=prompt, model="m", sending=sending))
        self.stepper["sent again" if sending > 1 else "sent"] += 1

    def land(self, key: AskKey) -> None:
        estimate, reservation = self.flying.pop(key)
        reply = Reply(text="y" * self.chance.randrange(MOST * 4), usage=self.lie(estimate))
        self.seen += len(estimate.prompt) // 8 + len(reply.text) // 8
        actual = estimate.settled(reply)
        reservation.settle(actual)
        self.overrun += Charge(
            0,
            max(0, actual.tokens - reservation.charge.tokens),
            max(Fraction(0), actual.money - reservation.charge.money),
        )
        self.events.append(Spoken(round=key.round, seat=key.seat, reply=reply))

    def lie(self, estimate: CostEstimate) -> Usage:
        """Honest, missing, zero, negative, ten times too much, or money alone."""
        asked, answered = self.chance.randrange(1, estimate.asked + 1), self.chance.randrange(1, MOST + 1)
        return self.chance.choice(
            (
                Usage(asked=asked, answered=answered, money=PRICE.of(asked, answered)),
                Usage(),
                Usage(asked=0, answered=0, money=Fraction(0)),
                Usage(asked=-asked, answered=-answered, money=-PRICE.of(asked, answered)),
                Usage(asked=estimate.asked * 10, answered=MOST * 10),
                Usage(money=PRICE.of(estimate.asked, MOST) * self.chance.choice((-1, 0, 10))),
            )
        )

    def fail(self, key: AskKey) -> None:
        _, reservation = self.flying.pop(key)
        why, billed = self.chance.choice(
            (("rate_limited", False), ("wrong_key", False), ("timeout", True), ("bad_reply", True))
        )
        reservation.keep() if billed else reservation.refused()
        self.events.append(Silent(round=key.round, seat=key.seat, why=why))

    def cancel(self, key: AskKey) -> None:
        self.flying.pop(key)[1].keep()
        self.events.append(Withdrawn(round=key.round, seat=key.seat, why="no_longer_needed"))

    def crash(self) -> None:
        """All that is in memory is gone; the record is there, and what was in flight counts as spent."""
        known = self.budget.spent + self.budget.held
        self.budget = Budget.restore(self.limits, self.events, lambda _: self.price, MOST)
        assert (self.budget.spent, self.budget.held) == (known, Charge())
        self.left = [(key, self.sendings[key] + 1, estimate.prompt) for key, (estimate, _) in self.flying.items()]
        self.flying.clear()
        self.stepper["crashed"] += 1

    def step(self) -> None:
        turn = self.chance.choice(TURNS)
        if turn == "send":
            self.send()
        elif turn == "crash":
            self.crash()
        elif self.flying:
            key = self.chance.choice(tuple(self.flying))
            {"land": self.land, "fail": self.fail, "cancel": self.cancel}[turn](key)
            self.stepper[turn] += 1

    def check(self) -> None:
        """Spending and reservations stay within the limits but for what a report claimed beyond its reservation."""
        budget = self.budget
        assert not (budget.spent + budget.held - self.overrun).beyond(self.limits)
        assert budget.held == sum((held.charge for _, held in self.flying.values()), Charge())
        assert self.seen <= budget.spent.tokens


def drawn_limits(chance: random.Random) -> Limits:
    return Limits(
        calls=chance.choice((None, None, 1, 3, 6)),
        tokens=chance.choice((None, 200, 600, 1500)),
        money=chance.choice((None, None, Fraction(1, 5), Fraction(1))),
    )


def test_no_history_spends_more_than_allowed(seed: int) -> None:
    seed = int(os.environ.get("QUORATE_SEED", seed))
    print(f"QUORATE_SEED={seed}")  # noqa: T201
    chance = random.Random(seed)
    stepper: Counter[str] = Counter()
    for _ in range(HISTORIES):
        limits = drawn_limits(chance)
        history = History(chance, limits, Budget(limits), stepper=stepper, price=PRICE if limits.money else None)
        for _ in range(chance.randrange(3, 9)):
            history.step()
            history.check()
    assert all(
        stepper[turn] > HISTORIES // 50
        for turn in ("sent", "sent again", "refused", "land", "fail", "cancel", "crashed")
    ), stepper


def test_a_budget_that_believed_every_report_would_be_caught(seed: int) -> None:
    """The control: with the floor under reports taken away, the same histories must show a violation."""

    class Gullible(CostEstimate):
        def settled(self, reply: Reply) -> Charge:
            usage = reply.usage
            return Charge(1, (usage.asked or 0) + (usage.answered or 0), usage.money or Fraction(0))

    class Trusting(History):
        def land(self, key: AskKey) -> None:
            estimate, reservation = self.flying[key]
            self.flying[key] = (Gullible(estimate.prompt, estimate.most, estimate.price), reservation)
            super().land(key)

        def crash(self) -> None:
            return

    chance = random.Random(seed)

    def believe() -> None:
        for _ in range(1000):
            history = Trusting(chance, Limits(tokens=600), Budget(Limits(tokens=600)))
            for _ in range(12):
                history.step()
                history.check()

    with pytest.raises(AssertionError):
        believe()


async def test_a_storm_at_a_real_server_stays_within_calls_and_attempts(seed: int) -> None:
    chance = random.Random(seed)
    acts = [servers.said("Yes."), servers.said("Yes.", usage=None), servers.failing(429), servers.failing(500)]
    acts += [servers.sends(b"", "reset"), servers.sends(servers.http(servers.WHOLE)[:-9])]
    acts += [servers.said("No.", usage={"prompt_tokens": -3, "completion_tokens": 10**9})]
    async with servers.Endpoint([chance.choice(acts) for _ in range(600)]) as endpoint, Http() as client:
        panelist = OpenAI(Endpoint(url=endpoint.url, model="m"), client, SamplingOptions(most=MOST))
        stepper = asyncio.Semaphore(16)
        caps = [chance.randrange(1, 8) for _ in range(40)]
        attempts = await asyncio.gather(*(deliberated(panelist, stepper, calls) for calls in caps))

        assert 100 < len(endpoint.seen) <= sum(attempts) <= sum(caps)


async def deliberated(panelist: OpenAI, stepper: asyncio.Semaphore, calls: int) -> int:
    """Six asks under a small budget of calls: each attempt is counted, whatever came of it, and none is beyond."""
    counted = Counted(panelist)
    conditions = SharedLimits(budget=Budget(Limits(calls=calls)), stepper=stepper, retries=Retries(base=0.001))
    asks = [Ask(Seat(name=f"seat {number}"), "analysis", Prompt("Shall we?")) for number in range(6)]
    await asyncio.gather(*(wrap_panelist(counted, conditions).answer(ask) for ask in asks), return_exceptions=True)

    assert conditions.budget.held == Charge()
    assert conditions.budget.spent.calls == counted.attempts.total() <= calls
    assert max(counted.attempts.values(), default=0) <= 3
    return counted.attempts.total()


@dataclass
class Counted:
    """Keeps the provider's books: every attempt."""

    panelist: OpenAI
    attempts: Counter[str] = field(default_factory=Counter)

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        self.attempts[ask.seat.name] += 1
        return await self.panelist.answer(ask, overheard)
