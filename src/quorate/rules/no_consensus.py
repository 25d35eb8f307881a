"""Always speaks: too few seats agree, so nothing is established."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.consensus_quality import leading_outcome, weighted_share
from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "UNDETERMINED") -> Verdict | None:
    counts = ", ".join(f"{tally.heads(option)} {option}" for option in tally.cast)
    verdict = Verdict.on(tally, means, f"no consensus: {counts}{_leading(tally)}", decided=False, review=True)
    return replace(verdict, confidence=Fraction(0))


def _leading(tally: Tally) -> str:
    """On a tie of heads weight names who leads; it accepts nothing."""
    first = leading_outcome(tally)
    if first is None or len(tally.leaders) == 1 or not tally.weight(first):
        return ""
    return f"; by weight {first} leads with {percent(weighted_share(tally, first))}, which decides nothing"


SPEC: Final = RuleSpec(rule=rule, always=True, needs=never)
