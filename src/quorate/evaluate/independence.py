"""How many independent votes a panel is worth: seats that are wrong on the same questions count for less.

Known where enough questions have a known answer. Before that a published figure stands in, and is named as such.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from math import atanh, prod, sqrt, tanh
from typing import Final, Literal

from quorate.evaluate.voted_question import VotedQuestion
from quorate.frozen import dataclass
from quorate.views.escape import one_line

__all__ = [
    "FEWEST_KNOWN",
    "PUBLISHED",
    "Independence",
    "PairErrors",
    "effective_votes",
    "independence_lines",
    "measure_independence",
    "published_independence",
]

FEWEST_KNOWN: Final = 20
"""Below so many questions with a known answer on which two seats voted, their errors are not compared."""
PUBLISHED_CORRELATION: Final = 0.4375
"""What makes two effective votes of nine judges by Kish's formula."""
PUBLISHED: Final = (
    "not measured here: nine models of seven families were worth about two independent votes "
    "(Kohli 2026, arXiv:2605.29800)"
)
SHOWN: Final = 5
WORTH_A_CHANGE: Final = 0.2
"""Effective votes that another seat must promise before it is proposed."""
WIDE: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class PairErrors:
    """Two seats on the questions both voted on: how far their errors go together, and how often they are the same."""

    a: str
    b: str
    questions: int
    correlation: float
    low: float
    high: float
    both_wrong: int
    same_answer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """What a panel of so many seats is worth in independent votes, and where that is known from."""

    seats: int
    effective: float
    correlation: float
    source: Literal["record", "published"]
    questions: int = 0
    all_wrong: int | None = None
    """Questions on which every seat was wrong: no rule could have been right."""
    all_wrong_if_independent: float | None = None
    correlated: tuple[PairErrors, ...] = ()
    """Pairs whose errors go together more than chance would have it, the worst first."""
    replace: str | None = None
    """The seat whose replacement by an independent one would gain the most, where that is worth it."""
    effective_then: float | None = None

    @property
    def sentence(self) -> str:
        if self.source == "published" and self.seats == 1:
            return "one model answers for all seats, so they are worth one independent vote at most"
        if self.source == "published":
            return f"{self.seats} models may be worth about {self.effective:.1f} independent votes ({PUBLISHED})"
        worth = f"{self.seats} seats are worth about {self.effective:.1f} independent votes"
        return f"{worth}, by their errors on {self.questions} questions with a known answer"

    def document(self) -> dict[str, object]:
        return {**asdict(self), "sentence": self.sentence}


def effective_votes(seats: int, correlation: float) -> float:
    """Kish's effective sample size; errors that go apart are not taken for more than independence."""
    return seats / (1.0 + (seats - 1) * min(1.0, max(0.0, correlation)))


def measure_independence(questions: Sequence[VotedQuestion], seats: Sequence[str]) -> Independence:
    """What these seats are worth together, by their errors on questions with a known answer."""
    known = [question for question in questions if question.right is not None]
    pairs = _pairs(known, seats)
    if not pairs:
        return published_independence(seats)
    correlation, correlated = _mean(pairs.values()), _worst(pairs.values())
    now = effective_votes(len(seats), correlation)
    replaced, then = _replacement(pairs, seats, {seat: _wrong_share(known, seat) for seat in seats})
    worth_it = bool(correlated) and then - now >= WORTH_A_CHANGE
    failed, expected = _all_wrong(known, seats)
    return Independence(
        seats=len(seats),
        effective=now,
        correlation=correlation,
        source="record",
        questions=min(found.questions for found in pairs.values()),
        all_wrong=failed,
        all_wrong_if_independent=expected,
        correlated=tuple(correlated),
        replace=replaced if worth_it else None,
        effective_then=then if worth_it else None,
    )


def _pairs(known: Sequence[VotedQuestion], seats: Sequence[str]) -> dict[tuple[str, str], PairErrors]:
    """Every pair of seats; none at all where one of them was hardly ever asked together."""
    found = {(a, b): _pair(known, a, b) for a, b in combinations(sorted(seats), 2)}
    told = {key: pair for key, pair in found.items() if pair is not None}
    return told if len(told) == len(found) else {}


