"""Whether what a panel is said to withstand is tight: just what every way to vote comes to."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from typing import Final

from quorate import catalogue
from quorate.analysis.fault_tolerance import FaultTolerance
from quorate.chair.tolerance import tolerance_of
from quorate.frozen import dataclass
from quorate.model import Tally
from quorate.offline.prove_ballots import BallotKind
from quorate.offline.prove_bench import MOST, Casts, CountResult, ProofBench, Subject
from quorate.offline.prove_properties import CounterExample, ProofProgress, SearchResult

__all__ = ["SCANNED", "Guarantee", "GuaranteeFigures", "find_guarantee"]

SCANNED: Final = 60
"""Seats up to which thresholds are tried: with fifty, 33 are more than 0.66 of them and less than two thirds."""
Counted = tuple[int | None, Casts, CountResult]
"""A way to vote, what it comes to, and how many seats it took; none where that is not the question."""


@dataclass(frozen=True, slots=True)
class GuaranteeFigures:
    """What is stated of one size of panel, and a way to vote that shows one more to be too many."""

    seats: int
    guardians: int
    carry: int | None
    block: int
    safe: int | None
    live: int
    shown: tuple[str, ...] = ()
    """The ballots with which the fewest seats carry something."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What was found for every size, or why nothing is stated."""

    finding: SearchResult
    figures: tuple[GuaranteeFigures, ...] = ()
    why: str = ""


def find_guarantee(known: Mapping[tuple[int, int], ProofBench], progress: ProofProgress) -> Guarantee:
    """Compare what is stated of every panel with every way to vote on it."""
    tried, seats, figures = 0, 0, list[GuaranteeFigures]()
    for bench in known.values():
        said = tolerance_of(_tally(bench), bench.subject.book)
        if said.figures is None:
            return Guarantee(SearchResult(0, 0), why=said.why)
        ways = list(_ways(bench, progress))
        tried, seats = tried + len(ways), len(bench.seats)
        wrong = next(_contradictions(bench, ways, said.figures), None)
        if wrong is not None:
            return Guarantee(SearchResult(tried, seats, wrong), tuple(figures))
        found = said.figures
        shown = next((casts for casts, ending in ways if _carriers(casts, ending) == found.carry), ())
        names = tuple(kind.name for kind in shown)
        figures.append(
            GuaranteeFigures(seats, bench.guardians, found.carry, found.block, found.safe, found.live, names)
        )
    scanned = _scan(next(iter(known.values())).subject, progress) if known else SearchResult(0, 0)
    return Guarantee(SearchResult(tried + scanned.tried, seats, scanned.counter), tuple(figures))


def _scan(subject: Subject, progress: ProofProgress) -> SearchResult:
    """On larger panels: one seat fewer than the rules say they need, all others on one rival, decide nothing."""
    pairs, tried = list(_rivals(subject)), 0
    for size in range(MOST + 1, SCANNED + 1):
        bench, few = ProofBench(subject, tuple(f"Seat {at}" for at in range(1, size + 1))), _least(subject, size) - 1
        for kind, rival in pairs if few >= 0 else ():
            progress()
            tried += 1
            counter = _carried_by_too_few(bench, kind, rival, few)
            if counter is not None:
                return SearchResult(tried, size, counter)
    return SearchResult(tried, SCANNED)


def _rivals(subject: Subject) -> Iterator[tuple[BallotKind, BallotKind]]:
    """Every two plain ballots that choose differently."""
    plain = [kind for kind in subject.ballots.heads if kind.plain]
    return ((kind, rival) for kind, rival in permutations(plain, 2) if kind.chooses != rival.chooses)


def _carried_by_too_few(bench: ProofBench, kind: BallotKind, rival: BallotKind, few: int) -> CounterExample | None:
    """What so many on one side and all others on the other come to, if it is what the few chose."""
    size = len(bench.seats)
    if 2 * few <= size:  # it is the others who are the many
        return None
    casts = (*(kind,) * few, *(rival,) * (size - few))
    ending = bench.decide(casts)
    if ending.decided and ending.outcome in kind.chooses:
        wrong = f"{few} of {size} carry it, and its rules say that they need {few + 1}"
        return CounterExample(bench, casts, ending, wrong)
    return None


