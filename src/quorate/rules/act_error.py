"""Act alone only where past decisions carry the promise: what is less sure than they were goes to a person."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.careful_outcome import careful_outcome
from quorate.analysis.verdict_score import verdict_score
from quorate.model import Tally, Verdict
from quorate.model.numbers import decimal, percent
from quorate.model.specs import RuleSpec
from quorate.model.verdict import HELD


def cap(  # noqa: PLR0913 - each is a setting
    tally: Tally,
    verdict: Verdict,
    *,
    at_most: Fraction = Fraction(1, 40),
    certified: bool = False,
    at_least: Fraction = Fraction(1),
    acts: int = 0,
    errors: int = 0,
    labels: int = 0,
    needed: int = 0,
) -> Verdict | None:
    if not verdict.decided:
        return None
    score = verdict_score(tally, verdict)
    if certified and score is not None and score >= at_least:
        return None
    promise = f"at most {percent(at_most)} of acts are wrong"
    if not certified:
        there = "there is 1 label" if labels == 1 else f"there are {labels} labels"
        short = f"{needed} error-free acts are needed, and {there}"
        reason = f"not enough labels to promise that {promise}: {short}"
        if labels >= needed:
            reason = f"the {labels} labelled past decisions do not carry the promise that {promise}"
    elif score is None:
        reason = f"this verdict has no score, so nothing promises that {promise}"
    else:
        seen = f"{errors} of {acts} past decisions with that score or more were wrong"
        reason = f"its score of {_shown(score)} is below {_shown(at_least)}, from which on {promise} ({seen})"
    careful = careful_outcome(tally, verdict.outcome)
    if careful is not None:
        return verdict.lowered(tally, careful, reason)
    return replace(verdict, because=f"{verdict.because}{HELD}{reason}, so a person decides", requires_human_review=True)


def _shown(score: Fraction) -> str:
    return decimal(Fraction(round(score * _SCALE), _SCALE))


_SCALE: Final = 10**6
SPEC: Final = RuleSpec(cap=cap)
