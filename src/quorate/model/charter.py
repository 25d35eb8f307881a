"""A panel as a preset or a file describes it: who sits, which models answer, under what protocol, rules and limits."""

from typing import Final

from quorate.frozen import dataclass
from quorate.model.events import NO_LIMITS, Limits
from quorate.model.lookup import LookupTerms
from quorate.model.panel import Panel
from quorate.model.verdict import Rulebook

DEFAULT_PROTOCOL: Final = "tribunal"
"""What is held when nobody says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charter:
    """Everything but the question. `models` pairs seats with models by name; what is missing comes from elsewhere."""

    panel: Panel
    protocol: str = DEFAULT_PROTOCOL
    models: tuple[tuple[str, str], ...] = ()
    rulebook: Rulebook | None = None
    settings: tuple[tuple[str, str], ...] = ()
    limits: Limits = NO_LIMITS
    lookups: LookupTerms | None = None
