"""At least one seat states a confidence below the bound, or none."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.numbers import percent
from quorate.model.panel import name_list
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, below: Fraction = Fraction(2, 5), means: str = "REFUSE") -> Verdict | None:
    stated = tally.stated()
    unsure = [voice.seat for voice in stated if voice.confidence is not None and voice.confidence < below]
    unstated = [voice.seat for voice in stated if voice.confidence is None]
    told = (_told(unsure, "is", "are", f"less than {percent(below)} sure"), _told(unstated, "states", "state", _NONE))
    because = " and ".join(filter(None, told))
    return Verdict.on(tally, means, because, decided=False) if because else None


def _told(seats: Sequence[str], one: str, several: str, what: str) -> str:
    return f"{name_list(seats)} {several if seats[1:] else one} {what}" if seats else ""


_NONE: Final = "no confidence"
SPEC: Final = RuleSpec(rule=rule, needs=never)
