"""A seat with the power of veto used it."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, means: str = "REFUSE") -> Verdict | None:
    if not tally.vetoes:
        return None
    who = " and ".join(voice.seat for voice in tally.vetoes)
    reasons = "; ".join(voice.reason for voice in tally.vetoes if voice.reason)
    return Verdict.on(tally, means, f"{who} used the veto{': ' + reasons if reasons else ''}", decided=True)


def needs(_seats: int, **_: object) -> int:
    return 1


SPEC: Final = RuleSpec(rule=rule, needs=needs, power=True)
