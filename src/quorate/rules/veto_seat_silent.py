"""A silent seat that holds the veto can never be outvoted: what would be approved is held."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(tally: Tally, verdict: Verdict, *, instead_of: str = "ACT", means: str = "WARN") -> Verdict | None:
    stated = {voice.seat for voice in tally.stated()}
    missing = [seat for seat in tally.guardians if seat not in stated]
    if not missing or verdict.outcome != instead_of:
        return None
    held = f"{', '.join(missing)} may veto and gave no ballot: what would be {instead_of} is {means}"
    because = f"{verdict.because}; but {held}"
    return Verdict.on(tally, means, because, decided=False, review=True)


SPEC: Final = RuleSpec(cap=cap)
