"""The boldest and the most cautious outcome lead together, and nothing else does."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "REFUSE") -> Verdict | None:
    extremes = tally.options[:1] + tally.options[1:][-1:]
    if not extremes or len(tally.leaders) == 1 or tally.leaders != extremes:
        return None
    because = f"{' and '.join(extremes)} lead with {tally.heads(extremes[0])} each; a tie is settled on the safe side"
    return Verdict.on(tally, means, because, decided=False)


SPEC: Final = RuleSpec(rule=rule, breaks=("adding support", "monotone", "silence"), needs=never)
"""At 2/1/2 a tie is REFUSE, at 2/0/3 there is no tie and no two thirds either, so the default speaks."""
