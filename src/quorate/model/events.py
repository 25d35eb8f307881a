"""What happened, in the past tense: the only state there is. Below it, the steps: what the chair orders next.

The ledger adds number, time and hash link around an event.
"""

from dataclasses import field
from fractions import Fraction
from typing import Final, Literal

from quorate.frozen import dataclass, fast_init, make_tuple
from quorate.model.ask import Ask, AskKey, Errand, ErrandKey
from quorate.model.ballot import Argument, Ballot, Reply
from quorate.model.evidence import Passage
from quorate.model.lookup import Lookup, LookupTerms
from quorate.model.panel import Panel, SeatModel
from quorate.model.question import Question
from quorate.model.tally import Caution
from quorate.model.texts import WORDS
from quorate.model.verdict import Rulebook, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a deliberation may use. None is no limit; seconds for the whole, for one ask, tokens and dollars."""

    calls: int | None = None
    tokens: int | None = None
    money: Fraction | None = None
    deadline: Fraction | None = None
    patience: Fraction | None = None
    unpriced: bool = False

    @property
    def has_budget(self) -> bool:
        """Whether calls, tokens or money are bounded."""
        return (self.calls, self.tokens, self.money) != (None, None, None)


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Convened:
    """A panel was convened over a question, under a protocol and a rulebook, both kept by value."""

    question: Question
    panel: Panel
    protocol: str
    rulebook: Rulebook
    settings: tuple[tuple[str, str], ...] = ()
    seated: tuple[SeatModel, ...] = ()
    limits: Limits = NO_LIMITS
    seed: str = field(default="", metadata=WORDS)
    made_by: str = ""
    lookups: LookupTerms | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """The guard let the question in, with what it noticed. `version`: the chair version that wrote the event."""

    cautions: tuple[Caution, ...] = ()
    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedAway:
    """The guard turned the question away, with its reasons; the verdict says what that means here."""

    reasons: tuple[Caution, ...]
    verdict: Verdict
    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutAsk:
    """What every event about one ask begins with."""

    round: str
    seat: str
    about: str = ""
    attempt: int = 1

    @property
    def key(self) -> AskKey:
        return make_tuple(AskKey, (self.round, self.seat, self.about, self.attempt))


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(AboutAsk):
    """A prompt went out. `sending` is above 1 when it went out again after a crash or an attempt that may be billed."""

    prompt: str = field(default="", metadata=WORDS)
    model: str = ""
    sending: int = 1


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken(AboutAsk):
    """A reply came. Ballots and arguments stand at `cuts`; `unreadable` says why there is none where one was wanted.

    `lookups` is what the seat asks to see before it answers.
    """

    reply: Reply
    ballot: Ballot | None = None
    argument: Argument | None = None
    cuts: tuple[tuple[int, int], ...] = ()
    unreadable: str = ""
    cautions: tuple[str, ...] = ()
    version: int = field(default=0, compare=False)
    lookups: tuple[Lookup, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent(AboutAsk):
    """Nothing usable came, and why."""

    why: str
    detail: str = field(default="", metadata=WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn(AboutAsk):
    """An ask in flight was no longer needed and was cancelled."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An errand came back: what the backend found, or why it did not."""

    kind: str
    round: str
    seat: str = ""
    about: str = ""
    scores: tuple[tuple[int, int, Fraction], ...] = ()
    same: tuple[tuple[int, int], ...] = ()
    """Places of options that are the same words; only these may be counted as one."""
    passages: tuple[Passage, ...] = ()
    by: str = ""
    why: str = ""
    library: int = 0
    """Different texts in all there was to look in, where that was a closed library; 0 where it was not."""
    attempt: int = 0
    """Of the ask whose reply wanted it; 0 where no seat did."""

    @property
    def key(self) -> ErrandKey:
        return ErrandKey(self.kind, self.round, self.seat, self.about, self.attempt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """A seat was given another model, and why."""

    seated: SeatModel
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The rules spoke."""

    verdict: Verdict
    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Nobody could be asked at all, so nothing was decided. Asks after it count as first asks.

    Why is in the silences before it: every one of them is for want of access.
    """

    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """The deliberation was given up without a verdict."""

    why: str


Interface = Literal["terminal", "command", "page", "api", "mcp", "python", "langgraph", "imported"]
"""How a review or a label came: typed and confirmed at a terminal, by a command nobody confirmed, on the owner's page…

`imported` is never written: a ledger reads it into every review and label of a record that it took in from elsewhere.
"""
MAY_LOOSEN: Final[frozenset[Interface]] = frozenset({"terminal", "page"})
"""Where we know that the owner was asked. Everything else may be a program, so at a gate it can only be stricter."""
MAY_CERTIFY: Final[frozenset[Interface]] = frozenset({"terminal", "command", "page", "python"})
"""Whose labels count for `act_error` without the operator's word: those that only the owner's account can give."""
CALLERS: Final[frozenset[Interface]] = frozenset({"api", "mcp"})
"""Whose labels count if the operator said so when they were given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """By which interface a review or a label came, and from which caller. The interface says so, never the caller."""

    interface: Interface
    caller: str = ""
    trusted: bool = False
    """Whether the operator had said, when it was given, that labels of such callers count."""

    @property
    def may_loosen(self) -> bool:
        """Whether a review may make a gate's outcome less strict."""
        return self.interface in MAY_LOOSEN

    @property
    def may_certify(self) -> bool:
        """Whether a label counts for `act_error`."""
        return self.interface in MAY_CERTIFY or (self.trusted and self.interface in CALLERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A person looked at the verdict and said what holds."""

    outcome: str
    by: str
    because: str = field(metadata=WORDS)
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedOut:
    """Somebody said what had been right all along. It labels the verdict and changes nothing about it."""

    value: str
    by: str = ""
    because: str = field(default="", metadata=WORDS)
    origin: Origin


Event = (
    Convened
    | Admitted
    | TurnedAway
    | Asked
    | Spoken
    | Silent
    | Withdrawn
    | Found
    | Routed
    | Decided
    | Failed
    | Halted
    | Reviewed
    | TurnedOut
)


@dataclass(frozen=True, slots=True)
class Write:
    """Put this on record."""

    event: Event


@fast_init
@dataclass(frozen=True, slots=True)
class Hear:
    """Put this ask to its seat, unless it is under way."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Run:
    """Run this errand, unless it is under way."""

    errand: Errand


@dataclass(frozen=True, slots=True)
class Adjourn:
    """Nothing is left to do."""


Step = Write | Hear | Run | Adjourn
"""What the chair orders next."""
