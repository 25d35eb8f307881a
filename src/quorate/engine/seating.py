"""Who answers for each seat: models opened by name, each behind the same limits; and who really answered.

A reply that names another model than was asked for moves the seat to that model's domain.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Final, Self

from quorate.chair import State
from quorate.engine.local_panelists import LocalPanelists, PersonConditions
from quorate.engine.prices import Prices
from quorate.middleware.budget import MOST, Budget
from quorate.middleware.cache import cache_of
from quorate.middleware.circuit_breaker import Circuit
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.fallback import Moved, ignore_move
from quorate.middleware.key_redaction import RedactedPanelist, Redaction, secrets_of
from quorate.middleware.rate_limit import Paces, RateWindow
from quorate.middleware.stack import ModelCandidate, ProviderLine, Sent, SharedLimits, in_turn
from quorate.middleware.telemetry import CallWatcher, ObservedPanelist
from quorate.model import Convened, Event, Routed, SeatModel
from quorate.model.panel import is_person
from quorate.panelists import Panelist
from quorate.panelists.http.client import Http
from quorate.panelists.price import Price
from quorate.panelists.registry import (
    DEMO,
    EMBEDDED,
    GIVEN,
    RECORDING,
    domain,
    key_of,
    most_of,
    open_panelist,
    ours,
    parse,
)
from quorate.settings.model_names import AUTO
from quorate.settings.provider_settings import ProviderLimits, Rate

if TYPE_CHECKING:
    from quorate.engine.routing import RouteChoice
import re
from collections.abc import Callable

from quorate.analysis.fault_domains import family, same_model

__all__ = ["Seating", "answered_by"]

_NOBODY: Final[Mapping[str, Panelist]] = MappingProxyType({})


class Seating:
    """Opens panelists. Connections, prices and the bound on asks in flight are shared by all deliberations."""

    def __init__(  # noqa: PLR0913 - each is somebody else's
        self,
        env: Mapping[str, str],
        concurrency: int,
        *,
        table: Mapping[str, Price] | None = None,
        provider_limits: ProviderLimits | None = None,
        local_panelists: LocalPanelists | None = None,
        watched: CallWatcher | None = None,
        paces: Paces | None = None,
    ) -> None:
        self._env = env
        self._paces = paces
        self.watched = watched
        self._household = local_panelists or LocalPanelists(env=env)
        self._provider_limits = provider_limits or ProviderLimits()
        self._cache = cache_of(self._provider_limits.cache)
        self._lines: dict[tuple[str, str], ProviderLine] = {}
        self._prices = Prices(table, env)
        self._redaction = Redaction.of(secrets_of(env))
        self._stepper = asyncio.Semaphore(concurrency)
        self._http: Http | None = None
        self._models: dict[str, Panelist] = {}
        self._known: dict[str, ModelCandidate] = {}
        self._opening = asyncio.Lock()
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._open.aclose()

    async def check(self, convened: Convened, given: Mapping[str, Panelist] | None) -> None:
        """See before anything is written that every seat can be asked and every limit kept.

        Raises:
            NoModel: a model wants a key that is not there.
            PriceUnknown: a money budget over a model whose price nobody knows.
            BadPanel: the table of routes cannot be read.
        """
        if self._provider_limits.routes:
            self._aliases()  # a table that cannot be read is told of now, not when a reply names another model
        routed = {choice.seat: choice.routed.seated for choice in self._routes(convened, convened.seated)}
        seated = [routed.get(sat.seat, sat) for sat in convened.seated if sat.seat not in (given or _NOBODY)]
        named = sorted({model for sat in seated for model in (sat.model, *sat.fallbacks)} - {DEMO})
        for model in named:
            await self._opened(model)
        self._prices.require(named, convened.limits)

    def route(self, state: State) -> tuple[Routed, ...]:
        """What `auto` comes to for every seat that still says so.

        Raises:
            NoModel: nothing that can be used is there for a seat.
            BadPanel: the table of routes cannot be read.
        """
        return tuple(choice.routed for choice in self._routes(state.convened, state.seated))

    def _routes(self, convened: Convened, seated: Sequence[SeatModel]) -> "tuple[RouteChoice, ...]":
        if all(sat.model != AUTO for sat in seated):
            return ()
        from quorate.engine.routing import Router  # noqa: PLC0415  most seats name their model

        return Router.of(self._provider_limits, self._env, self._prices).route(convened, seated)

    def identified(self, sat: SeatModel, named: str) -> SeatModel | None:
        """The seat as a reply shows it to be, if that is another model than was asked for."""
        return answered_by(sat, named, self._aliases)

    def _aliases(self) -> Mapping[str, tuple[str, ...]]:
        from quorate.settings.route_table import load_table  # noqa: PLC0415  names seldom differ

        return load_table(self._provider_limits.routes).aliases

    def placed(self, seat: str, models: tuple[str, ...]) -> SeatModel:
        """A seat once it has fallen back on the first of these."""
        first, *others = models
        return SeatModel(seat=seat, model=first, domain=domain(first, self._env), fallbacks=tuple(others))

    async def seat(  # noqa: PLR0913 - what the record says, and who is told of what
        self,
        state: State,
        events: Sequence[Event],
        given: Mapping[str, Panelist] | None,
        sent: Sent,
        *,
        moved: Moved = ignore_move,
        begun: float | None = None,
        age: float = 0.0,
    ) -> Mapping[str, Panelist]:
        """A panelist for every seat, within the limits of this deliberation and what its record has used of them.

        `sent` notes each call before it goes out, `moved` each fallback; `begun` is when the time began to run.
        `age` is how many seconds ago the record began: people answer over days, so their deadline runs from there.
        """
        limits, given, now = state.convened.limits, given or _NOBODY, asyncio.get_running_loop().time()
        conditions = SharedLimits(
            budget=Budget.restore(limits, events, self._price),
            stepper=self._stepper,
            patience=TimeLimit.of(limits, now if begun is None else begun),
            sent=sent,
            moved=moved,
        )
        theirs = PersonConditions(sent=sent, told=state.asked, until=TimeLimit.of(limits, now - age).until)
        return {sat.seat: await self._bound(sat, given, conditions, theirs) for sat in state.seated}

    async def _bound(
        self, sat: SeatModel, given: Mapping[str, Panelist], conditions: SharedLimits, theirs: PersonConditions
    ) -> Panelist:
        """A seat's panelist behind what holds for it: a person is told once, and held to the end of the whole alone."""
        if is_person(sat.model) and sat.seat not in given:
            return theirs.of(await self._opened(sat.model))
        if sat.model == EMBEDDED:
            # It answers one ask after the other, so how long one stands in line says nothing about it.
            conditions = replace(conditions, patience=replace(conditions.patience, seconds=None))
        return in_turn(await self._candidates(sat, given), conditions)

    async def _candidates(self, sat: SeatModel, given: Mapping[str, Panelist]) -> list[ModelCandidate]:
        """Who may answer for a seat: a panelist that was handed over, or its models in their order."""
        if sat.seat in given:
            return [
                ModelCandidate(model=sat.model, panelist=self._discreet(given[sat.seat]), price=self._price(sat.model))
            ]
        return [self._known.get(model) or await self._candidate(model) for model in (sat.model, *sat.fallbacks)]

    async def _candidate(self, model: str) -> ModelCandidate:
        """A model with its price and its line, looked up once for all seats of all deliberations."""
        candidate = ModelCandidate(
            model=model,
            panelist=await self._opened(model),
            price=self._price(model),
            line=self._line(model),
            most=most_of(model, MOST),
        )
        if not model.startswith(RECORDING):  # what it is read from may have changed by the next time
            self._known[model] = candidate
        return candidate

    def _line(self, model: str) -> ProviderLine:
        """What is shared by all that go to one provider with one key."""
        if ours(model):
            return ProviderLine()
        named = parse(model, self._env)
        place = (named.base_url, key_of(named, self._env))
        if place not in self._lines:
            rate, breaking = self._provider_limits.rate, self._provider_limits.breaker
            self._lines[place] = ProviderLine(
                circuit=Circuit(breaking) if breaking.failures else None,
                pace=None if rate == Rate() else self._paces(*place, rate) if self._paces else RateWindow(rate),
                cache=self._cache,
            )
        return self._lines[place]

    def _price(self, model: str) -> Price | None:
        return None if model == DEMO or model.startswith(GIVEN) else self._prices.of(model)

    def _discreet(self, panelist: Panelist) -> Panelist:
        """Nearest to whoever answers, so that nothing above ever holds a key."""
        return RedactedPanelist(panelist, self._redaction) if self._redaction else panelist

    async def _opened(self, model: str) -> Panelist:
        if model.startswith(RECORDING):
            return await self._household.open(model)
        if model not in self._models and ours(model):
            self._models[model] = await self._household.open(model)
        if model in self._models:
            return self._models[model]
        async with self._opening:
            if model not in self._models:
                self._models[model] = await self._connected(model)
        return self._models[model]

    async def _connected(self, model: str) -> Panelist:
        # A price table may take a second to load, and others may be deliberating on this loop.
        price = await asyncio.to_thread(self._price, model)
        if self._http is None:
            self._http = await self._open.enter_async_context(Http.of(self._env))
        opened = self._discreet(open_panelist(model, self._http, self._env, price=price))
        return ObservedPanelist(opened, model, self.watched) if self.watched else opened


