"""More than a share of the seats choose the boldest outcome, and every stated risk is low."""

from fractions import Fraction
from math import floor
from typing import Final

from quorate.analysis.counted_words import chose
from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, above: Fraction = Fraction(4, 5), risk_below: Fraction = Fraction(3, 10)) -> Verdict | None:
    if not tally.options:
        return None
    bold = tally.options[0]
    low = all(voice.risk is not None and voice.risk < risk_below for voice in tally.stated())
    if tally.support(bold) <= above or not low:
        return None
    counted = f"{tally.heads(bold)} of {len(tally.eligible)} seats {chose(tally, bold)} {bold}"
    because = f"{counted}, every risk below {percent(risk_below)}"
    return Verdict.on(tally, bold, because, decided=True)


def needs(seats: int, *, above: Fraction = Fraction(4, 5), **_: object) -> int:
    return floor(above * seats) + 1


SPEC: Final = RuleSpec(rule=rule, needs=needs)
