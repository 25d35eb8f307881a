"""What a seat says: a reply as it came, a speech or an argument, a ballot, or silence."""

from dataclasses import field
from fractions import Fraction
from typing import Final, Literal

from quorate.frozen import dataclass, fast_init
from quorate.model.evidence import Evidence
from quorate.model.numbers import decimal
from quorate.model.texts import INLINE, WORDS

Side = Literal["pro", "con"]
Finish = Literal["stop", "length", "filter", "refusal", "other"]
Enforcement = Literal["", "schema", "tool"]


MOST_TOKENS: Final = 10**12
MOST_MONEY: Final = 10**9
"""More tokens or dollars than any reply can have cost: whoever says so errs or lies."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a reply cost. None is unknown, never zero; money is in US dollars."""

    asked: int | None = None
    answered: int | None = None
    money: Fraction | None = None

    @property
    def credible(self) -> "Usage":
        """The same without what cannot be: whoever answers can say anything of itself."""
        asked, answered, money = credible_count(self.asked), credible_count(self.answered), credible_money(self.money)
        if asked is self.asked and answered is self.answered and money == self.money:
            return self
        return Usage(asked=asked, answered=answered, money=money)

    @property
    def tokens(self) -> int | None:
        """Tokens asked and answered together, if both are known."""
        return None if self.asked is None or self.answered is None else self.asked + self.answered


def credible_count(said: object) -> int | None:
    """A number of tokens, if it is one that a reply can have."""
    if isinstance(said, bool) or not isinstance(said, int):
        return None
    return said if 0 <= said <= MOST_TOKENS else None


def credible_money(said: object) -> Fraction | None:
    """An exact amount, if it is one that a reply can cost."""
    if said is None or isinstance(said, bool) or not isinstance(said, int | Fraction):
        return None
    return Fraction(said) if 0 <= said <= MOST_MONEY else None


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A panelist's words as they came, the model that really answered, and how long it took in milliseconds.

    `enforced_by`: by what the provider let nothing but an answer of the wanted form through; empty where it did not.
    """

    text: str = field(metadata=WORDS)
    model: str = ""
    finish: Finish = "stop"
    usage: Usage = Usage()
    took: int = 0
    enforced_by: Enforcement = ""


@fast_init
@dataclass(frozen=True, slots=True)
class Choice:
    """One option."""

    choice: str

    def __str__(self) -> str:
        return self.choice


@dataclass(frozen=True, slots=True)
class Approval:
    """Every option a seat could live with; none at all is a vote too."""

    approved: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.approved) or "none of them"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Options in an order, the best first; those in one place are held to be equally good."""

    ranking: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " > ".join(" = ".join(place) for place in self.ranking)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, and between which two it most likely lies."""

    value: Fraction
    low: Fraction | None = None
    high: Fraction | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return decimal(self.value)
        return f"{decimal(self.value)} ({decimal(self.low)} to {decimal(self.high)})"


Vote = Choice | Approval | Ranking | Estimate
"""What a ballot says: one option, several, an order of them, or a number. Nothing else is counted."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """A seat's own decision, numbers on the scale 0 to 1. A veto chooses the most cautious outcome, alone.

    `conditions`: what must hold before anyone goes ahead, for a ballot that warns; each a short sentence.
    `would_change`: which fact would make the seat decide otherwise, in one sentence.
    """

    vote: Vote = field(metadata=INLINE)
    confidence: Fraction | None = None
    risk: Fraction | None = None
    rationale: str = field(default="", metadata=WORDS)
    conditions: tuple[str, ...] = field(default=(), metadata=WORDS)
    would_change: str = field(default="", metadata=WORDS)
    evidence: tuple[Evidence, ...] = ()
    veto: bool = False
    abstain: bool = False
    continue_debate: bool = True
    shares: tuple[tuple[str, Fraction], ...] = ()

    @property
    def choice(self) -> str:
        """The vote in words, whatever its kind: as it is shown, and for a choice as it is counted."""
        return str(self.vote)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One side's case in a debate."""

    side: Side
    claims: tuple[str, ...] = field(metadata=WORDS)
    evidence: tuple[str, ...] = field(default=(), metadata=WORDS)
    confidence: Fraction = Fraction(1, 2)


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What a seat said, as the others may be shown it, no passage of which looks like a ballot.

    `prose` are its own words, `rationale` is the reason on its ballot, and `position` says in a sentence what it voted,
    or what its argument claims.
    """

    seat: str
    round: str
    about: str
    prose: str = ""
    rationale: str = ""
    position: str = ""
    ballot: Ballot | None = None
    argument: Argument | None = None
    cautions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it, as it is shown to another seat."""
        if not self.rationale and not self.position:
            return self.prose
        return "\n\n".join([part for part in (self.prose, self.rationale, self.position) if part])


NOT_NEEDED: Final = "no_longer_needed"
"""Why an ask was cancelled that nobody waits for: a veto has ended it, or no ballot could change the verdict."""
NOT_ASKED: Final = "not_asked"
"""Why there is no final ballot of a seat that was never asked for one."""


LOCKED_OUT: Final = frozenset({"wrong_key", "no_quota", "no_such_model", "tool_missing"})
"""Why a seat will not be heard however often it is asked: somebody has to mend its access first."""
NO_ACCESS: Final = LOCKED_OUT | {"bad_request", "unreachable", "breaker"}
"""Why a seat could not even be asked. With any other reason something came of the ask, if only the wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A seat that was asked and gave nothing usable, with the reason in a word and, where there is one, a sentence."""

    seat: str
    why: str
    detail: str = field(default="", metadata=WORDS)


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a form made of a reply: a ballot or argument where one was wanted, where it stands, or why there is none."""

    ballot: Ballot | None = None
    argument: Argument | None = None
    cuts: tuple[tuple[int, int], ...] = ()
    unreadable: str = ""
    cautions: tuple[str, ...] = ()
