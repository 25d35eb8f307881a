"""Every seat itself stated the same choice."""

from typing import Final

from quorate.analysis.counted_words import all_of
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    stated = tally.stated()
    if len(tally.counted) != 1 or len(stated) != len(tally.eligible):
        return None
    (choice,) = tally.cast
    if not all(voice.option and voice.backs(choice) for voice in stated):
        return None  # whoever approves of nothing names no other option either
    return Verdict.on(tally, choice, f"{all_of(len(stated), 'seat')} chose {choice}", decided=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
