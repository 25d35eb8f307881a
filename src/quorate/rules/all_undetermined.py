"""Every seat finds that it cannot be determined."""

from typing import Final

from quorate.analysis.counted_words import all_of
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, means: str = "UNDETERMINED") -> Verdict | None:
    if not tally.eligible or tally.heads(means) != len(tally.eligible) or tally.cast != (means,):
        return None
    seats = len(tally.eligible)
    because = f"{all_of(seats, 'researcher')} {'find' if seats > 1 else 'finds'} that it cannot be determined"
    return Verdict.on(tally, means, because, decided=True, review=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
