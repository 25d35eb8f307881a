"""The number by which verdicts of one rulebook are compared: the surer, the higher. It is no probability."""

from fractions import Fraction
from typing import Final

from quorate.model import Tally, Verdict

__all__ = ["SCALE", "verdict_score"]

SCALE: Final = 10**8


def verdict_score(tally: Tally, verdict: Verdict) -> Fraction | None:
    """The rule's own number, else of a debate its share of strength, else the share of seats behind it.

    None where there is no such number, as after a veto. To eight places, so that a setting can hold it in digits.
    """
    known = verdict.score if verdict.score is not None else verdict.confidence if tally.sides else verdict.agreement
    return None if known is None else Fraction(round(known * SCALE), SCALE)
