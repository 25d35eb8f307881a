"""Deliberations in a storm: every reply may come late, broken or not at all, over real connections."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

from quorate import presets
from quorate.engine.runner import Runner
from quorate.errors import QuorateError
from quorate.ledger import open_ledger
from quorate.model import Decided, Failed, Limits, Silent, TurnedAway
from quorate.panelists import Panelist
from quorate.panelists.http.client import MIB, Http
from tests.panelists.faults import Fault, faults
from tests.panelists.formats import FORMATS, Format
from tests.play import convened, has_setting
from tests.servers import Act, Endpoint, Seen

PROTOCOLS: Final = ("tribunal", "conference", "debate")
GRACE: Final = 1.0
FORMS: Final = tuple(FORMATS)
MARK: Final = re.compile(r'\\"mark\\": \\"([0-9a-f]{12})')
"""The mark of a seat, as it stands in the JSON of a request."""

SAYS: Final[Mapping[str, Mapping[str, object]]] = {
    "claims": {"line": "ARGUMENT", "claims": ["It saves an hour."], "evidence": [], "confidence": 0.8},
    "leaning": {"line": "ASSESSMENT", "agreed": [], "open": [], "leaning": "for", "confidence": 0.5},
    "option": {"line": "VOTE:", "option": "Keep it", "confidence": 0.7, "rationale": "so", "continue_debate": True},
    "decision": {"line": "BALLOT", "decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "so"},
}
"""What a healthy model answers, by a field that the prompt asks it for."""


@cache
def faults_of(form: str) -> Mapping[str, Fault]:
    """Made once: some are megabytes."""
    return faults(FORMATS[form])


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """One storm: who deliberates, how much time there is, and how often something goes wrong."""

    protocol: str
    form: str
    deadline: float
    patience: float
    share: float
    listens: bool
    slowest: float
    seed: int

    @classmethod
    def drawn(cls, chance: random.Random, deadlines: tuple[float, float]) -> "Weather":
        deadline = chance.uniform(*deadlines)
        return cls(
            protocol=chance.choice(PROTOCOLS),
            form=chance.choice(FORMS),
            deadline=round(deadline, 3),
            patience=round(chance.uniform(0.1, 1.2) * deadline, 3),
            share=chance.choice((0.05, 0.2, 0.5, 0.9, 1.0)),
            listens=chance.random() < 0.5,
            slowest=chance.choice((0.0, 0.2, 1.5)) * deadline,
            seed=chance.getrandbits(32),
        )

    @property
    def limits(self) -> Limits:
        return Limits(deadline=Fraction(str(self.deadline)), patience=Fraction(str(self.patience)))


@dataclass(slots=True)
class Survey:
    """What came of many storms."""

    storms: int = 0
    verdicts: int = 0
    errors: int = 0
    silent: int = 0
    """Seats that were silent once or more, in all storms together."""
    met: Counter[str] = field(default_factory=Counter[str])
    late: list[str] = field(default_factory=list[str])
    untyped: list[str] = field(default_factory=list[str])
    left_over: list[str] = field(default_factory=list[str])
    latest: float = float("-inf")

    def __str__(self) -> str:
        return (
            f"{self.storms:,} storms, {self.met.total():,} faults of {len(self.met)} kinds: {self.verdicts:,} verdicts,"
            f" {self.errors} typed errors, {len(self.late)} late, {len(self.left_over)} left something running or open"
        )


class _Sky:
    """What the server does with each request, drawn from the storm's own seed."""

    def __init__(self, weather: Weather, met: Counter[str]) -> None:
        self._weather = weather
        self._chance = random.Random(weather.seed)
        self._met = met
        known = faults_of(weather.form)
        self._faults = [(name, fault.act) for name, fault in known.items() if fault.streaming <= weather.listens]

    async def act(self, writer: asyncio.StreamWriter, seen: Seen) -> bool:
        weather, chance = self._weather, self._chance
        if weather.slowest:
            await asyncio.sleep(chance.uniform(0, weather.slowest))
        if chance.random() >= weather.share:
            return await _healthy(FORMATS[weather.form], seen)(writer, seen)
        name, act = chance.choice(self._faults)
        self._met[name] += 1
        return await act(writer, seen)


def _healthy(form: Format, seen: Seen) -> Act:
    asked = json.dumps(seen.body)
    wanted = next((fields for name, fields in SAYS.items() if f'\\"{name}\\": ' in asked), SAYS["decision"])
    stated = {name: value for name, value in wanted.items() if name != "line"}
    own = MARK.findall(asked)
    return form.says(f"Well.\n\n{wanted['line']} {json.dumps({'mark': own[-1] if own else '', **stated})}")


async def storm(weather: Weather, survey: Survey, limits: Limits | None = None, **others: Panelist) -> None:
    """Hold one deliberation in it. `limits` instead of the storm's own are for a control, and so are `others`."""
    before, loop = asyncio.all_tasks(), asyncio.get_running_loop()
    opened = _open_files()
    panel = presets.panel(weather.protocol).panel
    settings = (("similarity", "overlap"),) if has_setting(weather.protocol, "similarity") else ()
    begin = replace(convened(panel, weather.protocol, settings), limits=limits or weather.limits)
    began = loop.time()
    async with Endpoint(otherwise=_Sky(weather, survey.met).act) as endpoint, Http(patience=30, most=MIB) as client:
        panelists = {seat.name: FORMATS[weather.form].panelist(endpoint.url, client) for seat in panel}
        try:
            async with Runner(open_ledger(":memory:")) as runner:
                listen = (lambda _: lambda _: None) if weather.listens else None
                record = await runner.hold(begin, panelists={**panelists, **others}, listen=listen)
            ended = isinstance(record.events[-1], Decided | TurnedAway | Failed)
            survey.verdicts += ended
            survey.silent += len({event.seat for event in record.events if isinstance(event, Silent)})
            survey.untyped += [] if ended else [f"{weather}: ends with {record.events[-1]}"]
        except QuorateError:
            survey.errors += 1
        over = loop.time() - began - weather.deadline
    survey.storms += 1
    survey.latest = max(survey.latest, over)
    survey.late += [f"{weather}: {over:.2f} s after the deadline"] if over > GRACE else []
    await asyncio.sleep(0)
    left, files = asyncio.all_tasks() - before, _open_files() - opened
    survey.left_over += [f"{weather}: {len(left)} tasks, {files} files"] if left or files > 0 else []
    for task in left:
        task.cancel()


def _open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


async def weather_through(survey: Survey, storms: int, seed: int, deadlines: tuple[float, float]) -> None:
    """One storm after the other."""
    chance = random.Random(seed)
    for _ in range(storms):
        await storm(Weather.drawn(chance, deadlines), survey)
