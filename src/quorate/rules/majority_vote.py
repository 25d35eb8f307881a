"""Always speaks: one point a round for the side ahead by the margin, and more points win."""

from fractions import Fraction
from typing import Final

from quorate.analysis.debate_margin import balance, balance_verdict, by_round, sum_sides
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, margin: Fraction = Fraction(6, 5), cap_at: Fraction = Fraction(19, 20)) -> Verdict | None:
    sums = [sum_sides(held, lambda voice: voice.weight) for _, held in by_round(tally)]
    won = [balance(pro, con, margin=margin).ahead for pro, con in sums]
    pro, con = won.count("pro"), won.count("con")
    first, last = (tally.options[0], tally.options[-1]) if tally.options else ("one side", "the other")
    told = f"{first} won {pro} of {len(won)} rounds, {last} {con}"
    return balance_verdict(tally, balance(Fraction(pro), Fraction(con), margin=Fraction(1), cap=cap_at), told)


SPEC: Final = RuleSpec(rule=rule, always=True, arguments=True, breaks=("silence",))
