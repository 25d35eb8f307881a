"""One option is approved by more seats than any other, and by enough of all seats."""

from fractions import Fraction
from math import ceil
from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.ballot import Approval
from quorate.model.numbers import percent
from quorate.model.specs import RuleSpec, lead


def rule(tally: Tally, *, at_least: Fraction = Fraction(0)) -> Verdict | None:
    if not all(isinstance(voice.vote, Approval) for voice in tally.voices):
        return None  # a choice, a first place or a number says nothing of what a seat approves of
    if len(tally.leaders) != 1 or tally.agreement < at_least:
        return None
    (choice,) = tally.leaders
    approvals, seats = tally.heads(choice), len(tally.eligible)
    next_best = max((tally.heads(option) for option in tally.cast if option != choice), default=0)
    because = f"{approvals} of {seats} seats ({percent(tally.support(choice))}) approve of {choice!r}"
    return Verdict.on(tally, choice, f"{because}; the next option has {next_best}", decided=True)


def needs(seats: int, *, at_least: Fraction = Fraction(0)) -> int:
    return max(ceil(at_least * seats), lead(seats))


SPEC: Final = RuleSpec(rule=rule, votes=(Approval,), needs=needs, breaks=("silence",))
