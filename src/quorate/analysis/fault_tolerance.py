"""What a panel withstands: how few seats, or fault domains, carry a decision or block one, by search over ballots.

Nothing here knows a rule: whoever asks hands over how a tally is decided. Seats with the same powers are
interchangeable, so a coalition is a number of seats that hold the veto and a number of those that do not. The ballots
tried are the extremes: all alike, all apart, silent, veto, sure and calm or unsure and alarmed, heavy or light.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final, Literal, NamedTuple

from quorate.frozen import dataclass
from quorate.model import Approval, Silence, Tally, Verdict, Voice

__all__ = ["Bench", "Blocking", "FaultTolerance", "largest_within", "withstands"]

Decide = Callable[[Tally], Verdict]
Blocking = Literal["missing", "against", "either"]
OPEN_OPTION: Final = "one option"
"""Stands for any, where seats may name what they like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The voting seats: the fault domain of each, who of them holds the veto, and the list they choose from, if any."""

    domains: tuple[tuple[str, str], ...]
    guardians: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    approves: bool = False
    """Whether a vote names every option a seat approves of."""
    least: int = 0
    """Fewer seats that choose an outcome are not enough for any rule, whatever the others choose; vetoes apart."""
    share: bool = True
    """Whether every rule demands more than half of the seats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultTolerance:
    """The fewest that carry and that block, per seat and per domain; none where no number of them carries anything.

    Where nothing is ever decided, though all agree, 0 block it.
    Carry: they make an outcome come out as decided although every other seat chose something else. Block: their
    silence or dissent leaves an outcome undecided that all others chose. Safe: whatever passes is backed by more than
    half of the honest seats; none where a rule demands no share of the seats. `needed` decide whatever the others do.
    """

    seats: int
    domains: int
    carry: int | None
    block: int
    carry_domains: int | None
    block_domains: int
    safe: int | None
    safe_domains: int | None
    carry_by: tuple[tuple[str, int], ...] = ()
    """By outcome, where there is a list; 0 is one that may come out although nobody chose it."""
    carries_alone: tuple[tuple[str, str], ...] = ()
    """Seats that carry an outcome alone, with the outcome."""
    blocks_alone: tuple[str, ...] = ()
    agreeing: int | None = None
    """The fewest seats that together carry something which none of them carries alone."""
    agreeing_domains: int | None = None
    """The fewest domains that carry something which no seat carries alone."""
    blocks_by: Blocking = "either"
    """Whether so few block by being missing, by being against it, or by either."""

    @property
    def needed(self) -> int | None:
        return self.seats - self.live if self.block else None

    @property
    def live(self) -> int:
        return max(0, self.block - 1)

    @property
    def live_domains(self) -> int:
        return max(0, self.block_domains - 1)


class _Coalition(NamedTuple):
    guardians: int
    others: int

    @property
    def size(self) -> int:
        return self.guardians + self.others


class _Cast(NamedTuple):
    """What one seat does: an option, or silence; how sure it is, which risk it sees and what it weighs."""

    option: str
    veto: bool = False
    confidence: int = 1
    risk: int = 0
    weight: int = 0


_Casts = tuple[_Cast, ...]
_SILENT: Final = _Cast("")


