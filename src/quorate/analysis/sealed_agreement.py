"""Whether sealed ballots agree so plainly that there is nothing to discuss."""

from fractions import Fraction
from typing import Final, Literal

from quorate.model import Ballot, Heard, Panel

__all__ = ["Debate", "agree_at_once"]

Debate = Literal["always", "when_split", "never"]

SURE: Final = Fraction(3, 4)
"""The mean confidence from which on a panel is sure."""
RISK: Final = Fraction(1, 2)
"""The risk above which a single seat is reason enough to discuss."""


def agree_at_once(panel: Panel, heard: Heard, sealed: str) -> bool:
    """Every voting seat cast the same, they are sure, nobody sees much risk, and nobody vetoed.

    What a seat left out counts against it: without a confidence or a risk there is something to discuss.
    """
    voters = panel.voters
    ballots = [ballot for seat in voters if (ballot := heard.ballot(sealed, seat)) is not None]
    if not voters or len(ballots) != len(voters) or any(map(_is_reason_to_talk, ballots)):
        return False
    confidence = sum((ballot.confidence or Fraction(0) for ballot in ballots), Fraction(0)) / len(ballots)
    return len({ballot.choice for ballot in ballots}) == 1 and confidence >= SURE


def _is_reason_to_talk(ballot: Ballot) -> bool:
    unsaid = ballot.confidence is None or ballot.risk is None
    return unsaid or ballot.abstain or ballot.veto or (ballot.risk is not None and ballot.risk > RISK)
