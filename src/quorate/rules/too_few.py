"""Too few researchers came back with a finding."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, min_seats: int = 3, means: str = "INVALID") -> Verdict | None:
    valid = len(tally.stated())
    if valid >= min_seats:
        return None
    because = f"Only {valid} agents succeeded, need {min_seats}"
    return Verdict.on(tally, means, because, decided=False, review=True)


SPEC: Final = RuleSpec(rule=rule, needs=never)
