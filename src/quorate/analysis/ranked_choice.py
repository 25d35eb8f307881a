"""The mathematics of ranked ballots: Borda points, pairwise counts, Schulze's beatpaths, and instant runoff.

A ballot is an order of options, the best place first; options in one place are equal. Options that a ballot leaves out
come last on it, together. Every ballot counts the same, and all numbers are exact.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

from quorate.frozen import dataclass
from quorate.model.ballot import Ranking
from quorate.model.numbers import decimal
from quorate.model.tally import Tally

__all__ = [
    "Order",
    "Runoff",
    "RunoffRound",
    "beatpath_winners",
    "borda_points",
    "complete_order",
    "condorcet_winner",
    "instant_runoff",
    "options_of_orders",
    "orders_of",
    "pairwise_counts",
    "quoted_names",
    "shown_points",
]

Order = tuple[tuple[str, ...], ...]
Pair = tuple[str, str]


def orders_of(tally: Tally) -> tuple[Order, ...]:
    """The rankings of a tally, each complete; silent seats and those that abstain have none, so they help nobody."""
    written = [voice.vote.ranking for voice in tally.voices if isinstance(voice.vote, Ranking) and voice.vote.ranking]
    options = options_of_orders(written)
    return tuple(complete_order(order, options) for order in written)


def options_of_orders(orders: Iterable[Order]) -> tuple[str, ...]:
    """Every option somebody ranked, in alphabetical order, so that who spoke first never shows."""
    return tuple(sorted({option for order in orders for place in order for option in place}))


def complete_order(order: Order, options: Iterable[str]) -> Order:
    """The same order over all options: those it leaves out come last, together."""
    ranked = {option for place in order for option in place}
    missing = tuple(option for option in options if option not in ranked)
    return (*order, missing) if missing else order


def quoted_names(options: Sequence[str]) -> str:
    """Options in a sentence: 'A', 'B' and 'C'."""
    return " and ".join(filter(None, (", ".join(map(repr, options[:-1])), *map(repr, options[-1:]))))


def shown_points(points: Fraction) -> str:
    """A number of points or ballots, exact: 194, 3.5, 10/3."""
    return decimal(points) if (100 * points).denominator == 1 else str(points)


def borda_points(orders: Sequence[Order]) -> dict[str, Fraction]:
    """For each option below it on a ballot one point, for each beside it half of one."""
    points = dict.fromkeys(options_of_orders(orders), Fraction(0))
    for order, times in Counter(orders).items():
        below = sum(map(len, order))
        for place in order:
            below -= len(place)
            for option in place:
                points[option] += times * (below + Fraction(len(place) - 1, 2))
    return points


def pairwise_counts(orders: Sequence[Order]) -> dict[Pair, int]:
    """For each pair, how many ballots put the first above the second."""
    counts = dict.fromkeys(permutations(options_of_orders(orders), 2), 0)
    for order, times in Counter(orders).items():
        place = {option: number for number, options in enumerate(order) for option in options}
        for one, other in permutations(place, 2):
            counts[one, other] += times * (place[one] < place[other])
    return counts


def condorcet_winner(orders: Sequence[Order]) -> str | None:
    """The option that more ballots put above each other option than below it, if there is one."""
    counts, options = pairwise_counts(orders), options_of_orders(orders)
    beats = (one for one in options if all(counts[one, two] > counts[two, one] for two in options if two != one))
    return next(beats, None)


def beatpath_winners(orders: Sequence[Order]) -> tuple[str, ...]:
    """Who wins by Schulze's method with winning votes: no other has a stronger path to them than they to it."""
    counts, options = pairwise_counts(orders), options_of_orders(orders)
    path = {(one, two): votes if votes > counts[two, one] else 0 for (one, two), votes in counts.items()}
    for by, one, two in permutations(options, 3):
        path[one, two] = max(path[one, two], min(path[one, by], path[by, two]))
    return tuple(one for one in options if all(path[one, two] >= path[two, one] for two in options if two != one))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunoffRound:
    """What each option that was left held, the most first, and who was eliminated after it."""

    held: tuple[tuple[str, Fraction], ...]
    eliminated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Runoff:
    """The rounds that were held, and the winner, or else the options whose tie nobody may break."""

    rounds: tuple[RunoffRound, ...]
    winner: str | None = None
    tied: tuple[str, ...] = ()


def instant_runoff(orders: Sequence[Order]) -> Runoff:
    """Eliminate whoever holds least, round by round, until one holds more than half of the ballots.

    A ballot whose best place among those left is shared counts for each of them in equal parts. Several that hold
    least are eliminated together only if all they hold is less than what the next one holds: then they would go one
    after the other, in whatever order. Otherwise the tie stands and nobody wins.
    """
    rounds: list[RunoffRound] = []
    left = options_of_orders(orders)
    while left:
        held = _held(orders, left)
        shown = tuple(sorted(held.items(), key=lambda one: (-one[1], one[0])))
        if len(left) == 1 or 2 * shown[0][1] > len(orders):
            return Runoff(rounds=(*rounds, RunoffRound(held=shown)), winner=shown[0][0])
        least = shown[-1][1]
        last = tuple(sorted(option for option, votes in held.items() if votes == least))
        if _is_tie(held, last):
            return Runoff(rounds=(*rounds, RunoffRound(held=shown)), tied=last)
        rounds.append(RunoffRound(held=shown, eliminated=last))
        left = tuple(option for option in left if option not in last)
    return Runoff(rounds=tuple(rounds))


def _is_tie(held: Mapping[str, Fraction], last: Sequence[str]) -> bool:
    """Whether nobody may be eliminated: nobody holds more than the last, or the next one no more than they together."""
    least = held[last[0]]
    above = min((votes for votes in held.values() if votes > least), default=None)
    return above is None or (len(last) > 1 and len(last) * least >= above)


def _held(orders: Sequence[Order], left: Sequence[str]) -> dict[str, Fraction]:
    held = dict.fromkeys(left, Fraction(0))
    for order, times in Counter(orders).items():
        best = next(kept for place in order if (kept := [option for option in place if option in held]))
        for option in best:
            held[option] += Fraction(times, len(best))
    return held
