"""How close it was: the fewest ballots that, cast otherwise or not at all, would have brought another outcome.

The same outcome, but decided where it was not or the other way round, is another one here, and each example says so.
Nothing here knows a rule: whoever asks hands over how a tally is decided. One ballot is tried seat by seat. Of several
each set is tried with one and the same other ballot, seats that voted alike standing for each other; that this misses
nothing under the rulebooks that ship is refuted by search over all ballots of small panels, in the tests.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from quorate.frozen import dataclass
from quorate.model import Silence, Tally, Verdict, Voice

__all__ = ["MOST_TRIED", "Flip", "FlipMargin", "flip_margin", "single_flips"]

Decide = Callable[[Tally], Verdict]
MOST_TRIED: Final = 600
"""Tallies that are decided for one answer: about twenty milliseconds."""
ANOTHER: Final = "another option"
"""Stands for any that nobody has named, where seats may name what they like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Seats that need to have voted otherwise, how they would have voted, and what would have come out."""

    seats: tuple[str, ...]
    vote: str
    outcome: str | None
    decided: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipMargin:
    """The fewest ballots; none where no number of them brings anything else, or the search ended at `at_least`.

    `flips` are examples: with one ballot every seat that is enough, else one smallest set.
    """

    ballots: int | None
    at_least: int
    flips: tuple[Flip, ...] = ()


class _Other(NamedTuple):
    """Another ballot: an option, or silence; with the numbers the seat had, or these."""

    option: str
    veto: bool = False
    sure: Fraction | None = None

    @property
    def words(self) -> str:
        return "VETO" if self.veto else self.option

    def of(self, seat: str, before: Voice | None) -> Voice | None:
        """What is counted for a seat that votes so; one that gave no ballot may have been as sure as any."""
        if not self.option:
            return None
        voice = before or Voice(seat=seat, option="", confidence=Fraction(1), risk=Fraction(0))
        recast = replace(voice, option=self.option, veto=self.veto)
        return recast if self.sure is None else replace(recast, confidence=self.sure, risk=1 - self.sure)


def flip_margin(tally: Tally, decide: Decide) -> FlipMargin | None:
    """The margin of a verdict; none where votes are more than one option each, or sides were given out."""
    if not _fits(tally):
        return None
    alone = single_flips(tally, decide)
    if alone:
        return FlipMargin(ballots=1, at_least=1, flips=alone)
    end, tried = _ending(decide(tally)), 0
    for size in range(2, len(tally.eligible) + 1):
        for seats in _sets(tally, size):
            for other in _others(tally):
                tried += 1
                if tried > MOST_TRIED:
                    return FlipMargin(ballots=None, at_least=size)
                found = decide(_changed(tally, seats, other))
                if _ending(found) != end:
                    return FlipMargin(ballots=size, at_least=size, flips=(_flip(seats, other, found),))
    return FlipMargin(ballots=None, at_least=len(tally.eligible) + 1)


def single_flips(tally: Tally, decide: Decide) -> tuple[Flip, ...]:
    """Every seat whose ballot alone, had it been another, would have brought another outcome, decided or not."""
    return (*_single_flips(tally, decide),) if _fits(tally) else ()


def _single_flips(tally: Tally, decide: Decide) -> Iterator[Flip]:
    verdict = decide(tally)
    for seat in tally.eligible:
        flip = _plainest(verdict, _flips_of(seat, tally, decide))
        if flip is not None:
            yield flip


def _flips_of(seat: str, tally: Tally, decide: Decide) -> Iterator[Flip]:
    chosen = {voice.seat: voice.option for voice in tally.voices}.get(seat)
    # Where it is the numbers that matter, the seat keeps its option: another one would be blamed for it.
    for other in sorted(_others(tally), key=lambda one: one.sure is not None and one.option != chosen):
        yield _flip((seat,), other, decide(_changed(tally, (seat,), other)))


def _plainest(verdict: Verdict, flips: Iterator[Flip]) -> Flip | None:
    """The first vote for an option that brings another outcome, else the first that changes whether it is decided."""
    first = None
    for flip in flips:
        if flip.outcome != verdict.outcome and flip.vote not in {"", "VETO"}:
            return flip
        if first is None and (flip.outcome, flip.decided) != _ending(verdict):
            first = flip
    return first


def _fits(tally: Tally) -> bool:
    plain = all(voice.vote is None and voice.value is None and not voice.round for voice in tally.voices)
    return plain and not tally.sides and not tally.demo


def _ending(verdict: Verdict) -> tuple[str | None, bool]:
    return verdict.outcome, verdict.decided


def _flip(seats: tuple[str, ...], other: _Other, found: Verdict) -> Flip:
    return Flip(seats=seats, vote=other.words, outcome=found.outcome, decided=found.decided)


def _others(tally: Tally) -> Iterator[_Other]:
    """Every ballot there could have been: each option, sure and calm or unsure and alarmed; silence; a veto."""
    options = tally.listed or tally.options or (*tally.cast, ANOTHER)
    yield from map(_Other, options)
    yield _Other("")
    yield _Other(options[-1], veto=True)
    yield from (_Other(option, sure=Fraction(sure)) for option in options for sure in (1, 0))


def _changed(tally: Tally, seats: Sequence[str], other: _Other) -> Tally:
    """The tally with these ballots cast otherwise; where the sealed ballots are what is counted, those too."""
    changing = [seat for seat in seats if not other.veto or seat in tally.guardians]
    changed = _recast(tally, changing, other)
    if tally.sealed is not None and tally.course.stop == "agreed":
        return replace(changed, sealed=_recast(tally.sealed, changing, other))
    return changed


def _recast(tally: Tally, seats: Sequence[str], other: _Other) -> Tally:
    before: dict[str, Voice | None] = {voice.seat: voice for voice in tally.voices if not voice.assumed}
    after = before | {seat: other.of(seat, before.get(seat)) for seat in seats}
    abstained = tuple(seat for seat in tally.abstained if seat not in seats)
    silent = {silence.seat: silence for silence in tally.silent}
    quiet = [seat for seat in tally.eligible if not after.get(seat) and seat not in abstained]
    return replace(
        tally,
        voices=tuple(filter(None, map(after.get, tally.eligible))),
        silent=tuple(silent.get(seat, Silence(seat=seat, why="timeout")) for seat in quiet),
        abstained=abstained,
    )


def _sets(tally: Tally, size: int) -> Iterator[tuple[str, ...]]:
    """Every set of so many seats; of sets whose seats voted alike, one."""
    cast = {voice.seat: replace(voice, seat="", reason="", quotes=()) for voice in tally.voices}
    seen: set[tuple[object, ...]] = set()
    for seats in combinations(tally.eligible, size):
        alike = tuple(sorted(repr((cast.get(seat), seat in tally.guardians)) for seat in seats))
        if alike not in seen:
            seen.add(alike)
            yield seats
