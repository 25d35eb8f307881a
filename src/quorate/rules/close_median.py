"""The median, if the middle half of the estimates lies close together, whatever a silent seat would have said."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate.analysis.pooling import is_near
from quorate.analysis.quartiles import spread_of, worst_spread
from quorate.model import Tally, Verdict, Voice
from quorate.model.ballot import Estimate
from quorate.model.numbers import decimal, percent
from quorate.model.specs import RuleSpec


def rule(tally: Tally, *, within: Fraction = Fraction(1, 10)) -> Verdict | None:
    """`within` is how far the quartiles may lie apart, as a share of the median."""
    values = [voice.value for voice in tally.voices if voice.value is not None]
    worst = worst_spread(values, len(tally.eligible) - len(values))
    spread = spread_of(values)
    if spread is None or worst is None or len(values) < _TWO or worst[0] > within * worst[1]:
        return None
    behind = [voice for voice in tally.voices if _is_near(voice, spread.median, within)]
    because = (
        f"the median of {len(values)} of {len(tally.eligible)} seats is {decimal(spread.median)}; the middle half lies "
        f"from {decimal(spread.lower_quartile)} to {decimal(spread.upper_quartile)}, within {percent(within)} of it"
    )
    verdict = Verdict.on(tally, decimal(spread.median), because, decided=True)
    return replace(
        verdict,
        agreement=Fraction(len(behind), len(tally.eligible)),
        confidence=_mean_confidence(behind),
        dissent=tuple(voice.seat for voice in tally.voices if voice not in behind),
    )


def _is_near(voice: Voice, median: Fraction, within: Fraction) -> bool:
    return voice.value is not None and is_near(voice.value, median, within)


def _mean_confidence(voices: Sequence[Voice]) -> Fraction | None:
    """None where nobody says how sure they are."""
    sure = [voice.confidence for voice in voices if voice.confidence is not None]
    return sum(sure, Fraction(0)) / len(sure) if sure else None


_TWO: Final = 2

SPEC: Final = RuleSpec(rule=rule, votes=(Estimate,))
