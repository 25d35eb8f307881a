"""Pure. Events become minutes, JSON, report, or other systems' own formats: one view, one file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from quorate.model import Event

__all__ = ["VIEWS", "Record"]

VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "json": "document",
        "minutes": "minutes",
        "markdown": "markdown",
        "s4": "compat.s4",
        "s4-log": "compat.s4_log",
        "counsel": "compat.counsel",
        "debate": "debate",
        "oracle": "compat.oracle",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A deliberation as it stands in the ledger: its events, the seconds they took, and when each was written (UTC)."""

    id: str
    events: Sequence[Event]
    seconds: float = 0.0
    times: Sequence[str] = ()
