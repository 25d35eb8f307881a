"""A demo panel's findings carry no information, so it establishes nothing: no YES, no option, no number."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(tally: Tally, verdict: Verdict, *, means: str = "UNDETERMINED", keeps: str = "INVALID") -> Verdict | None:
    if not tally.demo or verdict.outcome is None or verdict.outcome in {means, keeps}:
        return None
    return verdict.lowered(tally, means or None, "this is a demo panel, which does not answer the question")


SPEC: Final = RuleSpec(cap=cap)
