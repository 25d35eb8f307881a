"""Where nobody named a model: what is found here answers, within a budget of its own where that costs money."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from quorate.engine.discovery import discover, pick
from quorate.engine.prices import Prices
from quorate.model.charter import Charter
from quorate.panelists.price import FREE
from quorate.settings.resolve import Settings
from quorate.settings.table import PICKED_BUDGET, ROUTES, SEATS

__all__ = ["PickedModels", "pick_models"]


class PickedModels(NamedTuple):
    """A charter with a model for every seat, and the seats for which quorate chose it."""

    charter: Charter
    picked: tuple[tuple[str, str], ...] = ()

    @property
    def sentence(self) -> str:
        """What was chosen, in words; empty if somebody named the models."""
        told = ", ".join(f"{model} for {seat}" for seat, model in self.picked)
        return f"no model was named; using {told} (see: quorate models)" if told else ""


async def pick_models(
    resolved: Settings, env: Mapping[str, str], *, is_allowed: Callable[[str], bool] = bool
) -> PickedModels:
    """The charter as it was given; where nobody said anything about models, with what is found here and allowed.

    Raises:
        NoModel: a seat has none and others do, or nothing was found.
    """
    if resolved[SEATS]:
        return PickedModels(resolved.charter)
    found = await discover(resolved.environment(env), resolved[ROUTES])
    picked = pick(resolved.panel, [one for one in found if is_allowed(one.model)])
    if not picked:
        return PickedModels(resolved.charter)
    return PickedModels(_within_budget(replace(resolved.draft, models=picked), resolved, env), picked)


def _within_budget(charter: Charter, resolved: Settings, env: Mapping[str, str]) -> Charter:
    """With a budget of its own where quorate picked the models, some cost money, and nobody set one."""
    limits, prices = charter.limits, Prices(None, env)
    priced = any(prices.of(model) != FREE for _, model in charter.models)
    if not priced or limits.has_budget:
        return charter
    return replace(charter, limits=replace(limits, **resolved[PICKED_BUDGET]))  # type: ignore[arg-type]  # as it is read
