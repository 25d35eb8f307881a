"""Pure. A record becomes minutes, JSON, report, or other systems' own formats: one view, one file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

from quorate import chair
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


@dataclass(frozen=True, kw_only=True)
class Record:
    """A deliberation as it stands in the ledger: its events, the seconds they took, and when each was written (UTC).

    It has no slots, so that it can keep its events folded; with other events it is folded anew.
    """

    id: str
    events: Sequence[Event]
    seconds: float = 0.0
    times: Sequence[str] = ()

    @cached_property
    def docket(self) -> chair.Docket:
        """Everything in it, folded once for all views; whoever has folded it already hands that on.

        Raises:
            LedgerMismatch: it does not begin with Convened.
        """
        return chair.replay(self.events, check=False)

    def with_docket(self, docket: chair.Docket) -> Self:
        """The same, as somebody has folded it."""
        record = replace(self)
        record.__dict__["docket"] = docket
        return record
