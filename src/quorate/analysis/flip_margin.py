"""How close it was: the fewest ballots that, cast otherwise or not at all, would have brought another outcome.

The same outcome, but decided where it was not or the other way round, is another one here, and each example says so.
Nothing here knows a rule: whoever asks hands over how a tally is decided. One ballot is tried seat by seat. Of several
each set is tried with one and the same other ballot, seats that voted alike standing for each other; that this misses
nothing under the rulebooks that ship is refuted by search over all ballots of small panels, in the tests.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar

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
        voice = before or Voice(seat=seat, option="", confidence=_ALL, risk=_NONE)
        numbers = (voice.confidence, voice.risk) if self.sure is None else (self.sure, 1 - self.sure)
        if (voice.option, voice.veto, voice.confidence, voice.risk) == (self.option, self.veto, *numbers):
            return voice
        confidence, risk = numbers
        return _alike(voice, option=self.option, veto=self.veto, confidence=confidence, risk=risk)


_ALL: Final = Fraction(1)
_NONE: Final = Fraction(0)


def flip_margin(tally: Tally, decide: Decide) -> FlipMargin | None:
    """The margin of a verdict; none where votes are more than one option each, sides were given out, or all is long."""
    if not _fits(tally):
        return None
    verdict, cast = decide(tally), _Cast(tally)
    alone = (*_single_flips(cast, verdict, decide),)
    if alone:
        return FlipMargin(ballots=1, at_least=1, flips=alone)
    end, tried = _ending(verdict), 0
    for size in range(2, len(tally.eligible) + 1):
        for seats in _sets(tally, size):
            for other in _others(tally):
                tried += 1
                if tried > MOST_TRIED:
                    return FlipMargin(ballots=None, at_least=size)
                found = decide(cast.otherwise(seats, other))
                if _ending(found) != end:
                    return FlipMargin(ballots=size, at_least=size, flips=(_flip(seats, other, found),))
    return FlipMargin(ballots=None, at_least=len(tally.eligible) + 1)


def single_flips(tally: Tally, decide: Decide) -> tuple[Flip, ...]:
    """Every seat whose ballot alone, had it been another, would have brought another outcome, decided or not."""
    return (*_single_flips(_Cast(tally), decide(tally), decide),) if _fits(tally) else ()


def _single_flips(cast: "_Cast", verdict: Verdict, decide: Decide) -> Iterator[Flip]:
    others = (*_others(cast.tally),)
    for seat in cast.tally.eligible:
        flip = _plainest(verdict, seat, cast, others, decide)
        if flip is not None:
            yield flip


def _plainest(verdict: Verdict, seat: str, cast: "_Cast", others: Sequence[_Other], decide: Decide) -> Flip | None:
    """The first vote for an option that brings another outcome, else the first that changes whether it is decided."""
    first, end, chosen = None, _ending(verdict), cast.option(seat)
    # Where it is the numbers that matter, the seat keeps its option: another one would be blamed for it.
    for other in sorted(others, key=lambda one: one.sure is not None and one.option != chosen):
        tally = cast.otherwise((seat,), other)
        if tally is cast.tally:
            continue
        found = decide(tally)
        if found.outcome != verdict.outcome and other.words not in {"", "VETO"}:
            return _flip((seat,), other, found)
        if first is None and _ending(found) != end:
            first = _flip((seat,), other, found)
    return first


def _fits(tally: Tally) -> bool:
    plain = all(voice.vote is None and voice.value is None and not voice.round for voice in tally.voices)
    # One ballot is tried seat by seat and option by option, so a long list would take minutes.
    plain = plain and len(tally.eligible) * len(tally.listed or tally.options) <= MOST_TRIED
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
    yield from (_Other(option, sure=sure) for option in options for sure in (_ALL, _NONE))


class _Cast:
    """The ballots as they were cast, to try others in their place; what is the same for all of those is looked up once.

    Where the sealed ballots are what is counted, those are cast otherwise too.
    """

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self._voices = {voice.seat: voice for voice in tally.voices if not voice.assumed}
        self._silent = {silence.seat: silence for silence in tally.silent}
        sealed = tally.sealed if tally.course.stop == "agreed" else None
        self._sealed = None if sealed is None else _Cast(sealed)

    def option(self, seat: str) -> str | None:
        """What a seat chose, or was taken to choose."""
        return {voice.seat: voice.option for voice in self.tally.voices}.get(seat)

    def otherwise(self, seats: Sequence[str], other: _Other) -> Tally:
        """The tally with these ballots cast otherwise: the very same where that changes nothing."""
        changing = [seat for seat in seats if seat in self.tally.guardians] if other.veto else seats
        changed = self.recast(changing, other)
        if self._sealed is None:
            return changed
        sealed = self._sealed.recast(changing, other)
        return changed if sealed is self._sealed.tally else _alike(changed, sealed=sealed)

    def recast(self, seats: Sequence[str], other: _Other) -> Tally:
        """The same without the sealed ballots."""
        before, tally = self._voices, self.tally
        cast = {seat: other.of(seat, before.get(seat)) for seat in seats}
        abstained = tuple([seat for seat in tally.abstained if seat not in cast])
        not_needed = tuple([seat for seat in tally.not_needed if seat not in cast])
        same = all(voice is before.get(seat) for seat, voice in cast.items())
        if same and abstained == tally.abstained and len(before) == len(tally.voices):
            return tally
        voices = {**before, **cast}
        said = tuple(filter(None, map(voices.get, tally.eligible)))
        quiet = self._quiet(said, (*abstained, *not_needed))
        return _alike(tally, voices=said, silent=quiet, abstained=abstained, not_needed=not_needed)

    def _quiet(self, voices: Sequence[Voice], others: Sequence[str]) -> tuple[Silence, ...]:
        """Who says nothing then, for the reason there was, if there was one; `others` abstain or aren't needed."""
        heard = {*others, *[voice.seat for voice in voices]}
        quiet = [seat for seat in self.tally.eligible if seat not in heard]
        return tuple([self._silent.get(seat) or Silence(seat=seat, why="timeout") for seat in quiet])


One = TypeVar("One", Tally, Voice)
_NAMES: Final = {kind: tuple(field.name for field in fields(kind)) for kind in (Tally, Voice)}
_VALUES: Final = {kind: attrgetter(*names) for kind, names in _NAMES.items()}


def _alike(one: One, **changed: Any) -> One:  # noqa: ANN401 - any field
    """The same as `replace`, which looks at every field anew: here it is done for every ballot that is tried."""
    kind = type(one)
    return kind(**dict(zip(_NAMES[kind], _VALUES[kind](one), strict=True)) | changed)


def _sets(tally: Tally, size: int) -> Iterator[tuple[str, ...]]:
    """Every set of so many seats; of sets whose seats voted alike, the first."""
    cast = {voice.seat: replace(voice, seat="", reason="", quotes=()) for voice in tally.voices}
    kinds = [repr((cast.get(seat), seat in tally.guardians)) for seat in tally.eligible]
    return _first_sets(tally.eligible, kinds, size)


def _first_sets(seats: Sequence[str], kinds: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Of seats of one kind the earlier ones go first. To go through all sets takes minutes for 25 seats."""
    if not size:
        yield ()
    left_out = set[str]()
    for at, kind in enumerate(kinds if size else ()):
        if kind not in left_out:
            rest = [later for later in range(at + 1, len(seats)) if kinds[later] not in left_out]
            if len(rest) < size - 1:
                return
            for more in _first_sets([seats[one] for one in rest], [kinds[one] for one in rest], size - 1):
                yield (seats[at], *more)
            left_out.add(kind)
