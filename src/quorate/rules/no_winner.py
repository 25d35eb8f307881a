"""Always speaks: several options lead together, so none wins."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally) -> Verdict | None:
    most = max((tally.heads(option) for option in tally.cast), default=0)
    because = f"{len(tally.leaders)} options lead with {most} each, so none wins"
    return Verdict.on(tally, None, because, decided=False, review=True)


SPEC: Final = RuleSpec(rule=rule, always=True, needs=never)
