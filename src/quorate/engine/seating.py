"""Who answers for each seat: models opened by name, each behind the same limits."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from types import MappingProxyType, TracebackType
from typing import Final, Self

from quorate.chair import Docket
from quorate.engine.budget import Budget
from quorate.engine.deadline import Patience
from quorate.engine.limits import Conditions, Sent, within
from quorate.engine.prices import Prices
from quorate.model import Convened, Event
from quorate.panelists import Panelist
from quorate.panelists.demo import Demo
from quorate.panelists.http import Http
from quorate.panelists.models import DEMO, GIVEN, open_panelist
from quorate.panelists.price import Price

__all__ = ["Seating"]

_NOBODY: Final[Mapping[str, Panelist]] = MappingProxyType({})


class Seating:
    """Opens panelists. Connections, prices and the bound on asks in flight are shared by all deliberations."""

    def __init__(self, env: Mapping[str, str], concurrency: int, table: Mapping[str, Price] | None = None) -> None:
        self._env = env
        self._prices = Prices(table, env)
        self._turns = asyncio.Semaphore(concurrency)
        self._http: Http | None = None
        self._models: dict[str, Panelist] = {}
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()

    async def check(self, convened: Convened, given: Mapping[str, Panelist] | None) -> None:
        """See before anything is written that every seat can be asked and every limit kept.

        Raises:
            NoModel: a model wants a key that is not there.
            PriceUnknown: a money budget over a model whose price nobody knows.
        """
        named = sorted({sat.model for sat in convened.seated if sat.seat not in (given or _NOBODY)} - {DEMO})
        for model in named:
            await self._opened(model)
        self._prices.require(named, convened.limits)

    async def seat(
        self,
        docket: Docket,
        events: Sequence[Event],
        given: Mapping[str, Panelist] | None,
        sent: Sent,
    ) -> Mapping[str, Panelist]:
        """A panelist for every seat, within the limits of this deliberation and what its record has used of them.

        `sent` notes each call before it goes out.
        """
        limits, given = docket.convened.limits, given or _NOBODY
        conditions = Conditions(
            budget=Budget.restore(limits, events, self._price),
            turns=self._turns,
            patience=Patience.of(limits, asyncio.get_running_loop().time()),
            sent=sent,
        )
        return {
            sat.seat: within(
                given.get(sat.seat) or await self._opened(sat.model), conditions, price=self._price(sat.model)
            )
            for sat in docket.seated
        }

    def _price(self, model: str) -> Price | None:
        return None if model == DEMO or model.startswith(GIVEN) else self._prices.of(model)

    async def _opened(self, model: str) -> Panelist:
        if model == DEMO:
            return Demo()
        if model not in self._models:
            # A price table may take a second to load, and others may be deliberating on this loop.
            price = await asyncio.to_thread(self._price, model)
            if self._http is None:
                self._http = await self._open.enter_async_context(Http.of(self._env))
            self._models[model] = open_panelist(model, self._http, self._env, price=price)
        return self._models[model]
