"""Always speaks: several options are approved by equally many seats, none by enough, or none at all, so none wins."""

from typing import Final

from quorate.model import Tally, Verdict
from quorate.model.ballot import Approval
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally) -> Verdict | None:
    return Verdict.on(tally, None, _why(tally), decided=False, review=True)


def _why(tally: Tally) -> str:
    if not all(isinstance(voice.vote, Approval) for voice in tally.voices):
        return "the ballots say nothing of what a seat approves of, so none wins"
    if not tally.leaders:
        return "no seat approves of any option, so none wins"
    *others, last = map(repr, tally.leaders)
    number, seats = tally.heads(tally.leaders[0]), len(tally.eligible)
    if others:
        return f"{', '.join(others)} and {last} lead with {number} of {seats} seats each, so none wins"
    return f"{last} leads with {number} of {seats} seats, which is not enough"


SPEC: Final = RuleSpec(rule=rule, always=True, votes=(Approval,), needs=never)
