"""Exit codes: the one table. `quorate --help` ends with it and the reference page repeats it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.model import Verdict
    from quorate.views import Record
    from quorate.views.result import Result

__all__ = [
    "BLOCK",
    "ERROR",
    "HUNG_UP",
    "INTERRUPTED",
    "TABLE",
    "TERMINATED",
    "USAGE",
    "Gate",
    "gate_of",
    "gate_of_record",
    "plain_code",
]

DONE: Final = 0
ERROR: Final = 1
USAGE: Final = 2
BLOCK: Final = 2
UNHEARD: Final = 3
HELD: Final = 10
AGAINST: Final = 20
WAITING: Final = 30
HUNG_UP: Final = 129
INTERRUPTED: Final = 130
TERMINATED: Final = 143

TABLE: Final = (
    (DONE, "done; with --gate: ACT, or the outcome named"),
    (ERROR, "it could not be done; stderr says why in a sentence"),
    (USAGE, "the command line was not understood; or quorate hook failed, which blocks the tool call"),
    (UNHEARD, "nobody could be asked, with --gate too; or, without --gate, nobody gave a ballot that counts"),
    (HELD, "with --gate: WARN; or undecided, or for a person to review"),
    (AGAINST, "with --gate: REFUSE; or not the outcome named, or turned away"),
    (WAITING, "with --gate: the panel waits for a person"),
    (HUNG_UP, "stopped by SIGHUP, as when a terminal is closed; stderr says how to go on"),
    (INTERRUPTED, "stopped by Ctrl-C; stderr says how to go on"),
    (TERMINATED, "stopped by SIGTERM; stderr says how to go on"),
)

Settings = tuple[tuple[str, str], ...]

_BARE: Final[Mapping[str, int]] = MappingProxyType({"ACT": DONE, "WARN": HELD, "REFUSE": AGAINST})


_UNNAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "number": " when it answers with a number: a gate names no number, so compare verdict.outcome of --json",
        "probability": " when it answers with a probability: a gate names the side of 0.5, and the probability itself "
        "is in `quorate show ID --as oracle`",
    }
)
"""By the setting `answers`, why an outcome cannot be named."""


class Gate(str):
    """What --gate was given: an outcome, or nothing for the tribunal's own three."""

    __slots__ = ()

    def code(self, result: "Result", check: str = "holds") -> int:
        """The exit code that a result means at this gate; `check` is what came of judging its record again."""
        if check not in {"holds", "unfinished"}:
            return ERROR
        if result.state == "failed":
            return UNHEARD
        if result.decision is None:
            return WAITING if result.state == "waiting" else ERROR
        code = self._decided(result.decision.verdict, turned_away=result.state == "turned_away")
        # Whatever a demo panel comes to is nobody's answer, the careful outcomes and named options too.
        if code == DONE and result.decision.tally.demo:
            code = HELD
        for review in result.reviews:
            said = self._of(review.outcome)
            # Only where the owner was asked may a review open the gate; any other could be the caller's own.
            code = said if review.origin.may_loosen else max(code, said)
        return code

    def _decided(self, verdict: "Verdict", *, turned_away: bool) -> int:
        held = not verdict.decided or verdict.requires_human_review
        if not self:
            code = self._of(verdict.outcome)
            return HELD if code == DONE and held else code
        if turned_away:
            return AGAINST
        return HELD if held else self._of(verdict.outcome)

    def _of(self, outcome: str | None) -> int:
        """What an outcome means here, whoever says that it holds."""
        if not self:
            return _BARE.get(outcome or "", AGAINST)
        return DONE if (outcome or "").casefold() == self.casefold() else AGAINST


def gate_of(
    written: str | None, protocol: str, settings: Settings = (), options: tuple[str, ...] | None = ()
) -> Gate | None:
    """Read --gate against the outcomes there can be; open ones may be anything, and so may options not known yet.

    Raises:
        UnknownName: no such protocol.
        BadSetting: the protocol has no such outcome, or it must be named.
    """
    if written is None:
        return None
    outcomes, why = _outcomes(protocol, dict(settings), options)
    if not written and not (outcomes and set(outcomes) <= set(_BARE)):
        named = " or --gate ".join(outcomes) or '"the option that must win"'
        raise BadSetting(f"--gate needs an outcome with protocol {protocol!r}: --gate {named}")
    if written and outcomes and written.casefold() not in map(str.casefold, outcomes):
        raise BadSetting(f"protocol {protocol!r} has no outcome {written!r}{why}; there are {', '.join(outcomes)}")
    return Gate(written)


def plain_code(result: "Result") -> int:
    """The exit code without a gate: done, unless nobody of the panel gave anything that counts."""
    return UNHEARD if result.is_unheard else DONE


def gate_of_record(written: str | None, record: "Record") -> Gate | None:
    """The gate, read against what this deliberation could come to."""
    from quorate.model import Convened

    first = record.events[0]
    if not isinstance(first, Convened):
        return None
    return gate_of(written, first.protocol, first.settings, first.question.options)


def _outcomes(
    protocol: str, settings: Mapping[str, str], options: tuple[str, ...] | None
) -> tuple[tuple[str, ...], str]:
    """Every outcome that can be named, none if any words can be one, and what to say of those that cannot."""
    from quorate import catalogue

    spec = catalogue.protocol(protocol)
    variant = spec.variant(settings)
    if variant.listed:
        return () if options is None else (*options, *variant.outcomes), ""
    return variant.outcomes, _UNNAMED.get(settings.get(spec.varies_by, ""), "") if spec.varies_by else ""
