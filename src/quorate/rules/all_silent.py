"""Nobody gave a ballot."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.research import UNSUPPORTED
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "REFUSE", confidence: Fraction | None = None) -> Verdict | None:
    if tally.stated():
        return None
    because = f"none of the {len(tally.eligible)} seats {'made a case' if tally.sides else 'gave a ballot'}"
    if any(gone.why == UNSUPPORTED for gone in tally.silent):
        because = f"none of the {len(tally.eligible)} seats gave a finding that stands on a source"
    if tally.abstained:
        because = f"none of the {len(tally.eligible)} seats chose an option, {len(tally.abstained)} abstained"
    return replace(Verdict.on(tally, means or None, because, decided=False, review=True), confidence=confidence)


SPEC: Final = RuleSpec(rule=rule, needs=never)
