"""One panelist that is deadline, retries, breaker and queue at once does what they do one around the other."""

import asyncio
import random
import selectors
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from quorate.errors import PanelistError, PartDeclined
from quorate.middleware.budget import Budget
from quorate.middleware.circuit_breaker import COUNTED, OURS, Circuit
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.provider_limits import BreakerLimits
from quorate.middleware.retry import Retries
from quorate.middleware.stack import DirectPanelist, ModelCandidate, ProviderLine, SharedLimits, in_full, in_turn
from quorate.model import Ask, Limits, Prompt, Reply, Seat
from quorate.panelists import Panelist, WordListener, ignore_words

WHYS = (*sorted(COUNTED), *sorted(OURS), "refusal", "too_long")
Wrap = Callable[[Sequence[ModelCandidate], SharedLimits], Panelist]


class SimulatedLoop(asyncio.SelectorEventLoop):
    """A loop on which nobody waits: when nothing is left to do, it is as late as the next thing wants it to be."""

    def __init__(self) -> None:
        self.now = 100.0
        outer = self

        class Selector(selectors.SelectSelector):
            def select(self, timeout: float | None = None) -> list[Any]:
                assert timeout is not None, "all are waiting, and nothing will come"
                outer.now += max(timeout, 0.0)
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now


@dataclass
class Scene:
    """What happens to every attempt, by ask, and all that anybody can see of it."""

    plans: list[list[tuple[str, float, Exception | None]]]
    conditions: dict[str, Any]
    failures: int
    failed_before: int
    cancelled: dict[int, float]
    seen: list[tuple[object, ...]] = field(default_factory=list)

    @classmethod
    def drawn(cls, chance: random.Random) -> "Scene":
        asks = chance.randint(1, 6)
        return cls(
            plans=[[_planned(chance) for _ in range(12)] for _ in range(asks)],
            conditions={
                "ago": chance.choice([0.0, 10.0]),
                "turns": chance.randint(1, 3),
                "retries": Retries(attempts=chance.randint(1, 4), base=chance.choice([0.0, 0.5]), obey=5.0),
                "until": chance.choice([None, 99.0, 100.0, 101.0, 130.0]),
                "seconds": chance.choice([None, 0.5, 3.0, 60.0]),
                "unwanted": {at for at in range(asks) if chance.random() < 0.1},
            },
            failures=chance.choice([0, 1, 2, 10]),
            failed_before=chance.choice([0, 0, 1, 10]),
            cancelled={at: chance.uniform(0, 4) for at in range(asks) if chance.random() < 0.2},
        )


def _planned(chance: random.Random) -> tuple[str, float, Exception | None]:
    takes = chance.choice([0.0, 0.0, 0.1, 2.0, 1000.0])
    kind = chance.random()
    if kind < 0.35:
        return "answered", takes, None
    if kind < 0.45:
        return "declined", takes, PartDeclined("no temperature")
    if kind < 0.5:
        return "theirs", takes, TimeoutError("somebody else's")
    after = chance.choice([None, 0.0, 1.5, 100.0])
    again, billed = chance.random() < 0.7, chance.random() < 0.5
    return "failed", takes, PanelistError(chance.choice(WHYS), "so it is", again=again, after=after, billed=billed)


@dataclass
class Planned:
    """Does what was drawn for the ask, attempt after attempt."""

    scene: Scene
    attempts: dict[int, int] = field(default_factory=dict)

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        at = int(ask.round)
        number = self.attempts[at] = self.attempts.get(at, -1) + 1
        kind, takes, error = self.scene.plans[at][number]
        self.scene.seen.append((asyncio.get_running_loop().time(), "asked", at, number, kind))
        overheard("words")
        await asyncio.sleep(takes)
        if error is not None:
            raise error
        return Reply(text=f"{at} {number}", model="m")


async def _played(scene: Scene, wrap: Wrap) -> None:
    loop, told = asyncio.get_running_loop(), scene.conditions
    circuit = Circuit(BreakerLimits(failures=scene.failures, pause=2.0)) if scene.failures else None
    for _ in range(scene.failed_before if circuit else 0):
        circuit.failed(loop.time() - told["ago"])  # type: ignore[union-attr]
    stepper = asyncio.Semaphore(told["turns"])

    def sent(ask: Ask) -> None:
        scene.seen.append((loop.time(), "sent", ask.round))
        if int(ask.round) in told["unwanted"]:
            raise PanelistError("no_longer_needed")

    conditions = SharedLimits(
        budget=Budget(Limits()),
        stepper=stepper,
        patience=TimeLimit(until=told["until"], seconds=told["seconds"]),
        retries=told["retries"],
        sent=sent,
    )
    one = ModelCandidate(model="m", panelist=Planned(scene), line=ProviderLine(circuit=circuit))
    panelist = wrap((one,), conditions)
    await asyncio.gather(*(_ended(scene, panelist, at) for at in range(len(scene.plans))))
    known = {name: value for name, value in vars(circuit).items() if name != "_setting"} if circuit else {}
    scene.seen.append((loop.time(), "left", stepper._value, known))  # noqa: SLF001  all that there is to see


async def _ended(scene: Scene, panelist: Panelist, at: int) -> None:
    loop = asyncio.get_running_loop()
    ask = Ask(Seat(name="Safety"), str(at), Prompt("Shall we?"))
    task = asyncio.ensure_future(panelist.answer(ask, lambda words: scene.seen.append((at, words))))
    if at in scene.cancelled:
        loop.call_later(scene.cancelled[at], task.cancel)
    (outcome,) = await asyncio.gather(task, return_exceptions=True)
    end = outcome if isinstance(outcome, Reply) else (type(outcome), str(outcome), vars(outcome))
    scene.seen.append((loop.time(), "ended", at, end))


def _seen(seed: int, wrap: Wrap) -> list[tuple[object, ...]]:
    scene = Scene.drawn(random.Random(seed))
    random.seed(seed)  # the pauses between attempts are drawn from it
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(_played(scene, wrap))
    return scene.seen


@pytest.mark.parametrize("part", range(10))
def test_whatever_happens_it_is_the_same_from_outside(seed: int, part: int) -> None:
    for one in range(seed + 60 * part, seed + 60 * (part + 1)):
        assert _seen(one, in_turn) == _seen(one, in_full), f"seed {one}"


@pytest.mark.parametrize(("limits", "direct"), [(Limits(), True), (Limits(tokens=10**6), False)])
async def test_what_is_limited_goes_through_every_wrapper(limits: Limits, direct: bool) -> None:
    conditions = SharedLimits(budget=Budget(limits), stepper=asyncio.Semaphore(1))
    one = ModelCandidate(model="m", panelist=Planned(Scene([], {}, 0, 0, {})))

    assert isinstance(in_turn((one,), conditions), DirectPanelist) is direct
    assert not isinstance(in_turn((one, one), conditions), DirectPanelist)