@dataclass(frozen=True, slots=True)
class _Search:
    bench: Bench
    decide: Decide
    known: dict[object, bool] = field(default_factory=dict[object, bool])

    @property
    def whole(self) -> _Coalition:
        held = sum(seat in self.bench.guardians for seat, _ in self.bench.domains)
        return _Coalition(held, len(self.bench.domains) - held)

    @property
    def outcomes(self) -> tuple[str, ...]:
        return self.bench.options or (OPEN_OPTION,)

    def coalitions(self) -> list[_Coalition]:
        """Every one, the smallest first."""
        whole = self.whole
        found = (_Coalition(g, o) for g in range(whole.guardians + 1) for o in range(whole.others + 1))
        return sorted(found, key=lambda one: one.size)

    def fewest(self, holds: Callable[[_Coalition], bool]) -> int | None:
        """How many seats the smallest coalition has of which this holds."""
        return next((one.size for one in self.coalitions() if holds(one)), None)

    def carries(self, coalition: _Coalition, outcome: str) -> bool:
        """Whether it can bring an outcome that every other seat chose against, and nobody alone cannot."""
        key = ("carry", coalition, outcome)
        if key not in self.known:
            behind, against = self._behind(coalition, outcome), self._against(self._rest(coalition), outcome)
            self.known[key] = self._brings(coalition, outcome, behind, against)
        return self.known[key]

    def carries_something(self, coalition: _Coalition) -> bool:
        """Whether it carries an outcome that does not come out without anybody's choosing it."""
        nobody = _Coalition(0, 0)
        return any(self.carries(coalition, one) for one in self.outcomes if not self.carries(nobody, one))

    def carries_together(self, coalition: _Coalition) -> bool:
        """The same of an outcome that no seat carries alone."""
        alone = [one for one in self.coalitions() if one.size <= 1]
        shared = (one for one in self.outcomes if not any(self.carries(few, one) for few in alone))
        return any(self.carries(coalition, outcome) for outcome in shared)

    def passes(self, size: int) -> bool:
        """Whether so many seats can be enough for some outcome if the others are silent or choose something else."""
        if size not in self.known:
            here = [one for one in self.coalitions() if one.size == size]
            tried = ((one, outcome) for one in here for outcome in reversed(self.outcomes))
            self.known[size] = any(self._passes(one, outcome) for one, outcome in tried)
        return self.known[size]

    def _passes(self, coalition: _Coalition, outcome: str) -> bool:
        silent = [(_SILENT,) * self._rest(coalition).size]
        alike = [(_Cast(outcome, weight=1),) * coalition.size]
        return self._brings(coalition, outcome, alike, silent) or self.carries(coalition, outcome)

    def blocks(self, coalition: _Coalition, outcome: str) -> bool:
        """Whether it can stop an outcome that every other seat chose."""
        key = ("block", coalition, outcome)
        if key not in self.known:
            self.known[key] = self._stops(coalition, outcome)
        return self.known[key]

    def blocks_something(self, coalition: _Coalition) -> bool:
        """Whether it stops one that would have come out if it had been chosen by all."""
        nobody = _Coalition(0, 0)
        return any(self.blocks(coalition, one) for one in self.outcomes if not self.blocks(nobody, one))

    def _brings(self, coalition: _Coalition, outcome: str, behind: Iterable[_Casts], against: Iterable[_Casts]) -> bool:
        tried = product(behind, against)
        return any(self._comes_out(self._mixed(coalition, own, others), outcome) for own, others in tried)

    def _stops(self, coalition: _Coalition, outcome: str) -> bool:
        return self._stops_by(coalition, outcome, "missing") or self._stops_by(coalition, outcome, "against")

    def _stops_by(self, coalition: _Coalition, outcome: str, by: Blocking) -> bool:
        others = (_Cast(outcome),) * self._rest(coalition).size
        silent = ((_SILENT,) * coalition.size,)
        tried = silent if by == "missing" else self._against(coalition, outcome, blocking=True)
        return not all(self._comes_out(self._mixed(coalition, own, others), outcome, sealed=True) for own in tried)

    def blocks_by(self, size: int) -> Blocking:
        """How so many seats stop something that all others chose."""
        nobody = _Coalition(0, 0)
        stopped = [one for one in self.outcomes if not self.blocks(nobody, one)]
        pairs = [(one, outcome) for one in self.coalitions() if one.size == size for outcome in stopped]
        ways: tuple[Blocking, ...] = ("missing", "against")
        found: list[Blocking] = [by for by in ways if any(self._stops_by(*pair, by) for pair in pairs)]
        return found[0] if len(found) == 1 else "either"

    def _rest(self, coalition: _Coalition) -> _Coalition:
        whole = self.whole
        return _Coalition(whole.guardians - coalition.guardians, whole.others - coalition.others)

    def _behind(self, coalition: _Coalition, outcome: str) -> Iterator[_Casts]:
        """All for the outcome, where there are enough of them for any rule, or by their veto."""
        plain = (_Cast(outcome, weight=1),) * coalition.size
        if coalition.size >= self.bench.least:
            yield plain
        if coalition.guardians and outcome == self.outcomes[-1]:
            yield self._vetoing(coalition, plain)

    def _against(self, seats: _Coalition, outcome: str, *, blocking: bool = False) -> Iterator[_Casts]:
        """All on one rival or all apart, calm or alarmed, with every veto there is; to block they weigh most."""
        calm, alarmed = (_Cast("", weight=int(blocking), risk=risk, confidence=1 - risk * blocking) for risk in (0, 1))
        for chosen, mood in product(self._choices(seats, outcome), (calm, alarmed)):
            plain = tuple(mood._replace(option=option) for option in chosen)
            yield plain
            if seats.guardians and outcome != self.outcomes[-1]:
                yield self._vetoing(seats, plain)

    def _choices(self, seats: _Coalition, outcome: str) -> Iterable[tuple[str, ...]]:
        """All apart as far as there are rivals, then all on each; of rivals that anybody may name, one is as any."""
        named = [f"another option {at}" for at in range(max(1, seats.size))]
        rivals = [one for one in self.bench.options if one != outcome] if self.bench.options else named
        if not rivals:
            return ()
        apart = tuple(rivals[at % len(rivals)] for at in range(seats.size))
        alike = [(rival,) * seats.size for rival in (rivals if self.bench.options else rivals[:1])]
        return dict.fromkeys((apart, *alike))

    def _vetoing(self, seats: _Coalition, casts: _Casts) -> _Casts:
        """The same with a veto from everybody who has one; those come first."""
        vetoes = tuple(cast._replace(option=self.outcomes[-1], veto=True) for cast in casts[: seats.guardians])
        return (*vetoes, *casts[seats.guardians :])

    def _mixed(self, coalition: _Coalition, own: _Casts, others: _Casts) -> tuple[_Casts, _Casts]:
        """What those who hold the veto do, and what the rest do."""
        held, rest = coalition.guardians, self._rest(coalition).guardians
        return (*own[:held], *others[:rest]), (*own[held:], *others[rest:])

    def _comes_out(self, casts: tuple[_Casts, _Casts], outcome: str, *, sealed: bool = False) -> bool:
        guardians, others = casts
        verdict = self.decide(self._tally((*guardians, *others), len(guardians), sealed=sealed))
        return verdict.decided and verdict.outcome == outcome

    def _tally(self, casts: _Casts, guardians: int, *, sealed: bool) -> Tally:
        """These ballots counted; where they are `sealed`, they were cast before the discussion too."""
        seats = [(f"seat {at}", cast) for at, cast in enumerate(casts)]
        tally = Tally(
            eligible=tuple(seat for seat, _ in seats),
            options=self.bench.options,
            voices=tuple(self._voice(seat, cast) for seat, cast in seats if cast.option),
            silent=tuple(Silence(seat=seat, why="timeout") for seat, cast in seats if not cast.option),
            guardians=tuple(seat for seat, _ in seats[:guardians]),
        )
        return replace(tally, sealed=_sealed(tally)) if sealed else tally

    def _voice(self, seat: str, cast: _Cast) -> Voice:
        return Voice(
            seat=seat,
            option=cast.option,
            veto=cast.veto,
            confidence=Fraction(cast.confidence),
            risk=Fraction(cast.risk),
            weight=Fraction(cast.weight),
            vote=Approval((cast.option,)) if self.bench.approves else None,
        )


