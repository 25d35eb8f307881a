"""A deliberation in plain words, before it becomes events that both implementations read."""

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


def options_seen(case: Case) -> list[str]:
    """The options named in any round, in the order of the rounds, then of the seats."""
    words = (spoken[seat] for spoken in case.rounds for seat in case.voters if seat in spoken)
    return list(dict.fromkeys(word.choice for word in words if not word.abstain))
