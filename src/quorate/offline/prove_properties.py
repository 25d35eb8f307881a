"""What a rulebook must keep, each tried on every way to vote, the fewest seats first; the first that fails is told."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.offline.prove_ballots import BallotKind
from quorate.offline.prove_bench import MOST, Casts, CountResult, ProofBench, Subject

__all__ = ["PROPERTIES", "CounterExample", "ProofProgress", "RuleProperty", "SearchResult", "benches"]

ProofProgress = Callable[[], None]
"""Called after every decision; raises when time is up."""

PLAIN: Final = tuple(f"Seat {number}" for number in range(1, MOST + 1))


@dataclass(frozen=True, slots=True)
class CounterExample:
    """The fewest ballots that break a property: what they come to, and beside what that is wrong."""

    bench: ProofBench
    casts: Casts
    ending: CountResult
    wrong: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How many ways were tried, up to how many seats, and the first that broke it."""

    tried: int
    seats: int
    counter: CounterExample | None = None


def benches(subject: Subject, most: int = MOST) -> Iterator[ProofBench]:
    """Panels of one seat and more, without a veto and, where there is one, with one; or a debate's rounds."""
    if subject.ballots.rounds:
        sides = subject.spec.panel.seats[:2]
        for rounds in range(1, min(most, subject.ballots.rounds) + 1):
            yield ProofBench(subject, tuple(seat.name for seat in sides) * rounds)
        return
    for seats in range(1, most + 1):
        for guardians in (0, 1) if subject.has_vetoes else (0,):
            yield ProofBench(subject, PLAIN[:seats], guardians)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleProperty:
    """A sentence about every way to vote, and how it is tried on one panel: each way that was tried, or what broke it.

    `few` says that it is tried with broken ballots and in every order, and so on fewer seats.
    """

    title: str
    holds_for: Callable[[Subject], bool] = lambda _: True
    broken_by: Callable[[ProofBench, Casts], Iterator[CounterExample]]
    kinds: str = "kinds"
    few: Callable[[Subject], int] = lambda _: MOST

    def find(
        self, subject: Subject, known: Mapping[tuple[int, int], ProofBench], progress: ProofProgress
    ) -> SearchResult:
        """Try it on every way to vote, the fewest seats first."""
        tried, seats = 0, 0
        for bench in known.values():
            size = bench.rounds if subject.ballots.rounds else len(bench.seats)
            if size > self.few(subject):
                continue
            seats = max(seats, size)
            ballots = subject.ballots
            kinds = {"kinds": ballots.kinds, "all": (*ballots.kinds, *ballots.more)}[self.kinds]
            for casts in bench.every(kinds):
                progress()
                tried += 1
                for counter in self.broken_by(bench, casts):
                    return SearchResult(tried, seats, counter)
        return SearchResult(tried, seats)


