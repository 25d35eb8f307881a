"""One option, and only one, reaches the threshold."""

from fractions import Fraction

from quorate.model import Tally, Verdict
from quorate.model.numbers import percent


def rule(tally: Tally, *, at_least: Fraction = Fraction(2, 3)) -> Verdict | None:
    if len(tally.leaders) != 1 or tally.agreement < at_least:
        return None
    (choice,) = tally.leaders
    because = f"{tally.heads(choice)} of {len(tally.eligible)} seats ({percent(tally.agreement)}) chose {choice}"
    return Verdict.on(tally, choice, because, decided=True)
