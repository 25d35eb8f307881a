"""At least one seat states a confidence below the bound, or none."""

from fractions import Fraction
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.panel import name_list
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, below: Fraction = Fraction(2, 5), means: str = "REFUSE") -> Verdict | None:
    unsure = [voice.seat for voice in tally.stated() if voice.confidence is None or voice.confidence < below]
    if not unsure:
        return None
    return Verdict.on(
        tally,
        means,
        f"{name_list(unsure)} {'are' if unsure[1:] else 'is'} less than {percent(below)} sure",
        decided=False,
    )


SPEC: Final = RuleSpec(rule=rule, needs=never)
