"""What both implementations are given, in plain words, and what they answer."""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Word:
    """What a seat said in a round. Only the fields of its kind of vote are filled in."""

    choice: str = ""
    veto: bool = False
    abstain: bool = False
    approved: tuple[str, ...] = ()
    ranking: tuple[tuple[str, ...], ...] = ()
    value: Fraction = Fraction(0)
    confidence: Fraction | None = None
    risk: Fraction | None = None
    sources: tuple[tuple[str, str, Fraction], ...] = ()
    """Address, category, credibility."""
    claims: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chair:
    """A place on the panel and what it may do."""

    name: str
    votes: bool = True
    vetoes: bool = False


@dataclass(frozen=True)
class Case:
    """One deliberation that is over. A seat without a word in a round was silent in it."""

    protocol: str
    rulebook: str
    chairs: tuple[Chair, ...]
    rounds: tuple[dict[str, Word], ...]
    options: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict[str, str])
    alike: dict[tuple[str, str], Fraction | None] = field(default_factory=dict[tuple[str, str], Fraction | None])
    """How alike two options are, in the order they were first seen; none is a pair of other words that reads alike."""
    demo: bool = False

    @property
    def voters(self) -> tuple[str, ...]:
        return tuple(chair.name for chair in self.chairs if chair.votes)

    @property
    def last(self) -> dict[str, Word]:
        return self.rounds[-1]


@dataclass(frozen=True)
class Answer:
    """What an implementation makes of a case.

    `review` of the second implementation says where a person must look by what is promised; the product may ask for
    one more often.
    """

    outcome: str | None
    decided: bool
    rule: str
    agreement: Fraction | None = None
    confidence: Fraction | None = None
    review: bool = False


def mean(numbers: list[Fraction]) -> Fraction | None:
    """The mean, none of nothing."""
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else None
