"""Which protocol, panel size, rounds of talk and stopping rule a simulation finds best within a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from quorate.evaluate.act_threshold import Interval
from quorate.evaluate.simulation import (
    RIGHT,
    UNDECIDED,
    SimulatedSeat,
    SimulatedTalk,
    Votes,
    discuss,
    outcomes_of,
    sealed_votes,
)
from quorate.frozen import dataclass

__all__ = ["Recommendation", "Simulation", "SimulationPlan", "simulate_panel"]

ROUNDS: Final = (1, 2, 4)
CONFERENCE, ORACLE = "conference", "oracle"
NO_MORE_WRONG: Final = 0.005
"""Wrong verdicts that a cheaper way may have more of than the best, as a share."""
AGREED: Final = 2 / 3
FEWEST_FINDINGS: Final = 3
"""Seats below which an oracle finds nothing."""
ASSUMPTIONS: Final = (
    "This is a simulation. Nobody was asked, and it is as right as its assumptions:",
    "one right answer among the options; half of all wrong answers are the same one; in a round of talk a seat takes",
    "over the vote of one other, right or wrong, so that talk itself finds no truth. The rules are the real ones.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationPlan:
    """Who sits, what about, how many deliberations of each kind, by which rulebook, within how many calls each.

    `wrong` is the largest share of wrong verdicts that is accepted.
    """

    seats: tuple[SimulatedSeat, ...]
    talk: SimulatedTalk
    count: int = 10_000
    rulebook: str = "plurality"
    calls: int | None = None
    wrong: float | None = None
    seed: int = 1

    def accepts(self, way: "Recommendation") -> bool:
        """Whether a way keeps to the budget and errs seldom enough."""
        return (self.calls is None or way.calls <= self.calls) and (self.wrong is None or way.wrong <= self.wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """One way to hold it: protocol, seats, rounds of talk, when it stops and which votes count; and what came of it.

    Wrong are verdicts for another option; the rest up to one is undecided.
    """

    seats: tuple[str, ...]
    rounds: int
    stop: str
    counts: str
    calls: float
    right: Interval
    wrong: float
    protocol: str = CONFERENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Everything that was tried, the best within the budget first."""

    deliberations: int
    ways: tuple[Recommendation, ...]
    best: Recommendation | None
    plan: SimulationPlan

    def document(self) -> dict[str, object]:
        """For --json."""
        return {"schema": 1, "simulated": True, "assumptions": " ".join(ASSUMPTIONS), **asdict(self)}


def simulate_panel(plan: SimulationPlan) -> Simulation:
    """Try every way; recommend the cheapest of those that cannot be told from the most right that is accepted."""
    chance = np.random.default_rng(plan.seed)
    ways = tuple(way for size in _sizes(len(plan.seats)) for way in _ways(plan, plan.seats[:size], chance))
    affordable = [way for way in ways if plan.accepts(way)]
    best = max(affordable, key=lambda way: way.right.value, default=None)
    if best is not None:
        near = [
            way for way in affordable if way.right.high >= best.right.low and way.wrong <= best.wrong + NO_MORE_WRONG
        ]
        best = min(near or [best], key=lambda way: (way.calls, -way.right.value))
    ordered = tuple(sorted(ways, key=lambda way: (-way.right.value, way.calls)))
    return Simulation(deliberations=plan.count * len(ways), ways=ordered, best=best, plan=plan)


def _sizes(seats: int) -> tuple[int, ...]:
    return tuple(sorted({size for size in (1, 3, 5, 7, seats) if size <= seats}))


class _Terms(NamedTuple):
    """How a deliberation is held: by which protocol and rulebook, when it stops, which votes count, rounds of talk."""

    protocol: str
    rulebook: str
    stop: str = "fixed"
    counts: str = "sealed votes"
    rounds: int = 0


def _ways(
    plan: SimulationPlan, seats: Sequence[SimulatedSeat], chance: np.random.Generator
) -> Iterator[Recommendation]:
    first = sealed_votes(seats, plan.talk, plan.count, chance)
    yield _way(seats, first, np.zeros(plan.count), _Terms(CONFERENCE, plan.rulebook))
    if len(seats) == 1:
        return
    if len(seats) >= FEWEST_FINDINGS:
        # An oracle's seats never hear each other, so its votes are the same; it asks for two thirds of all.
        yield _way(seats, first, np.zeros(plan.count), _Terms(ORACLE, ORACLE))
    for rounds, stop in product(ROUNDS, ("fixed", "two thirds agree")):
        last, talked = _talked(first, seats, rounds, chance, early=stop != "fixed")
        yield _way(seats, last, talked, _Terms(CONFERENCE, plan.rulebook, stop, "last votes", rounds))


def _talked(
    first: Votes, seats: Sequence[SimulatedSeat], rounds: int, chance: np.random.Generator, *, early: bool
) -> tuple[Votes, "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
    """Votes after so many rounds, and how many were held; early, a row ends once two thirds of it agree."""
    votes, held = first.copy(), np.zeros(len(first))
    for _ in range(rounds):
        goes_on = ~_agrees(votes) if early else np.ones(len(votes), dtype=bool)
        if not goes_on.any():
            break
        votes[goes_on] = discuss(votes[goes_on], seats, chance)
        held += goes_on
    return votes, held


def _agrees(votes: Votes) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    most = np.max([(votes == option).sum(axis=1) for option in range(int(votes.max()) + 1)], axis=0)
    return np.asarray(most >= AGREED * votes.shape[1])


def _way(
    seats: Sequence[SimulatedSeat],
    votes: Votes,
    talked: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    terms: _Terms,
) -> Recommendation:
    outcomes = outcomes_of(votes, terms.rulebook)
    right, undecided = float((outcomes == RIGHT).mean()), float((outcomes == UNDECIDED).mean())
    half = 1.96 * float(np.sqrt(right * (1 - right) / len(votes)))
    return Recommendation(
        seats=tuple(seat.name for seat in seats),
        rounds=terms.rounds,
        stop=terms.stop,
        counts=terms.counts,
        calls=round(len(seats) * (1 + float(talked.mean())), 2),
        right=Interval(value=right, low=max(0.0, right - half), high=min(1.0, right + half)),
        wrong=max(0.0, 1.0 - right - undecided),
        protocol=terms.protocol,
    )
