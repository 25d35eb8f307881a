"""Always speaks: who wins every pair of options wins; without one, Schulze's beatpaths with winning votes decide."""

from collections.abc import Mapping, Sequence
from typing import Final

from quorate.analysis.ranked_choice import (
    beatpath_winners,
    condorcet_winner,
    options_of_orders,
    orders_of,
    pairwise_counts,
    quoted_names,
)
from quorate.model import Ranking, Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    orders = orders_of(tally)
    options, counts, wins = options_of_orders(orders), pairwise_counts(orders), condorcet_winner(orders)
    if not options:
        return Verdict.on(tally, None, "no seat ranked an option", decided=False, review=True)
    if wins is not None:
        because = f"{wins!r} {_beats(wins, options, counts)}"
        return Verdict.on(tally, wins, because, decided=True)
    first, *tied = beatpath_winners(orders)
    none = "no option wins every pair, so there is no Condorcet winner"
    pairs = _pairs(options, counts)
    if tied:
        because = f"{none}, and {quoted_names((first, *tied))} are tied by beatpaths, so none wins: {pairs}"
        return Verdict.on(tally, None, because, decided=False, review=True)
    return Verdict.on(tally, first, f"{none}; {first!r} wins by beatpaths: {pairs}", decided=True)


def _beats(wins: str, options: Sequence[str], counts: Mapping[tuple[str, str], int]) -> str:
    others = [f"{counts[wins, other]} to {counts[other, wins]} against {other!r}" for other in options if other != wins]
    return (
        f"wins every pair, so it is the Condorcet winner: {', '.join(others)}" if others else "is all that was ranked"
    )


def _pairs(options: Sequence[str], counts: Mapping[tuple[str, str], int]) -> str:
    """Every pair once, its winner first."""
    pairs = [(one, two) for place, one in enumerate(options) for two in options[place + 1 :]]
    won = [(one, two) if counts[one, two] >= counts[two, one] else (two, one) for one, two in pairs]
    return ", ".join(f"{one!r} {counts[one, two]} to {counts[two, one]} against {two!r}" for one, two in won)


SPEC: Final = RuleSpec(rule=rule, always=True, votes=(Ranking,), breaks=("silence",))