def _sealed(tally: Tally) -> Tally:
    """A seat that is silent in the end may have sealed anything: here the most cautious outcome."""
    worst = tally.options[-1] if tally.options else "another option"
    gone = tuple(Voice(seat=silence.seat, option=worst) for silence in tally.silent)
    return Tally(eligible=tally.eligible, options=tally.options, voices=(*tally.voices, *gone))


def withstands(bench: Bench, decide: Decide) -> FaultTolerance:
    """What these seats withstand under whatever decides."""
    search = _Search(bench, decide)
    carry, block = search.fewest(search.carries_something), search.fewest(search.blocks_something) or 0
    domains = [domain for _, domain in bench.domains]
    safe = _safe(search) if bench.share else None
    return FaultTolerance(
        seats=len(domains),
        domains=len({*domains}),
        carry=carry,
        block=block,
        carry_domains=_fewest_domains(bench, search.carries_something),
        block_domains=_fewest_domains(bench, search.blocks_something) or 0,
        safe=safe,
        safe_domains=None if safe is None else largest_within(domains, safe),
        carry_by=tuple(_carry_by(search)),
        carries_alone=tuple(_carries_alone(search)) if carry == 1 else (),
        blocks_alone=_seats_that(bench, search.blocks_something) if block == 1 else (),
        agreeing=search.fewest(search.carries_together),
        agreeing_domains=_fewest_domains(bench, search.carries_together),
        blocks_by=search.blocks_by(block) if block else "either",
    )


