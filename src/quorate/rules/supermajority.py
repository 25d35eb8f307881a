"""One option, and only one, reaches the threshold."""

from fractions import Fraction
from math import ceil
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec, lead


def rule(tally: Tally, *, at_least: Fraction = Fraction(2, 3)) -> Verdict | None:
    if len(tally.leaders) != 1 or tally.agreement < at_least:
        return None
    (choice,) = tally.leaders
    heads = tally.heads(choice)
    # A vote that was assumed is counted, and nobody's choice.
    did = "chose" if len({voice.seat for voice in tally.stated(choice)}) == heads else "count for"
    because = f"{heads} of {len(tally.eligible)} seats ({percent(tally.agreement)}) {did} {choice}"
    return Verdict.on(tally, choice, because, decided=True)


def needs(seats: int, *, at_least: Fraction = Fraction(2, 3)) -> int:
    return max(ceil(at_least * seats), lead(seats))


SPEC: Final = RuleSpec(rule=rule, needs=needs)
