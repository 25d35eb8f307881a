"""What a file of the catalogue declares beside its function: typed, frozen, and checked when it is loaded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final, Literal, Protocol

from quorate.frozen import dataclass
from quorate.model.ask import ANY, AnswerTerms, Ask, Errand, Shown
from quorate.model.ballot import Approval, Choice, Estimate, Finish, Ranking, Read
from quorate.model.panel import Panel, Seat
from quorate.model.question import Finding, Question
from quorate.model.tally import Tally
from quorate.model.verdict import PartRef, Rulebook, Verdict

__all__ = [
    "ANY",
    "OPEN",
    "AnswerTerms",
    "CheckSpec",
    "CountSpec",
    "FileSpec",
    "FormSpec",
    "ProtocolSpec",
    "Reader",
    "RuleSpec",
    "Settings",
    "Shown",
    "Variant",
    "VoteKind",
    "lead",
    "never",
]

Settings = tuple[tuple[str, str], ...]
VoteKind = type[Choice] | type[Approval] | type[Ranking] | type[Estimate]

OPEN: Final[tuple[str, ...]] = ()
"""The outcomes of a protocol whose verdict is whatever its seats name."""


class Reader(Protocol):
    """Reads a reply: whatever is in it, an answer or the reason why there is none comes out."""

    def __call__(self, text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSpec:
    """How an answer is written and read.

    `vote` is the kind of vote it reads, none where it reads no ballot. `sample` writes an answer that can be read, for
    tests and forecasts. `missing` is why a seat is silent that wrote nothing; with a reason of `still_speech` a reply
    without a ballot is a speech all the same. `from_file` reads an answer that people hand over as one object of a
    file, on the pattern `example`.
    """

    read: Reader
    instructions: Callable[[AnswerTerms], str]
    repair: Callable[[str, AnswerTerms], str]
    schema: Callable[[AnswerTerms], Mapping[str, object]]
    sample: Callable[[AnswerTerms], str]
    vote: VoteKind | None = None
    states: tuple[Literal["confidence", "risk"], ...] = ()
    shows: tuple[Literal["abstain", "continue_debate", "evidence"], ...] = ()
    missing: str = "no_ballot"
    still_speech: frozenset[str] = frozenset()
    from_file: Callable[[Mapping[str, object], AnswerTerms], Read] | None = None
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSpec:
    """How ballots become a tally, and of which kinds of vote; `compares` open options, to count like ones as one.

    `stricter` makes the tally that decides least of one whose grouping of options leaves something open.
    """

    count: Callable[..., Tally]
    votes: tuple[VoteKind, ...] = (Choice,)
    compares: bool = False
    stricter: Callable[..., Tally] | None = None


def never(seats: int, **_: object) -> int:
    """What a rule needs that decides nothing: more seats than there are."""
    return seats + 1


def lead(seats: int, **_: object) -> int:
    """What a rule needs that asks for a lead and no share: one more than a seat alone, if there are others."""
    return min(seats, _PAIR)


_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSpec:
    """A rule that decides, or a cap that only makes a verdict more careful.

    `always` says that it never stays silent, so a rulebook may end with it. `votes` are the kinds of vote it looks
    into, none if it goes by heads alone. `breaks` names the axioms of the tests that it does not keep.

    `needs` is what the rule guarantees: given the number of seats and the rule's settings, the fewest that must have
    chosen an outcome for the rule to decide on it although every other seat chose something else. A test refutes it
    by search. Without it nobody can say what a panel under this rule withstands, and it is not computed. With `power`
    it is of seats that hold the veto. A rule that weighs `arguments` of sides given out beforehand counts no heads.
    `terms` says under these settings in words what else than heads counts, if anything. `counts` are the only ways to
    count that it may decide on, where that is not any. `weighs` says that it decides by the weights that a panel gives
    its seats; where no rule does, such weights are refused.
    """

    rule: Callable[..., Verdict | None] | None = None
    cap: Callable[..., Verdict | None] | None = None
    always: bool = False
    votes: tuple[VoteKind, ...] = ()
    breaks: tuple[str, ...] = ()
    needs: Callable[..., int] | None = None
    power: bool = False
    terms: Callable[..., str] | None = None
    arguments: bool = False
    counts: tuple[str, ...] = ()
    weighs: bool = False

    @property
    def function(self) -> Callable[..., Verdict | None]:
        """Whichever it is; the settings of the rule are its keyword-only arguments.

        Raises:
            ValueError: it is neither, or both.
        """
        if self.rule is None and self.cap is not None:
            return self.cap
        if self.rule is not None and self.cap is None:
            return self.rule
        raise ValueError("is neither a rule nor a cap, or both")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """What the guard asks of a question; findings come out."""

    check: Callable[[Question], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What one value of a protocol's setting makes of the answer: its form, and the outcomes besides the options."""

    form: str
    outcomes: tuple[str, ...]
    choices: tuple[str, ...] = ()
    """What a seat may name, where that is not every outcome."""
    listed: bool = False
    """Whether the options of the question may be named, and are outcomes too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSpec:
    """How what was said is handed over in a file instead of being asked for.

    `seats`: the file is the panel, or its seats sit on the protocol's own panel, `panel` if they all do, `only` in any
    case. `rounds`: each object names its round. `wants` says which form and which list a seat's object is read with,
    where that is not the protocol's own. `settings` are what the seats and the last round of the file imply.
    """

    seats: Literal["file", "panel", "only"] = "file"
    rounds: bool = False
    wants: Callable[[Seat], tuple[str, tuple[str, ...]]] | None = None
    settings: Callable[[tuple[Seat, ...], int], Settings] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolSpec:
    """Everything a protocol is besides its function.

    `outcomes` stand in the order of caution, the boldest first, or are OPEN; `turned_away` is the one a question gets
    that the guard turns away. Ballots of the round `final` are counted; `sealed` is the round in which nobody has heard
    anybody. A protocol whose form depends on a setting names it in `varies_by`, with a variant for each value, the
    default first. Under the rulebooks of `refusal_is_silence` a search has shown that a refusal in place of a seat's
    silence makes no outcome bolder. `aliases` are settings that stand for a setting of a rule. `task` is what models
    are chosen for.
    """

    protocol: Callable[..., Iterator[Ask | Errand]]
    form: str
    count: PartRef
    rulebook: Rulebook
    panel: Panel
    outcomes: tuple[str, ...] = OPEN
    turned_away: str | None = None
    titles: tuple[tuple[str, str], ...] = ()
    final: str = "1"
    sealed: str = ""
    rulebooks: tuple[Rulebook, ...] = ()
    refusal_is_silence: tuple[Rulebook, ...] = ()
    varies_by: str = ""
    variants: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType[str, Variant]({}))
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType[str, str]({}))
    task: str = ""
    file: FileSpec = FileSpec()
    last_word: Callable[[Mapping[str, str]], str] | None = None
    """The round, under these settings, after whose ballot a seat has no other: what `stop_when_settled` goes by."""

    @property
    def books(self) -> tuple[Rulebook, ...]:
        """Every rulebook it brings, its own first."""
        return (self.rulebook, *self.rulebooks)

    def variant(self, settings: Mapping[str, str]) -> Variant:
        """The form and outcomes under these settings, as they are written."""
        plain = Variant(form=self.form, outcomes=self.outcomes)
        first = next(iter(self.variants), "")
        return self.variants.get(settings.get(self.varies_by, first), plain) if self.varies_by else plain
