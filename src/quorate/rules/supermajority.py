"""One option, and only one, reaches the threshold."""

from fractions import Fraction
from math import ceil
from typing import Final

from quorate.analysis.counted_words import chose
from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec, lead


def rule(tally: Tally, *, at_least: Fraction = Fraction(2, 3)) -> Verdict | None:
    if len(tally.leaders) != 1 or tally.agreement < at_least:
        return None
    (choice,) = tally.leaders
    counted = f"{tally.heads(choice)} of {len(tally.eligible)} seats ({percent(tally.agreement)})"
    because = f"{counted} {chose(tally, choice)} {choice}"
    return Verdict.on(tally, choice, because, decided=True)


def needs(seats: int, *, at_least: Fraction = Fraction(2, 3)) -> int:
    return max(ceil(at_least * seats), lead(seats))


SPEC: Final = RuleSpec(rule=rule, needs=needs)
