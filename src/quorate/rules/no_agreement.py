"""Always speaks: the estimates lie too far apart, or too few seats gave one, so no number is agreed on."""

from dataclasses import replace
from typing import Final

from quorate.analysis.quartiles import spread_of
from quorate.model import Tally, Verdict
from quorate.model.ballot import Estimate
from quorate.model.numbers import decimal
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    values = [voice.value for voice in tally.voices if voice.value is not None]
    spread, missing = spread_of(values), len(tally.eligible) - len(values)
    gone = f"; {missing} of {len(tally.eligible)} seats gave no number and could have stood anywhere" if missing else ""
    told = "no seat gave a number"
    if spread is not None:
        told = (
            f"the median is {decimal(spread.median)}, the middle half lies from {decimal(spread.lower_quartile)} "
            f"to {decimal(spread.upper_quartile)}, all from {decimal(spread.lowest)} to {decimal(spread.highest)}"
        )
    if len(values) == 1:
        told = f"there is one estimate, {decimal(values[0])}, and no other to compare it with"
    verdict = Verdict.on(tally, None, f"no agreement: {told}{gone}", decided=False, review=True)
    return replace(verdict, agreement=None)


SPEC: Final = RuleSpec(rule=rule, always=True, votes=(Estimate,))
