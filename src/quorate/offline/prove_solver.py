"""Proofs for any number of seats, by a solver over the rules' formulas. Needs z3; without it nothing here is asked."""

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from quorate.offline.prove_ballots import BallotKind
from quorate.offline.prove_bench import ProofBench, Subject
from quorate.offline.prove_formulas import KindCounts, Numbers, ending_of, without_formula
from quorate.offline.prove_properties import ProofProgress

__all__ = ["HAS_SOLVER", "formula_differs", "is_solver_there", "proved_for_all", "reason_without"]

HAS_SOLVER = "z3"


def is_solver_there() -> bool:
    """Whether z3 is installed."""
    return find_spec(HAS_SOLVER) is not None


def reason_without(subject: Subject) -> str:
    """Why nothing can be proved for any number of seats, in words; empty where it can."""
    if subject.form not in {"decision", "finding"}:
        return "its ballots are no fixed list of outcomes"
    missing = without_formula(subject.book)
    return f"no formula stands for {', '.join(missing)}" if missing else ""


def formula_differs(subject: Subject, known: Mapping[tuple[int, int], ProofBench], progress: ProofProgress) -> str:
    """The first way to vote on which the formula and the rules' code differ, in words; empty where there is none."""
    kinds = subject.ballots.kinds
    for bench in known.values():
        for casts in bench.every(kinds):
            progress()
            held, others = casts[: bench.guardians], casts[bench.guardians :]
            counts = _counts(subject, Numbers(), [held.count(k) for k in kinds], [others.count(k) for k in kinds])
            place, decided = ending_of(counts, subject.book)
            ending = bench.decide(casts)
            if (subject.outcomes[place], decided) != (ending.outcome, ending.decided):
                return f"{', '.join(kind.name for kind in casts)}: {ending.words}"
    return ""


def _counts(subject: Subject, algebra: Any, held: list[Any], others: list[Any]) -> KindCounts:  # noqa: ANN401 - either algebra
    assumes = subject.book.silence if subject.book.silence in subject.outcomes else ""
    return KindCounts(algebra, subject.ballots.kinds, held, others, subject.outcomes, assumes)


class _Solver:
    """z3's algebra, and the question whether anything fits."""

    def __init__(self, progress: ProofProgress) -> None:
        import z3  # noqa: PLC0415 - an extra, loaded only where something is to be proved

        self._z3, self._progress = z3, progress

    def both(self, *parts: Any) -> Any:  # noqa: ANN401 - as the protocol has it
        return self._z3.And(*parts)

    def either(self, *parts: Any) -> Any:  # noqa: ANN401 - the same
        return self._z3.Or(*parts)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:  # noqa: ANN401 - the same
        return self._z3.If(condition, then, otherwise)

    def numbers(self, name: str, size: int) -> list[Any]:
        return [self._z3.Int(f"{name} {at}") for at in range(size)]

    def never(self, *conditions: Any) -> bool:  # noqa: ANN401 - the same
        """Whether nothing at all fulfils these; what the solver cannot tell is no proof."""
        self._progress()
        solver = self._z3.Solver()
        solver.set("timeout", 20_000)
        solver.add(*conditions)
        return bool(solver.check() == self._z3.unsat)


def proved_for_all(subject: Subject, name: str, progress: ProofProgress) -> bool:
    """Whether a property holds of the formula for any number of seats, any number of which hold the veto."""
    goal = _GOALS.get(name)
    if goal is None:
        return False
    solver = _Solver(progress)
    kinds = subject.ballots.kinds
    held, others = solver.numbers("held", len(kinds)), solver.numbers("other", len(kinds))
    legal = [number >= 0 for number in (*held, *others)] + [sum((*held, *others)) > 0]
    # Only a seat that holds it can veto.
    legal += [other == 0 for kind, other in zip(kinds, others, strict=True) if kind.sort == "veto"]
    return all(solver.never(*legal, *refuting) for refuting in goal(subject, solver, held, others))


Refuting = Iterator[list[Any]]


def _never_vetoed(subject: Subject, solver: _Solver, held: list[Any], others: list[Any]) -> Refuting:
    counts = _counts(subject, solver, held, others)
    place, _ = ending_of(counts, subject.book)
    yield [counts.of_guardians(lambda kind: kind.sort == "veto") > 0, place != len(subject.outcomes) - 1]


def _never_unbacked(subject: Subject, solver: _Solver, held: list[Any], others: list[Any]) -> Refuting:
    counts = _counts(subject, solver, held, others)
    place, decided = ending_of(counts, subject.book)
    for outcome in subject.outcomes:
        bold = outcome == subject.outcomes[0] if subject.is_ordered else subject.is_finding(outcome)
        if bold:
            settled = [] if subject.is_ordered else [decided]
            yield [place == counts.number(outcome), *settled, counts.stated(outcome) == 0]


def _changes(picks: Callable[[Subject, int, BallotKind, BallotKind], bool], *, top: bool) -> Callable[..., Refuting]:
    """One ballot made another: the outcome is no bolder, or at least not the boldest."""

    def goal(subject: Subject, solver: _Solver, held: list[Any], others: list[Any]) -> Refuting:
        before, was = ending_of(_counts(subject, solver, held, others), subject.book)
        kinds = subject.ballots.kinds
        for side, numbers in ((1, held), (0, others)):
            for at, kind in enumerate(kinds):
                for to, other in enumerate(kinds):
                    if not picks(subject, side, kind, other):
                        continue
                    moved = [n - (i == at) + (i == to) for i, n in enumerate(numbers)]
                    after = _counts(subject, solver, *((moved, others) if side else (held, moved)))
                    place, decided = ending_of(after, subject.book)
                    bolder = _bolder(subject, solver, (before, was), (place, decided), top=top)
                    yield [numbers[at] > 0, *bolder]

    return goal


def _bolder(subject: Subject, solver: _Solver, was: tuple[Any, Any], now: tuple[Any, Any], *, top: bool) -> list[Any]:
    if top:
        return [was[0] != 0, now[0] == 0]
    if subject.is_ordered:
        return [now[0] < was[0]]
    found = [subject.outcomes.index(one) for one in subject.outcomes if subject.is_finding(one)]
    return [now[1], solver.either(*(now[0] == one for one in found)), solver.either(was[0] != now[0], was[1] != now[1])]


def _safer(_: Subject, side: int, before: BallotKind, after: BallotKind) -> bool:
    if after.sort == "veto":
        return side == 1 and before.sort != "veto"
    if after.gives_nothing or not before.plain:
        return False
    return after.caution > before.caution if after.plain else after.chooses == before.chooses


def _silenced(subject: Subject, _: int, before: BallotKind, after: BallotKind) -> bool:
    return after.gives_nothing and not before.gives_nothing and not (subject.is_ordered and before.sort == "veto")


def _safer_or_silent(subject: Subject, side: int, before: BallotKind, after: BallotKind) -> bool:
    return (after.gives_nothing and not before.gives_nothing) or _safer(subject, side, before, after)


_GOALS: Mapping[str, Callable[..., Refuting]] = {
    "veto": _never_vetoed,
    "garbage": _never_unbacked,
    "approval": _changes(_safer_or_silent, top=True),
    "monotone": _changes(_safer, top=False),
    "silence": _changes(_silenced, top=False),
}
