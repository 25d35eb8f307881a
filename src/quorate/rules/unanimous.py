"""Every seat itself stated the same choice."""

from typing import Final

from quorate.analysis.counted_words import all_of
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally) -> Verdict | None:
    stated = tally.all_stated
    if len(tally.counted) != 1 or len(stated) != len(tally.eligible):
        return None
    ((choice, heads),) = tally.counted.items()
    # Where every vote is one option of a seat's own, and there are as many heads as votes, nobody chose anything else.
    alike = tally.is_plain and not tally.assumed and heads == len(stated)
    if not alike and not all(voice.option and voice.backs(choice) for voice in stated):
        return None  # whoever approves of nothing names no other option either
    return Verdict.on(tally, choice, f"{all_of(len(stated), 'seat')} chose {choice}", decided=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
