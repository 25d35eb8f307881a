"""P8, as the provider counts: requests and tokens of whole deliberations, whatever an endpoint does to provoke more."""

import asyncio
import os
import random
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

import pytest

from quorate.engine.runner import Runner
from quorate.errors import PanelistError
from quorate.ledger import open_ledger
from quorate.middleware.budget import Budget, Charge, CostEstimate
from quorate.middleware.retry import Retries
from quorate.middleware.stack import SharedLimits, wrap_panelist
from quorate.model import Ask, Convened, Decided, Failed, Limits, Prompt, Seat
from quorate.panelists.http.client import Http
from quorate.panelists.http.openai import Endpoint, OpenAI, SamplingOptions
from quorate.panelists.price import Price
from tests import servers
from tests.oracle import panel_of
from tests.play import convened
from tests.servers import STREAM_HEAD, chunk, event, failing, http, said, sends

pytestmark = pytest.mark.promise

DECLINED = ("json_schema", "json_object", "max_tokens", "max_completion_tokens", "stream")
TROUBLES: dict[str, list[servers.Act]] = {
    "500": [failing(500)],
    "429": [failing(429, "slow down", "Retry-After: 0")],
    "504": [failing(504)],
    "resets": [sends(b"", "reset")],
    "timeouts": [sends(b"", "hang")],
    "half replies": [sends(http(servers.WHOLE)[:-9])],
    "declines": [failing(400, f"'{name}' is not supported") for name in DECLINED],
    "no ballots": [said("I should think so.")],
    "finish reasons": [said("", choices=[{"message": {"content": "ACT"}, "finish_reason": "error"}])],
}
CAPS = (1, 3, 7, 12)


def put(endpoint: servers.Endpoint, limits: Limits, spare: str = "spare") -> Convened:
    """A tribunal at this endpoint, each seat with a model in reserve."""
    begin = convened(panel_of(3))
    model, other = (f"vllm:{name}@{endpoint.url}" for name in ("m", spare))
    seated = tuple(replace(sat, model=model, fallbacks=(other,)) for sat in begin.seated)
    return replace(begin, seated=seated, limits=limits)


async def requests(acts: list[servers.Act], cap: int, chance: random.Random) -> tuple[int, str | None]:
    """How many requests a tribunal of so many calls makes at an endpoint in trouble, and what came of it."""
    script: list[str | servers.Act] = [chance.choice(acts) for _ in range(200)]
    async with servers.Endpoint(script) as endpoint:
        limits = Limits(calls=cap, patience=Fraction(3), deadline=Fraction(20))
        async with Runner(open_ledger(":memory:")) as runner:
            last = (await runner.hold(put(endpoint, limits))).events[-1]
        assert isinstance(last, Decided | Failed)
        return len(endpoint.seen), last.verdict.outcome if isinstance(last, Decided) else None


@pytest.mark.parametrize("name", [*TROUBLES, "all of them"])
async def test_no_trouble_of_an_endpoint_makes_more_requests_than_calls_were_allowed(name: str, seed: int) -> None:
    chance = random.Random(int(os.environ.get("QUORATE_SEED", seed)))
    acts = TROUBLES[name] if name in TROUBLES else [act for acts in TROUBLES.values() for act in acts]
    found = await asyncio.gather(*(requests(acts, cap, random.Random(chance.random())) for cap in CAPS))

    assert [count for (count, _), cap in zip(found, CAPS, strict=True) if count > cap] == []
    assert {outcome for _, outcome in found} <= {"REFUSE", None}
    assert found[0][0] == 1


@dataclass
class Runaway:
    """A model that ignores every cap: it writes for ever when streamed, and far too much at once; counts it all."""

    usage: bool
    asked: int = 0
    written: int = 0
    words: str = "and on and on it goes "
    whole: int = field(default=2000)

    async def act(self, writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
        self.asked += len(seen.body["messages"][0]["content"]) // 4
        if not seen.body.get("stream"):
            self.written += len(self.words) * self.whole // 4
            return await said(self.words * self.whole, usage=self.report())(writer, seen)
        writer.write(STREAM_HEAD)
        with suppress(ConnectionError):
            while not writer.transport.is_closing():
                piece = {"choices": [{"delta": {"content": self.words}}]}
                writer.write(chunk(event(piece | ({"usage": self.report()} if self.usage else {}))))
                self.written += len(self.words) // 4
                await asyncio.sleep(0.0001)
        return False

    def report(self) -> dict[str, int] | None:
        """That it has hardly done anything."""
        return {"prompt_tokens": 0, "completion_tokens": 1} if self.usage else None


@pytest.mark.parametrize("usage", [True, False], ids=["belittled", "unreported"])
@pytest.mark.parametrize("most", [60, 500, 2000])
@pytest.mark.parametrize("kind", ["tokens", "money"])
async def test_a_model_that_ignores_its_cap_is_cut_off_within_what_was_reserved(
    kind: str, most: int, usage: bool
) -> None:
    price, runaway, asked = Price.per_million("1000", "1000"), Runaway(usage), "Shall we? " * 100
    limits = Limits(tokens=9000) if kind == "tokens" else Limits(money=Fraction(9))
    conditions = SharedLimits(budget=Budget(limits), stepper=asyncio.Semaphore(9), retries=Retries(base=0.001))
    at_once = asyncio.Semaphore(3)
    async with servers.Endpoint(otherwise=runaway.act) as endpoint, Http() as client:
        panelist = OpenAI(Endpoint(url=endpoint.url, model="m"), client, SamplingOptions(most=most), price)

        async def heard(number: int) -> str:
            async with at_once:
                with suppress(PanelistError):
                    ask = Ask(Seat(name=f"s{number}"), "analysis", Prompt(asked))
                    return (await wrap_panelist(panelist, conditions, price=price, most=most).answer(ask)).finish
            return "silent"

        ends = set(await asyncio.gather(*map(heard, range(60))))

    assert ends == {"length", "silent"}
    assert runaway.asked + runaway.written <= 9000 + 3 * CostEstimate(asked, most, None).charge().tokens
    assert conditions.budget.held == Charge()


async def test_a_tribunal_of_runaway_models_stays_within_its_tokens_and_approves_of_nothing() -> None:
    runaway = Runaway(usage=False)
    async with servers.Endpoint(otherwise=runaway.act) as endpoint, Runner(open_ledger(":memory:")) as runner:
        record = await runner.hold(put(endpoint, Limits(tokens=9000), "m"))

    last = record.events[-1]
    assert isinstance(last, Decided)
    assert last.verdict.outcome == "REFUSE"
    assert runaway.asked + runaway.written <= 9000 + 2 * 4500
    assert all(seen.body.get("stream") for seen in endpoint.seen)
