"""How a Delphi goes: what each seat estimates last, how far that lies apart after each round, and when to stop."""

from fractions import Fraction
from typing import Final

from quorate.analysis.conference_course import latest
from quorate.analysis.quartiles import Spread, spread_of
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.model import Ballot, Heard
from quorate.model.ballot import Estimate
from quorate.model.tally import Stop

__all__ = ["USUAL", "DelphiSettings", "LatestEstimate", "delphi_stop", "latest_estimates", "spread_after"]

LEAST: Final = 2
"""Rounds there are at least: one alone, one having seen the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelphiSettings:
    """How many rounds there are at most, and by which share the spread must shrink to be worth another."""

    max_rounds: int = 4
    min_shrink: Fraction = Fraction(1, 10)

    def __post_init__(self) -> None:
        """Refuse a Delphi that would be none.

        Raises:
            BadSetting: it has no second round, or a spread could never shrink enough.
        """
        if self.max_rounds < LEAST:
            raise BadSetting(f"max_rounds must be at least {LEAST}: one round alone, one with the others' answers")
        if not 0 <= self.min_shrink <= 1:
            raise BadSetting("min_shrink must be a share from 0 to 1, such as 10 %")


USUAL: Final = DelphiSettings()
"""As they are when nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestEstimate:
    """What a seat estimated last, and in which round."""

    seat: str
    round: int
    ballot: Ballot
    estimate: Estimate


def latest_estimates(heard: Heard, upto: int) -> tuple[LatestEstimate, ...]:
    """Each seat's latest estimate, in the order of the seats; who is silent later keeps it."""
    found = {
        vote.seat: LatestEstimate(seat=vote.seat, round=vote.round, ballot=vote.ballot, estimate=vote.ballot.vote)
        for vote in latest(heard, upto)
        if isinstance(vote.ballot.vote, Estimate) and not vote.ballot.abstain
    }
    return tuple(found[seat.name] for seat in heard.panel.voters if seat.name in found)


def spread_after(heard: Heard, number: int) -> Spread | None:
    """How far the estimates lie apart after a round; none if there are none."""
    return spread_of([one.estimate.value for one in latest_estimates(heard, number)])


def delphi_stop(heard: Heard, number: int, settings: DelphiSettings) -> Stop | None:
    """Why it ends after this round, none if it goes on: the spread still shrinks, or somebody answers at last."""
    if number >= settings.max_rounds:
        return "max_rounds"
    if number < LEAST:
        return None
    before, now = spread_after(heard, number - 1), spread_after(heard, number)
    if now is None or now.number == 1:
        return "impasse"
    if now.interquartile_range == 0:
        return "converged"
    if before is None:
        return None
    goes_on = now.interquartile_range <= before.interquartile_range * (1 - settings.min_shrink)
    return None if goes_on and now.interquartile_range < before.interquartile_range else "diminishing"
