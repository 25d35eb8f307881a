"""Always speaks: no clear majority, so the outcome set for that."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "WARN") -> Verdict | None:
    counts = ", ".join(f"{tally.heads(option)} {option}" for option in tally.options or tally.cast)
    chosen = {option for voice in tally.stated() for option in voice.choices}
    split = "the seats disagree:" if len(chosen) > 1 else "no other rule decides on"
    return Verdict.on(tally, means or None, f"{split} {counts}; {means} is the default", decided=False)


SPEC: Final = RuleSpec(rule=rule, always=True, needs=never)
