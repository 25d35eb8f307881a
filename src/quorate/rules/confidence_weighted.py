"""Always speaks: the side whose arguments weigh more by the margin, confidence × evidence quality × consistency."""

from fractions import Fraction
from typing import Final

from quorate.analysis.debate_margin import balance, balance_verdict, sum_sides, versus
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, margin: Fraction = Fraction(6, 5), cap_at: Fraction = Fraction(19, 20)) -> Verdict | None:
    pro, con = sum_sides(tally, lambda voice: voice.weight)
    return balance_verdict(tally, balance(pro, con, margin=margin, cap=cap_at), versus(tally, pro, con, "strength"))


SPEC: Final = RuleSpec(rule=rule, always=True, arguments=True, breaks=("silence",))
