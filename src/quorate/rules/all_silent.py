"""Nobody gave a ballot."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.analysis.research import UNSUPPORTED
from quorate.model import Tally, Verdict
from quorate.model.specs import RuleSpec, never


def rule(tally: Tally, *, means: str = "REFUSE", confidence: Fraction | None = None) -> Verdict | None:
    if tally.all_stated:
        return None
    because = _why(tally) + _sealed(tally)
    return replace(Verdict.on(tally, means or None, because, decided=False, review=True), confidence=confidence)


def _why(tally: Tally) -> str:
    nobody = f"none of the {len(tally.eligible)} seats" if len(tally.eligible) > 1 else "no seat"
    if tally.abstained:
        return f"{nobody} chose an option, {len(tally.abstained)} abstained"
    if any(gone.why == UNSUPPORTED for gone in tally.silent):
        return f"{nobody} gave a finding that stands on a source"
    if tally.sides:
        return f"{nobody} made a case{_reasons(tally)}"
    final = "a final ballot" if tally.sealed is not None and tally.sealed.stated() else "a ballot"
    return f"{nobody} gave {final}{_reasons(tally)}"


def _reasons(tally: Tally) -> str:
    """What happened to how many, in the order of the seats."""
    counts = Counter(REASONS.get(gone.why, f"unreadable ({gone.why})") for gone in tally.silent)
    return ": " + ", ".join(f"{number} {why}" for why, number in counts.items()) if counts else ""


def _sealed(tally: Tally) -> str:
    """What had been sealed before the discussion that could not be finished."""
    if tally.sealed is None or not tally.sealed.stated():
        return ""
    counts = Counter(voice.choice for voice in tally.sealed.stated())
    return "; the votes before the discussion were " + ", ".join(
        f"{number} {choice}" for choice, number in counts.items()
    )


REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not_asked": "never asked",
        "no_longer_needed": "not needed any more",
        "timeout": "gave no answer in time",
        "deadline": "out of time",
        "budget": "out of budget",
        "unreachable": "unreachable",
        "breaker": "not asked because their provider had failed several times in a row",
        "refusal": "declined",
        "lookup": "asked to look something up instead of answering",
        "filter": "withheld by the provider",
        "rate_limited": "turned back by the provider's limit",
        "overloaded": "turned back by a provider that is busy",
        "server_error": "failed by an error at their provider",
        "bad_request": "turned back because the provider refused the request",
        "wrong_key": "without a valid key",
        "no_quota": "without quota or credit at their provider",
        "no_such_model": "without such a model",
        "too_long": "given more than the model can read",
        "tool_failed": "failed by its tool",
        "tool_missing": "without its tool",
        "empty": "empty",
        "no_ballot": "without a ballot that could be counted",
        "no_vote": "without a vote that could be counted",
        "no_argument": "without a case that could be counted",
    }
)
"""A reason for silence as it is told of a number of seats; what is not here came and could not be read."""

SPEC: Final = RuleSpec(rule=rule, needs=never)
