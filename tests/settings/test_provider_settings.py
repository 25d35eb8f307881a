"""Breaker and pace: what reaches a provider when it fails, or when it allows only so much a minute."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from quorate.engine.runner import Runner
from quorate.errors import BadSetting, PanelistError
from quorate.ledger import open_ledger
from quorate.middleware.circuit_breaker import Breaker, Circuit
from quorate.middleware.fallback import Fallback
from quorate.middleware.rate_limit import RateLimitedPanelist, RateWindow
from quorate.model import Ask, Decided, Prompt, Question, Reply, Seat, Silent, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.settings import provider_settings as provider_limits
from quorate.settings.convene import convene
from quorate.settings.provider_settings import BreakerLimits, ProviderLimits, Rate
from quorate.testing import Faulty
from tests import servers
from tests.middleware.test_fallback import ballots, seated

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"), wants="decision", mark="5eed")


class Notes:
    """Answers at once, of so many tokens, and notes when it was asked."""

    def __init__(self, tokens: int = 10) -> None:
        self.at: list[float] = []
        self.tokens = tokens

    async def answer(self, _: Ask, __: WordListener = ignore_words) -> Reply:
        self.at.append(asyncio.get_running_loop().time())
        return Reply(text="Well.", usage=Usage(asked=self.tokens, answered=0))


class Jumping(asyncio.SelectorEventLoop):
    """A loop on which nobody waits: when all sleep, its clock jumps to whoever wakes first."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def _run_once(self) -> None:
        scheduled, ready = self._scheduled, self._ready  # type: ignore[attr-defined]
        if scheduled and not ready:
            self.ahead += max(scheduled[0].when() - self.time(), 0.0)
        super()._run_once()  # type: ignore[misc]


def jumping(work: Callable[[], Awaitable[None]]) -> None:
    with asyncio.Runner(loop_factory=Jumping) as runner:
        runner.run(work())  # type: ignore[arg-type]


async def why(panelist: Breaker | Fallback) -> str:
    try:
        await panelist.answer(ASK)
    except PanelistError as failed:
        return failed.why
    return "answered"


def test_an_open_breaker_lets_nothing_through_but_one_probe_after_its_pause() -> None:
    async def work() -> None:
        faulty = Faulty("overloaded", times=4)
        breaker = Breaker(faulty, Circuit(BreakerLimits(failures=3, pause=10)))
        first = [await why(breaker) for _ in range(6)]
        await asyncio.sleep(10)
        second = [await why(breaker) for _ in range(3)]
        await asyncio.sleep(10)
        third = [await why(breaker) for _ in range(2)]

        assert first == ["overloaded"] * 3 + ["breaker"] * 3
        assert second == ["overloaded", "breaker", "breaker"]
        assert third == ["answered", "answered"]
        assert faulty.asked == 6

    jumping(work)


def test_of_many_that_wait_for_the_pause_only_one_is_the_probe() -> None:
    async def work() -> None:
        faulty = Faulty("overloaded", times=1)
        breaker = Breaker(faulty, Circuit(BreakerLimits(failures=1, pause=10)))
        await why(breaker)
        await asyncio.sleep(10)
        slow = Breaker(Faulty("slow", delay=1), breaker._circuit)  # noqa: SLF001 - the same provider and key
        said = await asyncio.gather(*(why(slow) for _ in range(5)))

        assert sorted(said) == ["answered"] + ["breaker"] * 4

    jumping(work)


async def test_a_cancelled_probe_leaves_its_place_to_another() -> None:
    circuit = Circuit(BreakerLimits(failures=1, pause=0))
    await why(Breaker(Faulty("overloaded"), circuit))
    task = asyncio.create_task(Breaker(Faulty("never"), circuit).answer(ASK))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert await why(Breaker(Faulty("slow", delay=0), circuit)) == "answered"


@pytest.mark.parametrize("kind", ["no_such_model", "too_long", "bad_request"])
async def test_what_is_wrong_with_a_request_says_that_the_provider_is_there(kind: str) -> None:
    circuit = Circuit(BreakerLimits(failures=2, pause=10))
    for fault in ("overloaded", kind, "overloaded"):
        await why(Breaker(Faulty(fault), circuit))

    assert await why(Breaker(Faulty("slow", delay=0), circuit)) == "answered"


