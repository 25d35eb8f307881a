"""What is said instead of an outcome that approves, where nobody may rely on it; and when nobody may.

No rulebook can approve something that no seat approved, or that a seat with a veto has not cleared.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Final

from quorate.model import Ranking, Tally, Verdict, Voice
from quorate.model.ballot import Estimate
from quorate.model.numbers import decimal, exact
from quorate.model.panel import name_list

__all__ = ["CAREFUL", "NOT_APPROVED", "careful_outcome", "cautious_word", "hold_unapproved", "is_boldest"]

CAREFUL: Final[Mapping[str, str]] = MappingProxyType({"ACT": "WARN", "SUPPORT": "UNCERTAIN", "YES": "UNDETERMINED"})
"""What approves in the protocols that ship, and what is said instead, whatever a rulebook made for another says."""
NOT_APPROVED: Final = "not_approved"
"""The rule that a verdict names when this check has lowered it. No file and no package can define or replace it."""
_UNKNOWN: Final = "UNDETERMINED"
_FINDS_NOTHING: Final = (_UNKNOWN, "INVALID")


def careful_outcome(tally: Tally, outcome: str | None) -> str | None:
    """The word that approves nothing; none where the outcome does not approve, as an option of a list does not."""
    if outcome in CAREFUL:
        return CAREFUL[outcome or ""]
    closed = "" if "UNDETERMINED" in tally.options else next(iter(tally.options), "")
    return tally.options[1] if outcome and outcome == closed and tally.options[1:] else None


def is_boldest(tally: Tally, outcome: str | None) -> bool:
    """Whether an outcome is the boldest of its scale; where seats name the options, any that was chosen."""
    scale = tally.options[:1]
    return outcome in CAREFUL or (not CAREFUL.keys() & {*scale} and _is_bold(tally, outcome))


def hold_unapproved(tally: Tally, verdict: Verdict) -> Verdict | None:
    """The cautious verdict in place of a bold one that fails a condition, none where the verdict may stay.

    It runs after every rule and cap, because a panel file chooses those and their settings.
    """
    if not _is_bold(tally, verdict.outcome):
        return None
    reason = _failed_condition(tally, verdict.outcome or "")
    return verdict.lowered(tally, cautious_word(tally), reason) if reason else None


def _is_bold(tally: Tally, outcome: str | None) -> bool:
    """Whether an outcome approves: every word does that isn't known to approve nothing, `act` and APPROVE as well."""
    # Findings have no scale: UNDETERMINED stands between the options, whichever of them is listed first.
    scale = () if _UNKNOWN in tally.options else tally.options[1:]
    return bool(outcome) and (outcome in tuple(CAREFUL) or outcome not in (*_FINDS_NOTHING, *scale))


def cautious_word(tally: Tally) -> str | None:
    """A word of this tally's own scale: one of another scale would be an option that nobody chose."""
    return _UNKNOWN if _UNKNOWN in tally.options else next(iter(tally.options[1:]), None)


def _failed_condition(tally: Tally, outcome: str) -> str:
    """Which condition fails, as a sentence; empty where none does."""
    if tally.vetoes:
        return f"{name_list([voice.seat for voice in tally.vetoes])} used the veto"
    stated = {voice.seat for voice in tally.all_stated}
    missing = [seat for seat in tally.guardians if seat not in stated]
    if missing:
        return f"{name_list(missing)} may veto and gave no ballot"
    if not any(_supports(voice, outcome, tally) for voice in tally.all_stated):
        return f"no seat itself {'argued for' if tally.sides else 'chose'} {outcome}"
    return ""


def _supports(voice: Voice, outcome: str, tally: Tally) -> bool:
    """Whether a ballot is one for the outcome. `tally.all_stated` leaves out votes that were assumed."""
    if isinstance(voice.vote, Ranking):
        return _ranks_above_another(voice.vote, outcome, tally)
    if isinstance(voice.vote, Estimate):
        return _is_within_estimates(outcome, tally)
    # Arguments of a round in which only one side spoke have no marks and don't count.
    return voice.backs(outcome) and (voice.quality is not None or not tally.sides)


def _ranks_above_another(vote: Ranking, outcome: str, tally: Tally) -> bool:
    """First place, or above some option: a Condorcet winner may be nobody's first choice."""
    place = next((at for at, options in enumerate(vote.ranking) if outcome in options), None)
    if not place:
        return place == 0
    # Options that a ballot leaves out come last on it, so those of other ballots matter too.
    orders = [other.vote.ranking for other in tally.all_stated if isinstance(other.vote, Ranking)]
    return bool(set(_options(*orders)) - set(_options(vote.ranking[: place + 1])))


def _options(*orders: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    return chain.from_iterable(chain.from_iterable(orders))


def _is_within_estimates(outcome: str, tally: Tally) -> bool:
    """Nobody needs to have named the median itself, but it lies between what seats did name."""
    number, values = exact(outcome), [voice.value for voice in tally.all_stated if voice.value is not None]
    if number is None or not values:
        return False
    # An outcome is written with 40 digits at most, so the ends are rounded the same way.
    return _rounded(min(values)) <= number <= _rounded(max(values))


def _rounded(value: Fraction) -> Fraction:
    return Fraction(decimal(value))
