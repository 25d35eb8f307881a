"""A share of the seats choose anything but the most cautious outcome."""

from fractions import Fraction
from typing import Final

from quorate.analysis.counted_words import chose
from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, at_least: Fraction = Fraction(3, 5), means: str = "WARN") -> Verdict | None:
    milder = tally.options[:-1]
    support = sum((tally.support(option) for option in milder), Fraction(0))
    if support < at_least:
        return None
    because = f"{percent(support)} of the seats {chose(tally, *milder)} {' or '.join(milder)}"
    return Verdict.on(tally, means, because, decided=True)


def needs(_seats: int, **_: object) -> int:
    """None: what is between may come out although nobody chose it."""
    return 0


SPEC: Final = RuleSpec(rule=rule, needs=needs)
