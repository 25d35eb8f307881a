"""There was no round in which both sides spoke: silence of one side is never a win for the other."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.model import Caution, Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, means: str = "UNCERTAIN", confidence: Fraction = Fraction(1, 2)) -> Verdict | None:
    if not tally.voices or any(voice.quality is not None for voice in tally.voices):
        return None
    gone = " and ".join(f"{silent.seat} ({silent.why})" for silent in tally.silent)
    because = f"no round in which both sides spoke{f': nothing from {gone}' if gone else ''}"
    verdict = Verdict.on(tally, means, because, decided=False, review=True)
    noted = Caution(name="one_sided", text="only one side was heard, or the sides never in the same round")
    return replace(verdict, confidence=confidence, dissent=(), cautions=(*verdict.cautions, noted))


SPEC: Final = RuleSpec(rule=rule, arguments=True)
