"""Whether a count can still change: every way in which the seats that have not cast their last ballot could cast it.

Nothing here knows a rule: whoever asks hands over how a tally is decided. Few ways are gone through one by one. Of many
a part stands for all: every mix of options with everybody sure or nobody, or the extremes alone, all alike. Whether a
part misses something under the rules that ship is tried by search, in the tests; other rules are not stopped on it.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product
from math import comb
from typing import Final, Literal

from quorate.frozen import dataclass
from quorate.model import Approval, Silence, Tally, Verdict, Voice
from quorate.model.ballot import NOT_NEEDED

__all__ = ["OpenBallots", "Part", "is_settled"]

Decide = Callable[[Tally], Verdict]
Cast = Voice | str
"""What a seat does: a ballot, or the word for why there is none."""
Given = tuple[tuple[str, Cast], ...]
"""What each of the open seats does."""

ONE_BY_ONE: Final = 400
"""Ways to vote that are gone through one by one."""
AT_MOST: Final = 4000
"""Ways to vote that are tried at most, a quarter of a second; of more nothing is said."""
ABSTAINS: Final = "abstains"
SILENT: Final = "silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBallots:
    """Seats whose last ballot is still to come, what they may choose from, and of which kind their votes are."""

    seats: tuple[str, ...]
    options: tuple[str, ...]
    approves: bool = False
    may_abstain: bool = True


Part = Literal["all", "mixes", "extremes"]
"""Which ways to vote stand for all of them where there are many."""


def is_settled(
    tally: Tally, still: OpenBallots, decide: Decide, *, part: Part = "all", one_by_one: int = ONE_BY_ONE
) -> bool:
    """Whether the outcome, whether it is decided and whether a person should look are the same whatever comes.

    Up to `one_by_one` ways are gone through; of more, the given part.
    """
    end = _ending(decide(_completed(tally, tuple((seat, NOT_NEEDED) for seat in still.seats))))
    guardians = tuple(seat for seat in still.seats if seat in tally.guardians)
    others = tuple(seat for seat in still.seats if seat not in tally.guardians)
    ways = _ways(still, guardians, others, part, one_by_one)
    return ways is not None and all(_ending(decide(_completed(tally, given))) == end for given in ways)


def _ways(
    still: OpenBallots, guardians: Sequence[str], others: Sequence[str], part: Part, one_by_one: int
) -> Iterator[Given] | None:
    """The ways to vote that are tried; none at all if there are too many."""
    casts, vetoes = tuple(_casts(still)), tuple(_vetoes(still))
    held = (len(casts) + len(vetoes)) ** len(guardians)
    every = held * comb(len(others) + len(casts) - 1, len(others))
    if every <= (AT_MOST if part == "all" else one_by_one):
        return _joined(_each(guardians, (*casts, *vetoes)), lambda: _mixed(others, casts))
    if part == "extremes":
        return _joined(_alike(guardians, (*casts, *vetoes)), lambda: _alike(others, casts))
    sure, unsure = (tuple(_casts(still, (mood,))) for mood in (1, 0))
    mixes = held * 2 * comb(len(others) + len(sure) - 1, len(others))
    if part == "all" or mixes > AT_MOST:
        return None
    return _joined(_each(guardians, (*casts, *vetoes)), lambda: chain(_mixed(others, sure), _mixed(others, unsure)))


def _joined(held: Iterable[Given], rest: Callable[[], Iterable[Given]]) -> Iterator[Given]:
    return ((*one, *other) for one in held for other in rest())


def _each(seats: Sequence[str], casts: Sequence[Cast]) -> Iterator[Given]:
    return (tuple(zip(seats, given, strict=True)) for given in product(casts, repeat=len(seats)))


def _mixed(seats: Sequence[str], casts: Sequence[Cast]) -> Iterator[Given]:
    return (tuple(zip(seats, given, strict=True)) for given in combinations_with_replacement(casts, len(seats)))


def _alike(seats: Sequence[str], casts: Sequence[Cast]) -> Iterator[Given]:
    # No seats at all vote in one way, not in as many as there are ballots.
    return (tuple((seat, cast) for seat in seats) for cast in (casts if seats else casts[:1]))


def _ending(verdict: Verdict) -> tuple[str | None, bool, bool]:
    return verdict.outcome, verdict.decided, verdict.requires_human_review


def _casts(still: OpenBallots, moods: tuple[int, ...] = (1, 0)) -> Iterator[Cast]:
    """Each option, sure and calm or unsure and alarmed; silence; and abstention where that is possible."""
    for sure in moods:
        for vote in _votes(still):
            yield Voice(
                seat="", option=vote.approved[0] if len(vote.approved) == 1 else "", confidence=Fraction(sure),
                risk=Fraction(1 - sure), vote=vote if still.approves else None,
            )  # fmt: skip
    yield SILENT
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
    still = {seat for seat, _ in given}
    known = {voice.seat: voice for voice in tally.voices if voice.seat not in still} | cast
    abstained = (*tally.abstained, *_seats_that(given, ABSTAINS))
    not_needed = (*(seat for seat in tally.not_needed if seat not in still), *_seats_that(given, NOT_NEEDED))
    return replace(
        tally,
        voices=tuple(known[seat] for seat in tally.eligible if seat in known),
        silent=_silent(tally, {*known, *abstained, *not_needed}),
        abstained=abstained,
        not_needed=not_needed,
    )


def _seats_that(given: Given, what: str) -> Iterator[str]:
    return (seat for seat, one in given if one == what)


def _silent(tally: Tally, answered: Container[str]) -> tuple[Silence, ...]:
    """Who neither votes nor abstains, each with the reason that is known."""
    reasons = {silence.seat: silence for silence in tally.silent}
    gone = (seat for seat in tally.eligible if seat not in answered)
    return tuple(reasons.get(seat, Silence(seat=seat, why="timeout")) for seat in gone)
