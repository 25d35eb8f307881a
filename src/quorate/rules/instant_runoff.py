"""Always speaks: who is first on the fewest ballots is eliminated, until one is first on more than half of them.

A ballot whose first place is shared counts for each in equal parts. Several with the fewest are eliminated together
only if all they hold is less than what the next one holds (batch elimination); otherwise the tie stands.
"""

from typing import Final

from quorate.analysis.ranked_choice import Runoff, RunoffRound, instant_runoff, orders_of, quoted_names, shown_points
from quorate.model import Ranking, Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    runoff = instant_runoff(orders_of(tally))
    if not runoff.rounds:
        return Verdict.on(tally, None, "no seat ranked an option", decided=False, review=True)
    told = "; ".join(_told(number, held) for number, held in enumerate(runoff.rounds, 1))
    if runoff.winner is None:
        because = f"{_tie(runoff)}, so none wins: {told}"
        return Verdict.on(tally, None, because, decided=False, review=True)
    return Verdict.on(tally, runoff.winner, f"{runoff.winner!r} wins the runoff: {told}", decided=True)


def _tie(runoff: Runoff) -> str:
    if len(runoff.tied) == len(runoff.rounds[-1].held):
        return f"{quoted_names(runoff.tied)} are tied in round {len(runoff.rounds)}"
    return f"it is a tie in round {len(runoff.rounds)} who is eliminated, {quoted_names(runoff.tied)}"


def _told(number: int, held: RunoffRound) -> str:
    counts = ", ".join(f"{option!r} {shown_points(votes)}" for option, votes in held.held)
    gone = f", {quoted_names(held.eliminated)} eliminated" if held.eliminated else ""
    return f"round {number}: {counts}{gone}"


SPEC: Final = RuleSpec(rule=rule, always=True, votes=(Ranking,), breaks=("raising the winner", "silence"))
"""6 ballots A > B > C, 5 C > A > B, 4 B > C > A and 2 B > A > C elect A; if the last two raise A to A > B > C, C wins
(Straffin, Topics in the Theory of Voting)."""
