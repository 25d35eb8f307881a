"""Rules as formulas over how many seats cast which ballot: for numbers, and for a solver that knows no bound.

A formula is written once and computed in an algebra: that of Python's numbers, in which it is compared with the rule's
own code on every way to vote of up to seven seats, or that of a solver, in which it is proved for any number of seats.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Protocol

from quorate import catalogue
from quorate.frozen import dataclass
from quorate.model import PartRef, Rulebook
from quorate.offline.prove_ballots import BallotKind

__all__ = ["Algebra", "KindCounts", "Numbers", "ending_of", "without_formula"]


class Algebra(Protocol):
    """How truth is combined; numbers add up and compare by themselves."""

    def both(self, *parts: Any) -> Any: ...  # noqa: ANN401 - truths and numbers of any algebra
    def either(self, *parts: Any) -> Any: ...  # noqa: ANN401 - the same
    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any: ...  # noqa: ANN401 - the same


class Numbers:
    """Python's own."""

    def both(self, *parts: Any) -> Any:  # noqa: ANN401 - as the protocol has it
        return all(parts)

    def either(self, *parts: Any) -> Any:  # noqa: ANN401 - the same
        return any(parts)

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:  # noqa: ANN401 - the same
        return then if condition else otherwise


@dataclass(frozen=True, slots=True)
class KindCounts:
    """How many seats cast each kind of ballot: those that hold the veto, and the others."""

    algebra: Algebra
    kinds: tuple[BallotKind, ...]
    held: Sequence[Any]
    others: Sequence[Any]
    outcomes: tuple[str, ...]
    assumes: str = ""

    def of(self, picks: Callable[[BallotKind], bool]) -> Any:  # noqa: ANN401 - a number of either algebra
        """How many ballots are such."""
        pairs = zip(self.kinds, self.held, self.others, strict=True)
        return sum(held + other for kind, held, other in pairs if picks(kind))

    @property
    def seats(self) -> Any:  # noqa: ANN401 - the same
        return self.of(lambda _: True)

    @property
    def silent(self) -> Any:  # noqa: ANN401 - the same
        return self.of(lambda kind: kind.gives_nothing)

    def stated(self, outcome: str) -> Any:  # noqa: ANN401 - the same
        """Ballots for an outcome that a seat itself cast."""
        return self.of(lambda kind: not kind.gives_nothing and outcome in kind.chooses)

    def heads(self, outcome: str) -> Any:  # noqa: ANN401 - the same
        """The same with those that are assumed of silent seats."""
        return self.stated(outcome) + (self.silent if outcome == self.assumes else 0)

    def of_guardians(self, picks: Callable[[BallotKind], bool]) -> Any:  # noqa: ANN401 - the same
        return sum(held for kind, held in zip(self.kinds, self.held, strict=True) if picks(kind))

    def number(self, outcome: str) -> int:
        """An outcome as its place."""
        return self.outcomes.index(outcome)


Said = tuple[Any, Any, bool]
"""Whether a rule speaks, the place of the outcome it names, and whether that is decided."""
Values = Mapping[str, Any]


def _veto(counts: KindCounts, values: Values) -> Said:
    return counts.of_guardians(lambda kind: kind.sort == "veto") > 0, counts.number(values["means"]), True


def _all_silent(counts: KindCounts, values: Values) -> Said:
    return counts.seats - counts.silent == 0, counts.number(values["means"]), False


def _any_silent(counts: KindCounts, values: Values) -> Said:
    return counts.silent > 0, counts.number(values["means"]), False


def _hold(counts: KindCounts, values: Values) -> Said:
    return counts.seats > 0, counts.number(values["means"]), False


def _unanimous(counts: KindCounts, _: Values) -> Said:
    return _one_of(counts, lambda outcome: counts.stated(outcome) == counts.seats)


def _supermajority(counts: KindCounts, values: Values) -> Said:
    share: Fraction = values["at_least"]
    return _one_of(
        counts,
        lambda outcome: counts.algebra.both(
            share.denominator * counts.heads(outcome) >= share.numerator * counts.seats,
            *(counts.heads(outcome) > counts.heads(other) for other in counts.outcomes if other != outcome),
        ),
    )


def _tie(counts: KindCounts, values: Values) -> Said:
    bold, *between, careful = counts.outcomes
    lead = counts.heads(bold)
    speaks = counts.algebra.both(
        lead > 0, lead == counts.heads(careful), *(lead > counts.heads(other) for other in between)
    )
    return speaks, counts.number(values["means"]), False


def _unsure(counts: KindCounts, values: Values) -> Said:
    below: Fraction = values["below"]
    unsure = counts.of(lambda kind: not kind.gives_nothing and _number(kind, "confidence") < below)
    return unsure > 0, counts.number(values["means"]), False


