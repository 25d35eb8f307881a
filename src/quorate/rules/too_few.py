"""Too few researchers came back with a finding."""

from typing import Final

from quorate.analysis.research import UNSUPPORTED
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, min_seats: int = 3, means: str = "INVALID") -> Verdict | None:
    valid = len(tally.stated())
    if valid >= max(1, min_seats):
        return None
    without = [gone.seat for gone in tally.silent if gone.why == UNSUPPORTED]
    if not valid and not without:
        return None  # nobody answered at all, and there is a rule for that
    cited = f"; {', '.join(without)} cited no source that counts" if without else ""
    because = f"Only {valid} agents succeeded, need {max(1, min_seats)}{cited}"
    return Verdict.on(tally, means, because, decided=False, review=True)


SPEC: Final = RuleSpec(rule=rule, needs=never)
