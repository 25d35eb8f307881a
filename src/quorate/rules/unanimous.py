"""Every seat itself stated the same choice."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    stated = tally.stated()
    undivided = all(voice.option for voice in stated)
    if len(stated) != len(tally.eligible) or len(tally.cast) != 1 or not undivided:
        return None
    (choice,) = tally.cast
    if len(tally.stated(choice)) != len(stated):
        return None  # whoever approves of nothing names no other option either
    return Verdict.on(tally, choice, f"all {len(stated)} seats chose {choice}", decided=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