def _least(subject: Subject, seats: int) -> int:
    """The fewest seats that any rule says it needs, vetoes apart."""
    book = subject.book
    named = [(one, catalogue.rule(one.name)) for one in (*book.rules, book.otherwise)]
    return min(
        spec.needs(seats, **catalogue.bind(spec.function, one.settings, f"rule {one.name!r}"))
        for one, spec in named
        if spec.needs and not spec.power
    )


def _tally(bench: ProofBench) -> Tally:
    return Tally(eligible=bench.seats, options=bench.subject.outcomes, guardians=bench.seats[: bench.guardians])


def _ways(bench: ProofBench, progress: ProofProgress) -> Iterator[tuple[Casts, CountResult]]:
    for casts in bench.every(bench.subject.ballots.heads):
        progress()
        yield casts, bench.decide(casts)


def _contradictions(
    bench: ProofBench, ways: list[tuple[Casts, CountResult]], said: FaultTolerance
) -> Iterator[CounterExample]:
    """Fewer seats that carry or block than is stated, or nobody who does with as many."""
    carry = _fewest(_carried(ways))
    if carry is not None and carry[0] != said.carry:
        yield CounterExample(bench, *carry[1:], f"{carry[0]} carry it, and it is stated that it takes {said.carry}")
    block = _fewest((_blockers(bench, casts, ending), casts, ending) for casts, ending in ways)
    if block is not None and block[0] != said.block:
        yield CounterExample(bench, *block[1:], f"{block[0]} block it, and it is stated that it takes {said.block}")
    if said.safe is not None:
        yield from _unsafe(bench, ways, said.safe)


def _fewest(ways: Iterable[Counted]) -> Counted | None:
    """The way to vote for which the fewest seats were enough, of those for which any were."""
    return min((way for way in ways if way[0]), key=lambda way: way[0] or 0, default=None)


def _carried(ways: list[tuple[Casts, CountResult]]) -> Iterator[Counted]:
    """How many carried what came out, apart from what comes out by itself."""
    counted = [(_carriers(casts, ending), casts, ending) for casts, ending in ways]
    free = {ending.outcome for carriers, _, ending in counted if carriers == 0}
    return (way for way in counted if way[2].outcome not in free)


def _carriers(casts: Casts, ending: CountResult) -> int | None:
    """How many chose what came out as decided, if every other seat chose something else."""
    if not ending.decided or ending.outcome is None:
        return None
    behind = [kind for kind in casts if ending.outcome in kind.chooses]
    others = [kind for kind in casts if ending.outcome not in kind.chooses]
    return len(behind) if all(not kind.gives_nothing and kind.chooses for kind in others) else None


def _blockers(bench: ProofBench, casts: Casts, ending: CountResult) -> int | None:
    """How many were silent or against an outcome that all others plainly chose and that did not come out."""
    wanted = {kind.chooses[0] for kind in casts if kind.plain and kind.sort == "vote"}
    for outcome in sorted(wanted):
        against = [kind for kind in casts if not (kind.plain and outcome in kind.chooses)]
        if _is_dissent(against, outcome) and not _came(ending, outcome) and _is_open(bench, outcome):
            return len(against)
    return None


def _is_dissent(against: list[BallotKind], outcome: str) -> bool:
    return bool(against) and all(outcome not in kind.chooses for kind in against)


def _came(ending: CountResult, outcome: str) -> bool:
    return ending.decided and ending.outcome == outcome


def _is_open(bench: ProofBench, outcome: str) -> bool:
    """Whether an outcome comes out where every seat plainly chooses it."""
    plain = next(kind for kind in bench.subject.ballots.heads if kind.plain and outcome in kind.chooses)
    return _came(bench.decide((plain,) * len(bench.seats)), outcome)


def _unsafe(bench: ProofBench, ways: list[tuple[Casts, CountResult]], safe: int) -> Iterator[CounterExample]:
    """Safe against f: whatever passes is backed by more than half of the honest; against f + 1 it is not."""
    total = len(bench.seats)
    passing = [(sum(end.outcome in kind.chooses for kind in casts), casts, end) for casts, end in ways if end.decided]
    fewest = min(passing, key=lambda one: one[0], default=None)
    if fewest is not None and safe != min(total, max(0, 2 * fewest[0] - total)) - 1:
        yield CounterExample(
            bench, fewest[1], fewest[2], f"{fewest[0]} of {total} pass it, and it is called safe against {safe}"
        )
