"""Whose single ballot would have changed what came out: every seat that the search names, in a sentence."""

from collections.abc import Iterator, Sequence
from typing import Final

from quorate.analysis.flip_margin import Flip
from quorate.views.escape import one_line
from quorate.views.result import Decision

__all__ = ["close_lines"]

_LONGEST: Final = 80
_MOST_NAMED: Final = 7
"""Seats that one sentence names; of more it says how many."""


def close_lines(decision: Decision) -> list[str]:
    """Whose single ballot would have brought another outcome, would have decided it, or would have left it undecided.

    Where nobody voted there is no other vote.
    """
    if not decision.tally.stated():
        return []
    outcome, end = decision.verdict.outcome, "left it undecided" if decision.verdict.decided else "decided it"
    others = [flip for flip in decision.single_flips if flip.outcome != outcome]
    same = [flip for flip in decision.single_flips if flip.outcome == outcome]
    return [*_one_ballot(decision, others, "brought another outcome"), *_one_ballot(decision, same, end)]


def _one_ballot(decision: Decision, flips: Sequence[Flip], end: str) -> Iterator[str]:
    """One sentence for all seats of which the same is true, by what each would have done."""
    deeds: dict[str, list[str]] = {}
    for flip in flips:
        deeds.setdefault(_deed(decision, flip), []).append(one_line(flip.seats[0], _LONGEST))
    if deeds:
        told = ", or ".join(f"{deed} {_any_of(names)}" for deed, names in deeds.items())
        yield f"{told}{',' * (len(deeds) > 1)} would have {end}"


def _deed(decision: Decision, flip: Flip) -> str:
    chosen = {voice.seat: voice.choice for voice in decision.tally.stated()}
    if flip.vote == chosen.get(flip.seats[0]):
        return "another confidence or risk stated by"
    return {"": "no vote by", "VETO": "a veto by"}.get(flip.vote, "one other vote by")


def _any_of(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"any of {len(names)} seats"
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
