"""Too few seats have a vote, their own or a carried one."""

from fractions import Fraction
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, more_than: Fraction = Fraction(1, 2), means: str = "") -> Verdict | None:
    if Fraction(len(tally.voices), max(1, len(tally.eligible))) > more_than:
        return None
    have = f"{len(tally.voices)} of {len(tally.eligible)} seats {'has' if len(tally.voices) == 1 else 'have'}"
    because = f"only {have} a vote, which is no quorum"
    return Verdict.on(tally, means or None, because, decided=False, review=True)


SPEC: Final = RuleSpec(rule=rule, needs=never)
