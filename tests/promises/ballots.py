"""Every way in which a panel can vote, decided one by one: what carries, blocks and lies, by brute force.

It shares nothing with the search it is to refute but the rules themselves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from typing import NamedTuple

from quorate.model import Approval, Rulebook, Silence, Tally, Voice
from quorate.rules import decide

SILENT = ""


class Letter(NamedTuple):
    """What one seat can do; no option is silence."""

    option: str
    veto: bool = False
    confidence: int = 1
    risk: int = 0
    weight: int = 0


MOODS = ((1, 0), (1, 1), (0, 0), (0, 1))
"""Confidence and risk: beyond any threshold on either side."""


@dataclass(frozen=True, kw_only=True)
class Ways:
    """A panel and what its seats can do, those that hold the veto first."""

    book: Rulebook
    seats: int
    guardians: int = 0
    options: tuple[str, ...] = ()
    moods: tuple[tuple[int, int], ...] = MOODS[:1]
    weights: tuple[int, ...] = (0,)
    approves: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return self.options or tuple(f"option {at}" for at in range(self.seats))

    @property
    def letters(self) -> list[Letter]:
        said = [
            Letter(option, confidence=sure, risk=risk, weight=weight)
            for option in self.names
            for sure, risk in self.moods
            for weight in self.weights
        ]
        return [*said, Letter(SILENT)]

    @property
    def vetoes(self) -> list[Letter]:
        return [*self.letters, Letter(self.names[-1], veto=True)]

    def every(self) -> Iterator[tuple[Letter, ...]]:
        """Every count of what those with and those without a veto do: the order never matters."""
        for first in combinations_with_replacement(self.vetoes, self.guardians):
            for rest in combinations_with_replacement(self.letters, self.seats - self.guardians):
                yield (*first, *rest)

    def outcome(self, casts: tuple[Letter, ...]) -> str | None:
        """What is decided, none if nothing is."""
        verdict = decide(self.tally(casts), self.book)
        return verdict.outcome if verdict.decided else None

    def tally(self, casts: tuple[Letter, ...]) -> Tally:
        seats = [(f"s{at}", cast) for at, cast in enumerate(casts)]
        return Tally(
            eligible=tuple(seat for seat, _ in seats),
            options=self.options,
            voices=tuple(self._voice(seat, cast) for seat, cast in seats if cast.option),
            silent=tuple(Silence(seat=seat, why="timeout") for seat, cast in seats if not cast.option),
            guardians=tuple(seat for seat, _ in seats[: self.guardians]),
        )

    def _voice(self, seat: str, cast: Letter) -> Voice:
        return Voice(
            seat=seat,
            option=cast.option,
            veto=cast.veto,
            confidence=Fraction(cast.confidence),
            risk=Fraction(cast.risk),
            weight=Fraction(cast.weight),
            vote=Approval((cast.option,)) if self.approves else None,
        )


Kind = tuple[int, int]
"""How many with and without a veto."""


@dataclass
class Found:
    """Coalitions that carried or blocked an outcome, and the fewest heads with which one passed."""

    carried: dict[str, set[Kind]] = field(default_factory=dict)
    blocked: dict[str, set[Kind]] = field(default_factory=dict)
    fewest: int | None = None


def kind_of(ways: Ways, casts: tuple[Letter, ...], holds: Callable[[Letter], bool]) -> Kind:
    return sum(map(holds, casts[: ways.guardians])), sum(map(holds, casts[ways.guardians :]))


def brute(ways: Ways) -> Found:
    """Go through all ways to vote: who did not choose something else carried it, who did not choose it blocked it."""
    found = Found()
    for casts in ways.every():
        outcome = ways.outcome(casts)
        if outcome is not None:
            _note_carried(ways, casts, outcome, found)
        for wanted in ways.names:
            if outcome != wanted:
                stopped = kind_of(ways, casts, partial(_is_against, wanted))
                found.blocked.setdefault(wanted, set()).add(stopped)
    return found


def _is_against(wanted: str, cast: Letter) -> bool:
    return cast[:4] != (wanted, False, 1, 0)


def _note_carried(ways: Ways, casts: tuple[Letter, ...], outcome: str, found: Found) -> None:
    carried = kind_of(ways, casts, lambda cast: cast.option in (outcome, SILENT))
    found.carried.setdefault(outcome, set()).add(carried)
    heads = sum(cast.option == outcome for cast in casts)
    found.fewest = heads if found.fewest is None else min(found.fewest, heads)
