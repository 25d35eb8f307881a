"""One outcome is found by enough of the configured seats, by heads, by weight, or by both."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Final, Literal

from quorate.analysis.source_weights import clamp_ratio, deciding_weight
from quorate.model import Caution, Tally, Verdict
from quorate.model.numbers import decimal, percent
from quorate.model.specs import RuleSpec


def rule(  # noqa: PLR0913 - each is a setting
    tally: Tally,
    *,
    at_least: Fraction = Fraction(2, 3),
    decide_by: Literal["heads", "weighted", "both"] = "heads",
    weight_ratio: Fraction = Fraction(3, 2),
    min_confidence: Fraction = Fraction(1, 2),
    max_source_overlap: Fraction = Fraction(4, 5),
    unknown: str = "UNDETERMINED",
) -> Verdict | None:
    shares = {option: _share(tally, option, clamp_ratio(weight_ratio)) for option in tally.cast}
    by_heads = {option for option in tally.cast if tally.heads(option) >= _needed(tally, at_least)}
    by_weight = {option for option, share in shares.items() if share >= at_least and 2 * share > 1}
    passed = {"heads": by_heads, "weighted": by_weight, "both": by_heads & by_weight}[decide_by]
    if len(passed) != 1:
        return None
    (choice,) = passed
    doubts = tuple(_doubts(tally, choice, min_confidence))
    weighed = "" if decide_by == "heads" else f", {percent(shares[choice])} of the weight"
    because = f"{tally.heads(choice)} of {len(tally.eligible)} researchers ({percent(tally.support(choice))}) find"
    review = bool(doubts) or choice == unknown or _copies(tally, max_source_overlap)
    verdict = Verdict.on(tally, choice, f"{because} {choice}{weighed}{_pooled(tally)}", decided=True, review=review)
    return replace(verdict, cautions=(*verdict.cautions, *doubts))


def _needed(tally: Tally, at_least: Fraction) -> int:
    """Heads that carry an outcome: the threshold, and always more than half of the configured seats."""
    seats = len(tally.eligible)
    return max(ceil(at_least * seats), seats // 2 + 1)


def _share(tally: Tally, option: str, ratio: Fraction) -> Fraction:
    """The share of all weight, a seat without a finding weighing as much as any can: to knock one out helps nobody."""
    weights = {voice.seat: (voice.option, deciding_weight(voice.weight, ratio)) for voice in tally.voices}
    behind = sum((weighs for chosen, weighs in weights.values() if chosen == option), Fraction(0))
    cast = sum((weighs for _, weighs in weights.values()), Fraction(0))
    total = cast + len(tally.eligible) - len(weights)
    return behind / total if total else Fraction(0)


def _doubts(tally: Tally, choice: str, sure: Fraction) -> Iterator[Caution]:
    confidence = tally.confidence(choice)
    if confidence is not None and confidence < sure:
        text = f"those behind {choice} are {percent(confidence)} sure on average, less than {percent(sure)}"
        yield Caution(name="low_confidence", text=text)


def _copies(tally: Tally, common: Fraction) -> bool:
    """Whether two researchers cite nearly the same; the count has said who. A library may leave them no choice."""
    shared = tally.figure("overlap")
    return shared is not None and shared > common and tally.figure("library") is None


def _pooled(tally: Tally) -> str:
    """What the numbers come to, where numbers were asked for."""
    chance, lowest, highest = (tally.figure(name) for name in ("probability", "lowest", "highest"))
    if lowest is None or highest is None:
        return ""
    spread = f"from {decimal(lowest)} to {decimal(highest)}"
    return f"; stated {spread}" if chance is None else f"; pooled probability {decimal(chance)}, stated {spread}"


def needs(
    seats: int,
    *,
    at_least: Fraction = Fraction(2, 3),
    decide_by: str = "heads",
    weight_ratio: Fraction = Fraction(3, 2),
    **_: object,
) -> int:
    """Heads; where weights decide, the fewest that outweigh all others if those are as light as can be."""
    by_heads = max(ceil(at_least * seats), seats // 2 + 1)
    return by_heads if decide_by != "weighted" else _outweighing(seats, at_least, clamp_ratio(weight_ratio))


def _outweighing(seats: int, at_least: Fraction, ratio: Fraction) -> int:
    shares = (Fraction(heads) / (heads + (seats - heads) / ratio) for heads in range(1, seats + 1))
    return next((heads for heads, share in enumerate(shares, 1) if share >= at_least and 2 * share > 1), seats + 1)


def terms(*, decide_by: str = "heads", weight_ratio: Fraction = Fraction(3, 2), **_: object) -> str:
    return (
        ""
        if decide_by == "heads"
        else f"the heaviest seat counts at most {clamp_ratio(weight_ratio)} times the lightest"
    )


SPEC: Final = RuleSpec(rule=rule, needs=needs, terms=terms)
