"""One question with what each seat chose, and what most of them did."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from quorate.frozen import dataclass

__all__ = ["SeatNames", "VotedQuestion", "plurality"]

SeatNames = Literal["model", "seat"]
"""Whose votes are one's own: those of a model wherever it sat, or those of a seat whoever answered for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedQuestion:
    """A question with what each seat chose before it had heard anybody.

    `listed` is the number of options of a closed list, none where any answer may be given. `right` is the answer that
    turned out right, where that is known. `later` are the votes of the last round, `stated` the confidences.
    """

    id: str
    votes: Mapping[str, str]
    listed: int | None = None
    right: str | None = None
    later: Mapping[str, str] = field(default_factory=lambda: MappingProxyType[str, str]({}))
    stated: Mapping[str, float] = field(default_factory=lambda: MappingProxyType[str, float]({}))
    heard: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType[str, Sequence[str]]({}))
    """Whom a seat that changed its vote had heard; everybody, where it is not said."""

    @property
    def options(self) -> tuple[str, ...]:
        """What was voted for, in an order of its own, so that who voted first never shows."""
        return tuple(sorted(set(self.votes.values())))

    @property
    def size(self) -> int:
        """How many answers there could be: those of the list, or one more than were given."""
        voted = len(set(self.votes.values()))
        return voted + 1 if self.listed is None else max(self.listed, voted)


def plurality(votes: Mapping[str, str]) -> tuple[str, ...]:
    """Every option with the most votes, in an order of its own."""
    counted = Counter(votes.values())
    most = max(counted.values(), default=0)
    return tuple(sorted(option for option, heads in counted.items() if heads == most))
