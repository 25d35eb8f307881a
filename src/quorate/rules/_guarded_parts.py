"""Rules of other packages, asked so that nothing they raise or return can cost the record its verdict."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from quorate.analysis.careful_outcome import cautious_word
from quorate.catalogue import is_shipped
from quorate.errors import QuorateError
from quorate.model import Caution, Tally, Verdict

__all__ = ["COUNT_FAILED", "RULE_FAILED", "PartFailed", "failed_count", "guard_rule", "hold_undecided"]

RULE_FAILED: Final = "rule_failed"
"""The rule that a verdict names when a rule of another package failed, and the caution that says which."""
COUNT_FAILED: Final = "count_failed"
"""The same where a way to count of another package failed, so that there was nothing to decide on."""

_SHARE: Final = (Fraction, type(None))
_TYPES: Final = {
    "outcome": (str, type(None)),
    "decided": (bool,),
    "because": (str,),
    "agreement": _SHARE,
    "confidence": _SHARE,
    "dissent": (tuple,),
    "cautions": (tuple,),
    "requires_human_review": (bool,),
    "score": _SHARE,
}
"""What the fields of a verdict may be: anything else could not be recorded, or would not be exact."""


class PartFailed(QuorateError):
    """A rule of another package raised something, or returned what is no verdict."""


def guard_rule(name: str, function: Callable[..., Verdict | None]) -> Callable[..., Verdict | None]:
    """A rule or a cap that is asked by us; what ships is left as it is, because there a failure is a bug of ours."""
    if is_shipped(function):
        return function

    def ask(*counted: Any, **settings: Any) -> Verdict | None:  # noqa: ANN401 - a tally, for a cap a verdict, settings
        try:
            verdict = function(*counted, **settings)
        except (Exception, SystemExit) as wrong:
            # Only the type is recorded: the words of an error may differ each time, and the record is decided again.
            raise PartFailed(f"rule {name!r} ({function.__module__}) raised {type(wrong).__name__}") from wrong
        if fault := _fault(verdict):
            raise PartFailed(f"rule {name!r} ({function.__module__}) returned {fault}")
        return verdict

    return ask


def _fault(verdict: object) -> str:
    """What is wrong with what a rule returned; empty if it can be recorded."""
    if verdict is None:
        return ""
    if not isinstance(verdict, Verdict):
        return f"{type(verdict).__name__}, which is no Verdict"
    for field, types in _TYPES.items():
        value = getattr(verdict, field)
        if not isinstance(value, types):
            return f"a verdict whose {field} is {type(value).__name__}"
    if not _are(verdict.dissent, str):
        return "a verdict whose dissent holds more than names of seats"
    return "" if _are(verdict.cautions, Caution) else "a verdict whose cautions are not all cautions"


def _are(values: tuple[object, ...], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def hold_undecided(tally: Tally, rule: str, reason: str) -> Verdict:
    """The cautious outcome, for a person to review: what is said when a part of the rulebook could not be asked."""
    because = f"{reason}, so nothing was decided and a person should look"
    verdict = Verdict.on(tally, cautious_word(tally), because, decided=False, review=True)
    if rule == RULE_FAILED:
        text = f"{reason}; every ballot is recorded, and another rulebook can decide on them without new calls"
        verdict = replace(verdict, cautions=(*verdict.cautions, Caution(name="rule_failed", text=text)))
    return replace(verdict, rule=rule, dissent=())


def failed_count(tally: Tally) -> str:
    """Why the ballots of a tally could not be counted; empty where they were."""
    return next((caution.text for caution in tally.cautions if caution.name == COUNT_FAILED), "")
