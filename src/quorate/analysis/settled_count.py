"""Whether a count can still change: every way in which the seats that have not cast their last ballot could cast it.

Nothing here knows a rule: whoever asks hands over how a tally is decided. Few ways are gone through one by one. Of many
only the extremes are tried, all alike and whoever may veto apart; that this misses nothing under the rules that ship is
refuted by search, in the tests, and other rules are not stopped on it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import Final

from quorate.model import Approval, Silence, Tally, Verdict, Voice

__all__ = ["OpenBallots", "is_settled"]

Decide = Callable[[Tally], Verdict]
Cast = Voice | str
"""What a seat does: a ballot, or the word for why there is none."""

ONE_BY_ONE: Final = 400
"""Ways to vote that are gone through one by one."""
AT_MOST: Final = 4000
"""The same, where the rules are somebody else's."""
ABSTAINS: Final = "abstains"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBallots:
    """Seats whose last ballot is still to come, what they may choose from, and of which kind their votes are."""

    seats: tuple[str, ...]
    options: tuple[str, ...]
    approves: bool = False
    may_abstain: bool = True


def is_settled(tally: Tally, still: OpenBallots, decide: Decide, *, by_extremes: bool) -> bool:
    """Whether the outcome, whether it is decided and whether a person should look are the same whatever comes.

    With `by_extremes` many ways are judged by the extremes among them.
    """
    end = _ending(decide(_completed(tally, tuple((seat, "no_longer_needed") for seat in still.seats))))
    guardians = [seat for seat in still.seats if seat in tally.guardians]
    others = [seat for seat in still.seats if seat not in tally.guardians]
    casts, vetoes = tuple(_casts(still)), tuple(_vetoes(still))
    ways = (len(casts) + len(vetoes)) ** len(guardians) * comb(len(others) + len(casts) - 1, len(others))
    if ways > AT_MOST and not by_extremes:
        return False
    few = ways <= (ONE_BY_ONE if by_extremes else AT_MOST)
    for held in _held(guardians, (*casts, *vetoes), few=few):
        for rest in _rest(others, casts, few=few):
            if _ending(decide(_completed(tally, (*held, *rest)))) != end:
                return False
    return True


def _ending(verdict: Verdict) -> tuple[str | None, bool, bool]:
    return verdict.outcome, verdict.decided, verdict.requires_human_review


Given = tuple[tuple[str, Cast], ...]


def _held(seats: Sequence[str], casts: Sequence[Cast], *, few: bool) -> Iterator[Given]:
    """What those who may veto do, each for itself; where there are many of them, all alike."""
    if few:
        yield from (tuple(zip(seats, given, strict=True)) for given in product(casts, repeat=len(seats)))
    else:
        yield from (tuple((seat, cast) for seat in seats) for cast in casts)


def _rest(seats: Sequence[str], casts: Sequence[Cast], *, few: bool) -> Iterator[Given]:
    if few:
        every = combinations_with_replacement(casts, len(seats))
        yield from (tuple(zip(seats, given, strict=True)) for given in every)
    else:
        yield from (tuple((seat, cast) for seat in seats) for cast in casts)


def _casts(still: OpenBallots) -> Iterator[Cast]:
    """Each option, sure and calm or unsure and alarmed; silence; and abstention where that is possible."""
    for sure in (1, 0):
        for vote in _votes(still):
            yield Voice(
                seat="", option=vote.approved[0] if len(vote.approved) == 1 else "", confidence=Fraction(sure),
                risk=Fraction(1 - sure), vote=vote if still.approves else None,
            )  # fmt: skip
    yield "no_longer_needed"
    if still.may_abstain:
        yield ABSTAINS


def _votes(still: OpenBallots) -> Iterator[Approval]:
    yield from (Approval((option,)) for option in still.options)
    if still.approves:
        yield from (Approval(tuple(one for one in still.options if one != option)) for option in still.options)
        yield from (Approval(still.options), Approval(()))


def _vetoes(still: OpenBallots) -> Iterator[Cast]:
    if still.options and not still.approves:
        for risk in (1, 0):
            yield Voice(seat="", option=still.options[-1], veto=True, confidence=Fraction(1), risk=Fraction(risk))


def _completed(tally: Tally, given: Given) -> Tally:
    """The tally with these ballots in it."""
    cast = {seat: replace(one, seat=seat) for seat, one in given if isinstance(one, Voice)}
    quiet = {seat: one for seat, one in given if isinstance(one, str)}
    known = {voice.seat: voice for voice in tally.voices if voice.seat not in quiet} | cast
    silent = {silence.seat: silence for silence in tally.silent}
    gone = [seat for seat in tally.eligible if seat not in known and quiet.get(seat) != ABSTAINS]
    return replace(
        tally,
        voices=tuple(known[seat] for seat in tally.eligible if seat in known),
        silent=tuple(
            silent.get(seat, Silence(seat=seat, why="timeout")) for seat in gone if seat not in tally.abstained
        ),
        abstained=(*tally.abstained, *(seat for seat, one in quiet.items() if one == ABSTAINS)),
    )
