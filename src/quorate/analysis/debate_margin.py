"""Two sides against each other: who is ahead by the margin, and how clearly."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from quorate.frozen import dataclass
from quorate.model import Tally, Verdict, Voice
from quorate.model.numbers import decimal, percent

__all__ = ["CAP", "MARGIN", "UNJUDGED", "Balance", "balance", "balance_verdict", "by_round", "sum_sides", "versus"]

MARGIN: Final = Fraction(6, 5)
CAP: Final = Fraction(19, 20)
EVEN: Final = Fraction(1, 2)
UNJUDGED: Final = "unjudged"
"""The figure a tally has where a judge was to decide and was silent."""

_SIDES: Final = 3
"""The outcomes of a debate: one for each side, and one between."""
_STOPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "consensus": "the moderator called the matter settled",
        "diminishing": "neither side brought a new claim",
        "max_rounds": "the last round was held, without consensus",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Which side is ahead, if any, and the confidence that goes with it."""

    ahead: Literal["pro", "con", ""]
    confidence: Fraction
    margin: Fraction = Fraction(1)
    """How many times the other side a side must weigh more than to be ahead."""


def balance(pro: Fraction, con: Fraction, *, margin: Fraction = MARGIN, cap: Fraction = CAP) -> Balance:
    """A side is ahead with strictly more than the margin times the other; its confidence is its share, capped.

    A side that scored nothing loses at the cap; nothing on either side is nobody ahead.
    """
    if pro > margin * con:
        return Balance(ahead="pro", confidence=min(pro / (pro + con), cap), margin=margin)
    if con > margin * pro:
        return Balance(ahead="con", confidence=min(con / (pro + con), cap), margin=margin)
    return Balance(ahead="", confidence=EVEN, margin=margin)


def sum_sides(tally: Tally, measure: Callable[[Voice], Fraction]) -> tuple[Fraction, Fraction]:
    """What a measure adds up to for the first outcome and for the last; where there are no two sides, nothing."""
    if not _two_sides(tally):
        return Fraction(0), Fraction(0)
    ends = (tally.options[0], tally.options[-1])
    first, last = (
        sum((measure(voice) for voice in tally.voices if voice.option == option), Fraction(0)) for option in ends
    )
    return first, last


def _two_sides(tally: Tally) -> bool:
    """Whether sides were given out, one to each end of the outcomes: of any other list none is the one between."""
    return tally.sides and len(tally.options) == _SIDES


def by_round(tally: Tally) -> Iterator[tuple[str, Tally]]:
    """The same tally round by round, as far as rounds count."""
    for name in dict.fromkeys(voice.round for voice in tally.voices if voice.quality is not None):
        yield name, replace(tally, voices=tuple(voice for voice in tally.voices if voice.round == name))


def balance_verdict(tally: Tally, found: Balance, told: str) -> Verdict:
    """The verdict a balance stands for: the first outcome, the last, or the one between where nobody is ahead."""
    place = 0 if found.ahead == "pro" else -1 if found.ahead == "con" else 1
    outcome = tally.options[place] if _two_sides(tally) else None
    review = any(caution.name == "judged_by_model" for caution in tally.cautions) or tally.figure(UNJUDGED) is not None
    verdict = Verdict.on(
        tally, outcome, f"{told}{_needed(tally, found)}{_ended(tally)}", decided=bool(found.ahead), review=review
    )
    dissent = verdict.dissent if found.ahead else ()
    return replace(verdict, confidence=found.confidence, dissent=dissent)


def _needed(tally: Tally, found: Balance) -> str:
    """What it would have taken to win, where a side may be ahead and yet not win."""
    if found.ahead or found.margin == 1 or not _two_sides(tally):
        return ""
    return f"; a side wins with more than {decimal(found.margin)} times the other"


def _ended(tally: Tally) -> str:
    rounds = len(tally.course.rounds)
    if not rounds:
        return ""
    why = _STOPS.get(tally.course.stop)
    return f"; the debate ended after {rounds} round{'s' * (rounds > 1)}{f': {why}' if why else ''}"


def plainly(value: Fraction) -> str:
    """A strength as it is written: two places, nothing that is something shown as nothing."""
    hundredths = max(round(value * 100), 1 if value else 0)
    return f"{hundredths // 100}.{hundredths % 100:02}"


def versus(tally: Tally, pro: Fraction, con: Fraction, what: str) -> str:
    """How two sums stand to each other, in words."""
    if not _two_sides(tally):
        return "these rules weigh two sides, and there are none here"
    total = pro + con
    shares = f" ({percent(pro / total)} to {percent(con / total)})" if total else ""
    return f"{what} {plainly(pro)} for {tally.options[0]}, {plainly(con)} for {tally.options[-1]}{shares}"