def _all_wrong(known: Sequence[VotedQuestion], seats: Sequence[str]) -> tuple[int | None, float | None]:
    """Questions on which every seat was wrong, and how many that would be if errors were independent."""
    together = [one for one in known if all(seat in one.votes for seat in seats)]
    if not together:
        return None, None
    wrong = [[one.votes[seat] != one.right for one in together] for seat in seats]
    expected = prod(sum(one) / len(one) for one in wrong) * len(together)
    return sum(map(all, zip(*wrong, strict=True))), expected


def published_independence(seats: Sequence[str]) -> Independence:
    """What others found for models in general; seats of one model count once, for nothing says that they differ."""
    models = len({seat.partition(" (")[0] for seat in seats})
    usual = PUBLISHED_CORRELATION if models > 1 else 0.0
    return Independence(seats=models, effective=effective_votes(models, usual), correlation=usual, source="published")


def _mean(pairs: Iterable[PairErrors]) -> float:
    found = [pair.correlation for pair in pairs]
    return max(0.0, sum(found) / len(found)) if found else 0.0


def _worst(pairs: Iterable[PairErrors]) -> list[PairErrors]:
    alike = [pair for pair in pairs if pair.low > 0.0]
    return sorted(alike, key=lambda pair: (-pair.correlation, pair.a, pair.b))[:SHOWN]


def _replacement(
    pairs: Mapping[tuple[str, str], PairErrors], seats: Sequence[str], wrong: Mapping[str, float]
) -> tuple[str, float]:
    """The seat that costs the most independence, and what the panel would be worth with an independent one there.

    Of seats that cost about as much, the one that is wrong most often.
    """

    def then(seat: str) -> float:
        kept = [0.0 if seat in key else pair.correlation for key, pair in pairs.items()]
        return effective_votes(len(seats), sum(kept) / len(kept))

    most = max(map(then, seats))
    near = [seat for seat in sorted(seats) if then(seat) >= most - WORTH_A_CHANGE]
    worst = max(near, key=lambda seat: wrong[seat])
    return worst, then(worst)


def _wrong_share(known: Sequence[VotedQuestion], seat: str) -> float:
    voted = [one.votes[seat] != one.right for one in known if seat in one.votes]
    return sum(voted) / len(voted)


def _pair(known: Sequence[VotedQuestion], a: str, b: str) -> PairErrors | None:
    both = [(one.votes[a], one.votes[b], one.right) for one in known if a in one.votes and b in one.votes]
    if len(both) < FEWEST_KNOWN:
        return None
    wrong = [(first != right, second != right) for first, second, right in both]
    correlation = _phi(wrong)
    spread = WIDE / sqrt(len(both) - 3)
    middle = atanh(min(max(correlation, -0.999999), 0.999999))
    failed = [first == second for first, second, right in both if right not in {first, second}]
    return PairErrors(
        a=a,
        b=b,
        questions=len(both),
        correlation=correlation,
        low=tanh(middle - spread),
        high=tanh(middle + spread),
        both_wrong=len(failed),
        same_answer=sum(failed),
    )


def _phi(pairs: Sequence[tuple[bool, bool]]) -> float:
    """The correlation of two yes-or-no figures; none to speak of where one of them never changes."""
    size = len(pairs)
    first, second = (sum(pair[place] for pair in pairs) / size for place in (0, 1))
    together = sum(a and b for a, b in pairs) / size
    spread = first * (1 - first) * second * (1 - second)
    return (together - first * second) / sqrt(spread) if spread > 0 else 0.0


def independence_lines(found: Independence) -> Iterator[str]:
    """What a panel is worth, whose errors go together, and whom to replace."""
    yield found.sentence
    if found.all_wrong is not None and found.all_wrong_if_independent is not None:
        alone = f"{found.all_wrong_if_independent:.1f}"
        yield f"all seats were wrong on {found.all_wrong} questions; independent errors would make it {alone}"
    for pair in found.correlated:
        same = f"both wrong on {pair.both_wrong} of {pair.questions}, {pair.same_answer} of them with the same answer"
        yield f"{one_line(pair.a)} and {one_line(pair.b)} err together (correlation {pair.correlation:.2f}): {same}"
    if found.replace is not None and found.effective_then is not None:
        yield (
            f"replace {one_line(found.replace)} by a model that errs independently: "
            f"{found.effective:.1f} becomes {found.effective_then:.1f} independent votes"
        )
