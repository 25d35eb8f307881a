"""What models charge: the user's table first, then genai-prices where it is installed, else unknown; never a guess."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Final

from quorate.errors import BadSetting, PriceUnknown, UnknownName
from quorate.model import Limits
from quorate.panelists.price import FREE, Price
from quorate.panelists.registry import ModelName, ours, parse

__all__ = ["Prices", "price_table"]

_SAMPLE: Final = 1000
"""Tokens to ask a price for: below every step at which long prompts get dearer."""

_IDS: Final[Mapping[str, str]] = MappingProxyType({"xai": "x-ai"})
"""What genai-prices calls a provider, where it differs."""


class Prices:
    """Prices by model, looked up once each. What runs on the user's own machines is free."""

    def __init__(self, table: Mapping[str, Price] | None = None, environ: Mapping[str, str] | None = None) -> None:
        """`table` goes by model as written, or without its address; `environ` may move a provider elsewhere."""
        self._known: dict[str, Price | None] = dict(table or {})
        self._table = dict(table or {})
        self._environ = dict(environ or {})

    def of(self, model: str) -> Price | None:
        """What a model charges, none if nobody knows."""
        if model not in self._known:
            self._known[model] = self._find(model)
        return self._known[model]

    def require(self, models: Iterable[str], limits: Limits) -> None:
        """See that a money budget can be kept with these models.

        Raises:
            PriceUnknown: the price of one is unknown, and that was not allowed.
        """
        if limits.money is None or limits.unpriced:
            return
        unknown = [model for model in dict.fromkeys(models) if self.of(model) is None]
        if unknown:
            raise PriceUnknown(
                f"nobody knows what {', '.join(map(repr, unknown))} charges, so a budget in money cannot be kept; "
                "set a budget in tokens or calls, install quorate[prices], or add 'unpriced' to the budget"
            )

    def _find(self, model: str) -> Price | None:
        if ours(model) or model.startswith("demo:"):
            return FREE
        try:
            named = parse(model, self._environ)
        except (UnknownName, BadSetting):  # somebody's own panelist, under a name of its own
            return None
        plain = self._table.get(f"{named.provider}:{named.name}")
        if plain is not None:
            return plain
        if named.local or (named.provider == "openrouter" and named.name.endswith(":free")):
            return FREE
        return None if named.given else _published(named)


def price_table() -> str:
    """Which prices are looked up where neither the provider nor the user says one."""
    try:
        return f"prices of genai-prices {version('genai-prices')}"
    except PackageNotFoundError:
        return "no price table is installed"


def _published(named: ModelName) -> Price | None:
    try:
        from genai_prices import Usage, calc_price  # noqa: PLC0415  takes most of a second, brings pydantic
    except ImportError:
        return None
    usage = Usage(input_tokens=_SAMPLE, output_tokens=_SAMPLE)
    try:
        price = calc_price(usage, named.name, provider_id=_IDS.get(named.provider, named.provider))
    except LookupError:
        return None
    return Price(asked=Fraction(price.input_price) / _SAMPLE, answered=Fraction(price.output_price) / _SAMPLE)
