"""So many seats that did not approve hold the boldest outcome back, however many others approved."""

from collections import Counter
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def cap(
    tally: Tally, verdict: Verdict, *, at_least: int = 1, instead_of: str = "ACT", means: str = "WARN"
) -> Verdict | None:
    if verdict.outcome != instead_of:
        return None
    approvals = sum(voice.backs(instead_of) for voice in tally.all_stated)
    # A seat without a ballot counts too: otherwise knocking seats out would clear the way.
    objections = len(tally.eligible) - approvals
    if objections < at_least:
        return None
    enough = "1 is enough" if at_least == 1 else f"{at_least} are enough"
    seats = f"{objections} of {len(tally.eligible)} seats did not choose {instead_of} ({_casts(tally, instead_of)})"
    return verdict.lowered(tally, means, f"{seats}, and {enough} to hold it back")


def _casts(tally: Tally, bold: str) -> str:
    """What the others did: 2 WARN, 1 no ballot."""
    others = Counter(voice.option for voice in tally.all_stated if not voice.backs(bold))
    missing = len(tally.eligible) - len(tally.all_stated)
    casts = [f"{number} {option}" for option, number in sorted(others.items())]
    return ", ".join((*casts, *([f"{missing} no ballot"] if missing else [])))


SPEC: Final = RuleSpec(cap=cap)
