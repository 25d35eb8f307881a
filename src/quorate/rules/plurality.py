"""One option has more votes than any other."""

from typing import Final

from quorate.analysis.counted_words import chose
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, lead


def rule(tally: Tally) -> Verdict | None:
    if len(tally.leaders) != 1:
        return None
    (choice,) = tally.leaders
    votes, seats = tally.heads(choice), len(tally.eligible)
    others = [tally.heads(option) for option in tally.cast if option != choice]
    ahead = f", {votes - max(others)} ahead of the next" if others else ""
    half = (
        ", more than half of the seats"
        if 2 * votes > seats
        else ": the most votes, but not more than half of the seats"
    )
    because = f"{votes} of {seats} seats {chose(tally, choice)} {choice!r}{ahead}{half}"
    return Verdict.on(tally, choice, because, decided=True)


SPEC: Final = RuleSpec(rule=rule, needs=lead, breaks=("silence",))
