"""What was decided, and by which rules; rulebooks as values, so that the record keeps the one that was used."""

from collections.abc import Iterable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Final, Literal

from quorate.frozen import dataclass, fast_init
from quorate.model.numbers import mean
from quorate.model.panel import name_list
from quorate.model.tally import Caution, Tally
from quorate.model.texts import WORDS


@fast_init
@dataclass(frozen=True, slots=True)
class RuleTrace:
    """A rule that was asked, and what it said; silent rules say nothing."""

    rule: str
    said: str = field(default="", metadata=WORDS)


PointKind = Literal["condition", "reason", "dissent", "source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A short quote of what a seat said, word for word, and what it is here; `also` are seats that said the same."""

    seat: str
    kind: PointKind
    text: str = field(metadata=WORDS)
    also: tuple[str, ...] = ()

    @property
    def seats(self) -> tuple[str, ...]:
        return (self.seat, *self.also)

    @property
    def who(self) -> str:
        """All who said it, in words."""
        return name_list(self.seats)


_FOR_A_PERSON: Final = frozenset({"grouping_matters"})
"""Cautions of a count that a person should look at, whichever rule decides."""
HELD: Final = "; but "
"""Between what was decided and why it was held."""


@fast_init
@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome in the protocol's own word (none where there is none), with the rule that chose it and why."""

    outcome: str | None
    decided: bool
    rule: str
    because: str = field(metadata=WORDS)
    agreement: Fraction | None = None
    confidence: Fraction | None = None
    dissent: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()
    requires_human_review: bool = False
    trace: tuple[RuleTrace, ...] = ()
    points: tuple[Point, ...] = ()
    score: Fraction | None = None
    """How sure the rule is, where it has a number of its own: it is only compared, and no probability."""

    @property
    def awaits_review(self) -> bool:
        """Whether a person should say what holds: a rule asks for it, or nothing was decided."""
        return self.requires_human_review or not self.decided

    @classmethod
    def on(cls, tally: Tally, outcome: str | None, because: str, *, decided: bool, review: bool = False) -> "Verdict":
        """A verdict on a tally, its figures taken from there; the rulebook fills in which rule it was."""
        sure, others = tally.for_and_against(outcome)
        confidence = mean(sure) if sure and outcome else None
        dissent = _dissent(tally, outcome, others, decided=decided or bool(sure)) if others else ()
        person = review or _is_for_a_person(tally.cautions)
        # In the order of the fields: to pass so many by name takes twice as long.
        return cls(
            outcome, decided, "", because, _agreement(tally, outcome), confidence, dissent, tally.cautions, person
        )

    def lowered(self, tally: Tally, outcome: str | None, reason: str) -> "Verdict":
        """The more careful verdict that a cap makes of this one, for a person to review."""
        became = f"so {self.outcome or 'no outcome'} becomes {outcome or 'no outcome'}"
        because = f"{self.because}{HELD}{reason}, {became}"
        return Verdict.on(tally, outcome, because, decided=False, review=True)


def _agreement(tally: Tally, outcome: str | None) -> Fraction | None:
    """The share of the seats behind an outcome, where seats stated something and none was told its side."""
    if not tally.all_stated or tally.vetoes or tally.sides:
        return None
    return tally.agreement if tally.is_plain else tally.behind(outcome)


def _dissent(tally: Tally, outcome: str | None, others: Iterable[str], *, decided: bool) -> tuple[str, ...]:
    """Those who stated something else; nobody where there is no outcome, or only one that nobody chose."""
    if outcome is None or not (decided or any(voice.backs(outcome) for voice in tally.voices)):
        return ()
    return tuple(others)


def _is_for_a_person(cautions: Sequence[Caution]) -> bool:
    return bool(cautions) and any(caution.name in _FOR_A_PERSON for caution in cautions)


@dataclass(frozen=True, slots=True)
class PartRef:
    """A rule by its file's name, with its settings as they are written."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rulebook:
    """Rules in an order, one that always speaks, caps that may only lower the outcome, and what silence counts as.

    It has no slots, so that its rules are looked up and their settings read once.
    """

    name: str
    rules: tuple[PartRef, ...]
    otherwise: PartRef
    unless: tuple[PartRef, ...] = ()
    silence: str = "none"