def _answers(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    ending = bench.decide(casts, whole=len(casts) <= bench.subject.ballots.few)
    known = bench.subject.outcomes
    if ending.error:
        yield CounterExample(bench, casts, ending, "it raises an error in place of an answer")
    elif known and ending.outcome not in known:
        yield CounterExample(
            bench, casts, ending, f"it answers {ending.outcome!r}, which is none of {', '.join(known)}"
        )
    elif not known and ending.decided and not _is_named(ending.outcome, casts):
        yield CounterExample(bench, casts, ending, f"it decides on {ending.outcome!r}, which nobody named")


def _is_named(outcome: str | None, casts: Casts) -> bool:
    votes = [kind for kind in casts if not kind.gives_nothing]
    return any(outcome in kind.names for kind in votes) or bool(votes and votes[0].is_number)


def _orders(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """Every order of the ballots of seats with the same powers."""
    ending, held = bench.decide(casts), bench.guardians
    for order in dict.fromkeys(permutations(casts[held:])):
        other = bench.decide((*casts[:held], *order))
        if other != ending:
            wrong = f"in another order the same ballots come to {ending.words}"
            yield CounterExample(bench, (*casts[:held], *order), other, wrong)


def _names(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """The names of the protocol's own seats, others, and the same backwards; and options under each other's names."""
    ending = bench.decide(casts)
    for named in _renamed_benches(bench):
        other = named.decide(casts)
        if other != ending:
            yield CounterExample(
                named,
                casts,
                other,
                f"under other names ({', '.join(bench.seats)}) the same ballots come to {ending.words}",
            )
    ballots = bench.subject.ballots
    if ballots.renamed is None:
        return
    options = ballots.options[:3]
    for order in permutations(options):
        names = {**dict(zip(ballots.options, ballots.options, strict=True)), **dict(zip(options, order, strict=True))}
        after = tuple(ballots.by_name[ballots.renamed(kind, names)] for kind in casts)
        other = bench.decide(after)
        if (names.get(ending.outcome or "", ending.outcome), ending.decided) != (other.outcome, other.decided):
            yield CounterExample(
                bench, after, other, f"with options named otherwise the same ballots come to {ending.words}"
            )


_OTHERS: Final = ("Zoe", "Yan", "Xia", "Wim", "Ann", "Ben", "Cat")


def _renamed_benches(bench: ProofBench) -> Sequence[ProofBench]:
    """The same seats under other names; kept with the bench, for each remembers what ballots come to."""
    if not bench.renamed:
        own = tuple(seat.name for seat in bench.subject.spec.panel)
        names = (own, tuple(reversed(own)), _OTHERS, tuple(reversed(PLAIN)))
        size = len(bench.seats)
        fitting = [given[:size] for given in names if len(given) >= size]
        bench.renamed.extend(ProofBench(bench.subject, given, bench.guardians) for given in fitting)
    return bench.renamed


def _ties(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    heads = _heads(casts)
    most = max(heads.values(), default=0)
    if sum(count == most for count in heads.values()) > 1:
        yield from _orders(bench, casts)
        yield from _names(bench, casts)


def _heads(casts: Casts) -> dict[str, int]:
    options = dict.fromkeys(option for kind in casts for option in kind.chooses)
    return {option: sum(option in kind.chooses for kind in casts) for option in options}


def _safer_votes(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """Each ballot made a safer one: the outcome is no bolder."""
    kinds = [kind for kind in bench.subject.ballots.kinds if not kind.gives_nothing]
    yield from _bolder(bench, casts, lambda at, before: [k for k in kinds if _is_safer(bench, at, before, k)])


def _is_safer(bench: ProofBench, at: int, before: BallotKind, after: BallotKind) -> bool:
    """A safer choice with the same numbers, the same choice with more doubt, or a veto."""
    if bench.subject.ballots.rounds:  # a weaker case for it, or a stronger one against it
        if before.gives_nothing:
            return False
        return after.caution > before.caution if at % 2 == 0 else after.caution < before.caution
    if after.sort == "veto":
        return at < bench.guardians and before.sort != "veto"
    if not before.plain:
        return False
    return after.caution > before.caution if after.plain else after.chooses == before.chooses


def _silenced(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """Each ballot made silent or left out: the outcome is no bolder, and where none is, no other comes out."""
    kinds = [kind for kind in bench.subject.ballots.kinds if kind.gives_nothing]
    yield from _bolder(bench, casts, lambda _, before: kinds if _may_fall_silent(bench, before) else [])


def _may_fall_silent(bench: ProofBench, before: BallotKind) -> bool:
    """A veto that is not cast is no safer than one that is: what comes of that is asked apart."""
    return not before.gives_nothing and not (bench.subject.is_ordered and before.sort == "veto")


def _bolder(
    bench: ProofBench, casts: Casts, kinds: Callable[[int, BallotKind], list[BallotKind]]
) -> Iterator[CounterExample]:
    subject, ending = bench.subject, bench.decide(casts)
    for at in range(len(casts)):
        for kind in kinds(at, casts[at]):
            after = bench.changed(casts, at, kind)
            other = bench.decide(after)
            numbers = any(one.is_number for one in casts)  # of numbers, silence may move which is agreed on
            new = not (subject.is_ordered or numbers) and subject.rank(other) == 1 and other.outcome != ending.outcome
            if (subject.rank(other) > subject.rank(ending) and _counts(bench, other, kind)) or new:
                yield CounterExample(
                    bench, after, other, f"with {casts[at].name} in place of {kind.name} it was {ending.words}"
                )


def _counts(bench: ProofBench, other: CountResult, kind: BallotKind) -> bool:
    """A debate without one side is undecided: of silence there only support is too bold."""
    sides, top = bool(bench.subject.ballots.rounds), len(bench.subject.outcomes) - 1
    return not (sides and kind.gives_nothing) or bench.subject.rank(other) == top


def _approved(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """Whatever safer, silent or invalid ballot takes the place of another, it brings no approval."""
    subject, ending = bench.subject, bench.decide(casts)
    top = len(subject.outcomes) - 1
    if subject.rank(ending) == top:
        return
    kinds = subject.ballots.kinds
    for at, before in enumerate(casts):
        for kind in kinds:
            if kind.gives_nothing or _is_safer(bench, at, before, kind):
                after = bench.changed(casts, at, kind)
                other = bench.decide(after)
                if subject.rank(other) == top:
                    yield CounterExample(
                        bench, after, other, f"with {before.name} in place of {kind.name} it was {ending.words}"
                    )


def _vetoed(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    careful, ending = bench.subject.outcomes[-1], bench.decide(casts)
    if any(kind.sort == "veto" for kind in casts[: bench.guardians]) and ending.outcome != careful:
        yield CounterExample(bench, casts, ending, f"a seat with the power of veto used it, which means {careful}")


def _garbage(bench: ProofBench, casts: Casts) -> Iterator[CounterExample]:
    """What cannot be read counts as silence; and nothing is approved that no readable ballot chose."""
    ending, other = bench.decide(casts), bench.decide(_quietened(bench, casts))
    if (ending.outcome, ending.decided) != (other.outcome, other.decided):
        yield CounterExample(bench, casts, ending, f"with silence in place of what cannot be read it was {other.words}")
    if not bench.subject.ballots.rounds and _approves(bench.subject, ending) and not _is_backed(ending.outcome, casts):
        yield CounterExample(bench, casts, ending, f"nobody chose {ending.outcome}")


def _quietened(bench: ProofBench, casts: Casts) -> Casts:
    """The same ballots with silence in place of what cannot be read."""
    silent = next(kind for kind in bench.subject.ballots.kinds if kind.sort == "silent")
    return tuple(silent if kind.sort == "garbage" else kind for kind in casts)


def _approves(subject: Subject, ending: CountResult) -> bool:
    """Whether it is the boldest outcome, or any that is decided where none is bolder than another."""
    return subject.rank(ending) == (len(subject.outcomes) - 1 if subject.is_ordered else 1)


def _is_backed(outcome: str | None, casts: Casts) -> bool:
    """Whether a ballot names the outcome, or gives a number that may have made it."""
    return any(outcome in kind.names or (kind.is_number and not kind.gives_nothing) for kind in casts)


def _counts_heads(subject: Subject) -> bool:
    return not subject.ballots.rounds


PROPERTIES: Final[Mapping[str, RuleProperty]] = MappingProxyType(
    {
        "answers": RuleProperty(title="it answers every input", broken_by=_answers, kinds="kinds"),
        "garbage": RuleProperty(
            title="garbage never approves: it counts as silence, and nothing is approved that nobody chose",
            broken_by=_garbage, kinds="all", few=lambda subject: subject.ballots.few,
        ),
        "order": RuleProperty(
            title="the order of ballots makes no difference", broken_by=_orders, kinds="kinds",
            holds_for=_counts_heads, few=lambda subject: subject.ballots.orders,
        ),
        "names": RuleProperty(
            title="the names of seats and of options make no difference", broken_by=_names,
            holds_for=_counts_heads, few=lambda subject: min(3, subject.ballots.orders),
        ),
        "ties": RuleProperty(
            title="ties never depend on order", broken_by=_ties, holds_for=_counts_heads,
            few=lambda subject: subject.ballots.orders,
        ),
        "veto": RuleProperty(
            title="a veto dominates", broken_by=_vetoed, holds_for=lambda subject: subject.has_vetoes
        ),
        "approval": RuleProperty(
            title="a safer, silent or invalid ballot never brings approval", broken_by=_approved,
            holds_for=lambda subject: subject.form == "decision",
        ),
        "monotone": RuleProperty(
            title="a safer ballot never makes the outcome bolder", broken_by=_safer_votes,
            holds_for=lambda subject: subject.is_ordered,
        ),
        "silence": RuleProperty(
            title="silence never makes the outcome bolder, and never makes another win", broken_by=_silenced,
        ),
    }
)  # fmt: skip
