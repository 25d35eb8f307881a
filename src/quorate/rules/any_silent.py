"""At least one seat gave no ballot."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "REFUSE") -> Verdict | None:
    if not tally.silent:
        return None
    who = ", ".join(gone.seat for gone in tally.silent)
    return Verdict.on(tally, means, f"no ballot from {who}", decided=False)


SPEC: Final = RuleSpec(rule=rule, needs=never)