def _carry_by(search: _Search) -> Iterator[tuple[str, int]]:
    for outcome in search.bench.options:
        fewest = search.fewest(partial(search.carries, outcome=outcome))
        if fewest is not None:
            yield outcome, fewest


def _safe(search: _Search) -> int | None:
    """How many may lie so that whatever passes is backed by more than half of the others; none if not even nobody."""
    seats, bound = search.whole.size, None
    for liars in range(seats):
        # Liars and at most half of the others, the most of them first.
        if any(map(search.passes, reversed(range(liars, (seats + liars) // 2 + 1)))):
            return bound
        bound = liars
    return bound


def _fewest_domains(bench: Bench, holds: Callable[[_Coalition], bool]) -> int | None:
    """The fewest domains that together are such a coalition."""
    reached = {_Coalition(0, 0): 0}
    held = Counter((domain, seat in bench.guardians) for seat, domain in bench.domains)
    for domain in dict.fromkeys(domain for _, domain in bench.domains):
        for one, number in tuple(reached.items()):
            more = _Coalition(one.guardians + held[domain, True], one.others + held[domain, False])
            taken = number + 1
            reached[more] = min(taken, reached.get(more, taken))
    fewest = sorted(reached.items(), key=lambda pair: pair[1])
    return next((number for one, number in fewest if number and holds(one)), None)


def _carries_alone(search: _Search) -> Iterator[tuple[str, str]]:
    nobody = _Coalition(0, 0)
    for outcome in (one for one in search.outcomes if not search.carries(nobody, one)):
        for seat in _seats_that(search.bench, partial(search.carries, outcome=outcome)):
            yield seat, outcome


def _seats_that(bench: Bench, holds: Callable[[_Coalition], bool]) -> tuple[str, ...]:
    """The seats that are such a coalition each by itself."""
    kinds = {
        held: holds(_Coalition(int(held), int(not held))) for held in {s in bench.guardians for s, _ in bench.domains}
    }
    return tuple(seat for seat, _ in bench.domains if kinds[seat in bench.guardians])


def largest_within(domains: Iterable[str], bound: int) -> int:
    """How many of the largest domains together hold no more seats than the bound."""
    held, number = 0, 0
    for size in sorted(Counter(domains).values(), reverse=True):
        held += size
        if held > bound:
            return number
        number += 1
    return number