def _safe_act(counts: KindCounts, values: Values) -> Said:
    above, risk, bold = values["above"], values["risk_below"], counts.outcomes[0]
    risky = counts.of(lambda kind: not kind.gives_nothing and _number(kind, "risk") >= risk)
    enough = above.denominator * counts.heads(bold) > above.numerator * counts.seats
    return counts.algebra.both(enough, risky == 0), counts.number(bold), True


def _short_of_refusal(counts: KindCounts, values: Values) -> Said:
    share: Fraction = values["at_least"]
    milder = sum(counts.heads(outcome) for outcome in counts.outcomes[:-1])
    return share.denominator * milder >= share.numerator * counts.seats, counts.number(values["means"]), True


def _too_few(counts: KindCounts, values: Values) -> Said:
    valid = counts.seats - counts.silent
    somebody = counts.algebra.either(valid > 0, counts.of(lambda kind: kind.sort == "garbage") > 0)
    return counts.algebra.both(valid < max(1, values["min_seats"]), somebody), counts.number(values["means"]), False


def _all_undetermined(counts: KindCounts, values: Values) -> Said:
    return counts.stated(values["means"]) == counts.seats, counts.number(values["means"]), True


def _consensus(counts: KindCounts, values: Values) -> Said:
    share: Fraction = values["at_least"]
    return _one_of(
        counts,
        lambda outcome: counts.algebra.both(
            share.denominator * counts.stated(outcome) >= share.numerator * counts.seats,
            2 * counts.stated(outcome) > counts.seats,
        ),
    )


def _one_of(counts: KindCounts, holds: Callable[[str], Any]) -> Said:
    """The one outcome of which something holds; of what is asked here, it holds of one at most."""
    place: Any = 0
    for outcome in reversed(counts.outcomes):
        place = counts.algebra.choose(holds(outcome), counts.number(outcome), place)
    return counts.algebra.either(*(holds(outcome) for outcome in counts.outcomes)), place, True


def _number(kind: BallotKind, name: str) -> Fraction:
    return Fraction(str(kind.fields[name])) / 100


_FORMULAS: Final[Mapping[str, Callable[[KindCounts, Values], Said]]] = MappingProxyType(
    {
        "veto": _veto, "all_silent": _all_silent, "any_silent": _any_silent, "hold": _hold, "unanimous": _unanimous,
        "supermajority": _supermajority, "tie": _tie, "unsure": _unsure, "safe_act": _safe_act,
        "short_of_refusal": _short_of_refusal, "too_few": _too_few, "all_undetermined": _all_undetermined,
        "consensus": _consensus, "no_consensus": _hold,
    }
)  # fmt: skip
_CAPS: Final = frozenset({"demo", "demo_finds", "one_voice", "sealed_vote", "veto_seat_silent"})
"""Caps that a formula knows; all but the last say nothing of ballots that are handed over."""


def without_formula(book: Rulebook) -> tuple[str, ...]:
    """Rules and caps of a book that no formula stands for."""
    ruled = [named.name for named in (*book.rules, book.otherwise) if not _has_formula(named)]
    return (*ruled, *(named.name for named in book.unless if named.name not in _CAPS))


def _has_formula(named: PartRef) -> bool:
    by_weight = named.name == "consensus" and dict(named.settings).get("decide_by", "heads") != "heads"
    return named.name in _FORMULAS and not by_weight


def ending_of(counts: KindCounts, book: Rulebook) -> tuple[Any, Any]:
    """The place of the outcome, and whether it is decided, as formulas."""
    algebra = counts.algebra
    said = [_FORMULAS[named.name](counts, _values(named)) for named in (*book.rules, book.otherwise)]
    _, place, decided = said[-1]
    for speaks, names, settled in reversed(said[:-1]):
        place, decided = algebra.choose(speaks, names, place), algebra.choose(speaks, settled, decided)
    for cap in book.unless:
        if cap.name == "veto_seat_silent":
            values = _values(cap)
            absent = counts.of_guardians(lambda kind: kind.gives_nothing) > 0
            lowers = algebra.both(absent, place == counts.number(values["instead_of"]))
            place = algebra.choose(lowers, counts.number(values["means"]), place)
            decided = algebra.choose(lowers, False, decided)  # noqa: FBT003 - a truth of the algebra
    return place, decided


def _values(named: PartRef) -> Values:
    from inspect import signature  # noqa: PLC0415 - for proofs alone

    function = catalogue.rule(named.name).function
    usual = {name: one.default for name, one in signature(function).parameters.items() if one.default is not one.empty}
    return {**usual, **catalogue.bind(function, named.settings, f"rule {named.name!r}")}