async def test_a_breaker_that_is_open_costs_a_fallback_no_attempt() -> None:
    circuit = Circuit(BreakerLimits(failures=1, pause=60))
    await why(Breaker(Faulty("overloaded"), circuit))
    down, fine = Faulty("overloaded"), Faulty("slow", delay=0)

    assert await why(Fallback([("a", Breaker(down, circuit)), ("b", fine)], 1)) == "answered"
    assert (down.asked, fine.asked) == (0, 1)


@pytest.mark.parametrize("rate", [Rate(requests=5), Rate(tokens=5 * 4200), Rate(requests=5, tokens=10**9)])
def test_within_any_minute_no_more_goes_out_than_the_pace_allows(rate: Rate) -> None:
    async def work() -> None:
        notes = Notes(tokens=4200)
        rated = RateLimitedPanelist(notes, RateWindow(rate))
        await asyncio.gather(*(rated.answer(ASK) for _ in range(17)))

        assert all(later - first >= 59.9 for first, later in zip(notes.at, notes.at[5:], strict=False))
        assert notes.at[-1] - notes.at[0] < 3 * 60 + 1

    jumping(work)


def test_what_a_reply_took_replaces_what_it_might_have_taken() -> None:
    async def work() -> None:
        notes = Notes(tokens=10)
        rated = RateLimitedPanelist(notes, RateWindow(Rate(tokens=4200)))
        for _ in range(9):
            await rated.answer(ASK)

        assert notes.at[-1] - notes.at[0] < 1

    jumping(work)


def test_an_ask_larger_than_the_pace_goes_when_nothing_else_did() -> None:
    async def work() -> None:
        notes = Notes()
        await asyncio.gather(*(RateLimitedPanelist(notes, RateWindow(Rate(tokens=5))).answer(ASK) for _ in range(2)))

        assert len(notes.at) == 2

    jumping(work)


async def test_a_runner_sends_nothing_to_a_provider_that_its_breaker_holds_open() -> None:
    async with servers.Endpoint(otherwise=servers.failing(503)) as down:
        ledger = open_ledger(":memory:")
        convened = convene(Question(text="Shall we?"), seated(*(f"openai:m@{down.url}" for _ in range(3))))
        once = ProviderLimits(breaker=BreakerLimits(failures=4, pause=3600))
        async with Runner(ledger, provider_limits=once) as runner:
            record = await runner.hold(convened)
            again = await runner.hold(convened)
    reasons = {event.why for event in again.events if isinstance(event, Silent)}

    assert len(down.seen) <= 6
    assert reasons == {"breaker"}
    assert isinstance(record.events[-1], Decided)


async def test_two_keys_have_two_breakers() -> None:
    async with (
        servers.Endpoint(otherwise=servers.failing(503)) as down,
        servers.Endpoint(otherwise=ballots()) as fine,
    ):
        models = (f"openai:m@{down.url}", f"openai:n@{fine.url}", f"openai:n@{fine.url}")
        provider_limits = ProviderLimits(breaker=BreakerLimits(failures=1, pause=3600))
        async with Runner(open_ledger(":memory:"), provider_limits=provider_limits) as runner:
            record = await runner.hold(convene(Question(text="Shall we?"), seated(*models)))

    gone = {(event.seat, event.why) for event in record.events if isinstance(event, Silent)}
    assert gone == {("Utility", "overloaded")}
    assert len(down.seen) == 1


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        (provider_limits.rate, "60 requests, 90k tokens", Rate(requests=60, tokens=90_000)),
        (provider_limits.rate, "90k tokens", Rate(tokens=90_000)),
        (provider_limits.rate, "off", Rate()),
        (provider_limits.breaker, "5 failures, 1m", BreakerLimits(failures=5, pause=60)),
        (provider_limits.breaker, "off", BreakerLimits(failures=0)),
        (provider_limits.cache, " memory ", "memory"),
    ],
)
def test_care_is_read_as_people_write_it(reader: Callable[[str], object], text: str, value: object) -> None:
    assert reader(text) == value


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (provider_limits.rate, "60"),
        (provider_limits.rate, "1 requests, 2 requests"),
        (provider_limits.breaker, "5 failures"),
        (provider_limits.breaker, "x failures, 3s"),
        (provider_limits.cache, ""),
    ],
)
def test_what_is_no_care_is_refused(reader: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadSetting):
        reader(text)
