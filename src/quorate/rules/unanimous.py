"""Every seat itself stated the same choice."""

from typing import Final

from quorate.analysis.counted_words import all_of
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    stated, cast = tally.stated(), tally.cast
    if len(cast) != 1 or len(stated) != len(tally.eligible) or not all(voice.option for voice in stated):
        return None
    (choice,) = cast
    if len(tally.stated(choice)) != len(stated):
        return None  # whoever approves of nothing names no other option either
    return Verdict.on(tally, choice, f"{all_of(len(stated), 'seat')} chose {choice}", decided=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
