"""How a provider is treated: pace, breaker, cache, and which models `auto` may choose. Values, read elsewhere."""

from dataclasses import field
from typing import Final

from quorate.frozen import dataclass

__all__ = ["CACHES", "MEMORY", "OFF", "BreakerLimits", "ProviderLimits", "Rate"]

OFF: Final = "off"
MEMORY: Final = "memory"
CACHES: Final = (OFF, MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The most requests and tokens within any minute, for one provider and key; None is no limit."""

    requests: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerLimits:
    """How many failures in a row open the breaker, 0 for never, and for how many seconds nothing is sent then."""

    failures: int = 10
    pause: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLimits:
    """Settings of a process. `cache` is `off`, `memory` or a file; `routes` a file, or empty for the shipped table.

    `enabled` and `disabled` are patterns of models that `auto` may choose, and may not.
    """

    rate: Rate = field(default_factory=Rate)
    breaker: BreakerLimits = field(default_factory=BreakerLimits)
    cache: str = OFF
    routes: str = ""
    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
