"""Talk cannot overrule the sealed vote: approval against what most seats sealed is held for a person."""

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
    sealed = f"{against} of {len(tally.eligible)} seats sealed something other than {instead_of} before the discussion"
    because = f"{verdict.because}; but {sealed}"
    return Verdict.on(tally, means, f"{because}; {instead_of} became {means}", decided=False, review=True)


SPEC: Final = RuleSpec(cap=cap)