_BEHIND: Final = "openrouter:"
_MAKER: Final = re.compile(r"([\w.~-]+)/")
Aliases = Callable[[], Mapping[str, tuple[str, ...]]]


def answered_by(sat: SeatModel, named: str, aliases: Aliases) -> SeatModel | None:
    """The seat as a reply shows it to be, if that is another than before; `aliases` are read only when names differ."""
    if not named or ours(sat.model) or sat.model.startswith(GIVEN):
        return None
    serves = "" if same_model(sat.model, named) or _known(sat.model, named, aliases) else named
    if serves == sat.serves:
        return None
    return replace(sat, serves=serves, domain=_domain(sat, serves))


def _domain(sat: SeatModel, serves: str) -> str:
    """Behind a gateway the maker's name is in the model's; elsewhere it is still the provider who answers.

    A reply is somebody's words: of the name in it only the maker counts, and only at the gateway's own address.
    """
    if not sat.model.startswith(_BEHIND) or parse(sat.model).given:
        return sat.domain
    if not serves:
        return domain(sat.model) if "/" in sat.model else sat.domain
    maker = _MAKER.match(serves)
    return domain(f"{_BEHIND}{maker[1]}/any") if maker else sat.domain


def _known(model: str, named: str, aliases: Aliases) -> bool:
    asked = model.partition(":")[2].partition("@http")[0].partition("?")[0]
    return family(named) in {family(alias) for alias in aliases().get(asked, ())}
