"""Always speaks: each ranking gives an option a point for every one below it, half for an equal; most points win."""

from typing import Final

from quorate.analysis.ranked_choice import borda_points, orders_of, quoted_names, shown_points
from quorate.model import Ranking, Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    points = borda_points(orders_of(tally))
    if not points:
        return Verdict.on(tally, None, "no seat ranked an option", decided=False, review=True)
    most = max(points.values())
    first = [option for option, held in points.items() if held == most]
    ranked = sorted(points.items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{option!r} {shown_points(held)}" for option, held in ranked)
    if len(first) > 1:
        because = f"{quoted_names(first)} have the most Borda points, {shown_points(most)} each, so none wins: {told}"
        return Verdict.on(tally, None, because, decided=False, review=True)
    return Verdict.on(tally, first[0], f"{first[0]!r} has the most Borda points: {told}", decided=True)


SPEC: Final = RuleSpec(rule=rule, always=True, votes=(Ranking,), breaks=("silence",))
