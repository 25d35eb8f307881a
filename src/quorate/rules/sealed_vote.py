"""In a tribunal talk cannot overrule the sealed vote: approval against what most seats sealed is held for a person."""

from fractions import Fraction
from typing import Final, Literal

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(  # noqa: PLR0913 - each is a setting
    tally: Tally,
    verdict: Verdict,
    *,
    mode: Literal["guard", "report"] = "guard",
    at_least: Fraction = Fraction(2, 3),
    instead_of: str = "ACT",
    means: str = "WARN",
) -> Verdict | None:
    if mode == "report" or tally.sealed is None or verdict.outcome != instead_of:
        return None
    against = sum(voice.option != instead_of for voice in tally.sealed.voices)
    if Fraction(against, len(tally.eligible)) < at_least:
        return None
    seats = f"{against} of {len(tally.eligible)} seats"
    return verdict.lowered(tally, means, f"before the discussion {seats} had chosen something other than {instead_of}")


SPEC: Final = RuleSpec(cap=cap)
