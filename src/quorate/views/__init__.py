"""Pure. A record becomes minutes, JSON, report, or other systems' own formats: one view, one file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

from quorate import catalogue, chair
from quorate.frozen import dataclass
from quorate.model import Decided, Event, TurnedAway

__all__ = ["GATE", "VIEWS", "Record", "View"]


@dataclass(frozen=True, slots=True)
class View:
    """Where a view is, and what it shows: anything, or what was counted in one way, or what had just these outcomes.

    One that reads files of ours is in another room than this: it is found by the same name there.
    """

    file: str
    shows: str = "deliberation"
    counted_by: str = ""
    outcomes: tuple[str, ...] = ()
    room: str = "views"

    @property
    def module(self) -> str:
        """What to import for it."""
        return f"quorate.{self.room}.{self.file}"

    @property
    def function(self) -> str:
        """What it is called in its file."""
        return self.file.rpartition(".")[2]

    def fits(self, protocol: str) -> bool:
        """Whether it can show a deliberation under this protocol."""
        spec = catalogue.protocol(protocol)
        return self.counted_by in {"", spec.count.name} and self.outcomes in {(), spec.outcomes}


GATE: Final = ("ACT", "WARN", "REFUSE")

VIEWS: Final[Mapping[str, View]] = MappingProxyType(
    {
        "minutes": View("minutes"),
        "json": View("document"),
        "markdown": View("markdown"),
        "html": View("html_report", room="offline"),
        "s4": View("compat.s4", "tribunal", outcomes=GATE),
        "s4-log": View("compat.s4_log", "tribunal", outcomes=GATE),
        "counsel": View("compat.counsel", "conference", counted_by="options"),
        "debate": View("debate_view", "debate", counted_by="strength"),
        "oracle": View("compat.oracle_view", "oracle", counted_by="findings"),
    }
)
"""In which forms a deliberation can be shown."""

_ENDS: Final = (Decided, TurnedAway)


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
    def state(self) -> chair.State:
        """Everything in it, folded once for all views; whoever has folded it already hands that on.

        Raises:
            LedgerMismatch: it does not begin with Convened.
        """
        return chair.replay(self.events, check=False)

    @cached_property
    def ended(self) -> Decided | TurnedAway | None:
        """The entry that brought a verdict, if one has."""
        return next((event for event in self.events if isinstance(event, _ENDS)), None)

    def with_state(self, state: chair.State) -> Self:
        """The same, as somebody has folded it."""
        record = replace(self)
        record.__dict__["state"] = state
        return record
