"""At least one seat states a confidence below the bound, or none."""

from fractions import Fraction
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.panel import name_list
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, below: Fraction = Fraction(2, 5), means: str = "REFUSE") -> Verdict | None:
    unsure = [voice.seat for voice in tally.stated() if voice.confidence is not None and voice.confidence < below]
    mute = [voice.seat for voice in tally.stated() if voice.confidence is None]
    if not unsure and not mute:
        return None
    low = f"{name_list(unsure)} {'are' if unsure[1:] else 'is'} less than {percent(below)} sure" if unsure else ""
    none = f"{name_list(mute)} {'state' if mute[1:] else 'states'} no confidence" if mute else ""
    return Verdict.on(tally, means, " and ".join(filter(None, (low, none))), decided=False)


SPEC: Final = RuleSpec(rule=rule, needs=never)
