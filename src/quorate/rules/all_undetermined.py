"""Every seat finds that it cannot be determined."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, means: str = "UNDETERMINED") -> Verdict | None:
    if not tally.eligible or tally.heads(means) != len(tally.eligible) or tally.cast != (means,):
        return None
    because = f"all {len(tally.eligible)} researchers find that it cannot be determined"
    return Verdict.on(tally, means, because, decided=True, review=True)


def needs(seats: int, **_: object) -> int:
    return seats


SPEC: Final = RuleSpec(rule=rule, needs=needs)
