"""Always speaks: several options lead together, so none wins."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally) -> Verdict | None:
    most = max((tally.heads(option) for option in tally.cast), default=0)
    because = f"{len(tally.leaders)} options lead with {most} each, so none wins"
    if len(tally.leaders) == 1:
        because = f"{tally.leaders[0]!r} leads with {most} of {len(tally.eligible)} seats, which is not enough"
    return Verdict.on(tally, None, because, decided=False, review=True)


SPEC: Final = RuleSpec(rule=rule, always=True, needs=never)
