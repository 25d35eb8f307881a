"""Always speaks: no clear majority, so the outcome set for that."""

from typing import Final

from quorate.analysis.counted_words import disagree
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "WARN") -> Verdict | None:
    counts = ", ".join([f"{tally.heads(option)} {option}" for option in tally.options or tally.cast])
    split = "the seats disagree:" if disagree(tally) else "no other rule decides on"
    return Verdict.on(tally, means or None, f"{split} {counts}; {means} is the default", decided=False)


SPEC: Final = RuleSpec(rule=rule, always=True, needs=never)
