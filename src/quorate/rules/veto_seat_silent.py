"""A silent seat that holds the veto can never be outvoted: what would be approved is held."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(tally: Tally, verdict: Verdict, *, instead_of: str = "ACT", means: str = "WARN") -> Verdict | None:
    if verdict.outcome != instead_of:
        return None
    stated = {voice.seat for voice in tally.stated()}
    missing = [seat for seat in tally.guardians if seat not in stated]
    if not missing:
        return None
    return verdict.lowered(tally, means, f"{', '.join(missing)} may veto and gave no ballot")


SPEC: Final = RuleSpec(cap=cap)
