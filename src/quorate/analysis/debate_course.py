"""How a debate goes: who does what, in which form, by how complex the question is, for how many rounds, to what end."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from quorate.analysis.argument_quality import novelty
from quorate.errors import BadPanel, BadSetting, Suggestion
from quorate.frozen import dataclass
from quorate.model import Argument, Brief, Course, Heard, Panel, Question, Seat, Side
from quorate.model.once import lazy_pattern
from quorate.model.tally import Stop

__all__ = [
    "DEBATERS",
    "EXTRA",
    "USUAL",
    "WEIGHTS",
    "Debate",
    "DebateSettings",
    "Form",
    "Judging",
    "complexity",
    "count_debate_rounds",
    "counted_rounds",
    "course_of",
    "debate_of",
    "is_round_over",
    "put_to",
    "settled_sides",
]

WEIGHTS: Final[Mapping[str, tuple[Fraction, int]]] = MappingProxyType(
    {
        "question": (Fraction(30, 100), 60),
        "context": (Fraction(25, 100), 300),
        "clauses": (Fraction(15, 100), 8),
        "tensions": (Fraction(15, 100), 4),
        "options": (Fraction(15, 100), 4),
    }
)
"""By what is counted: what it weighs, and from how many on it counts in full."""

_WORD: Final = lazy_pattern(r"[^\W_]+")
_CLAUSE: Final = lazy_pattern(r"[.!?;:,\n]+(?:\s|\Z)|[\u3001\u3002\uff01\uff1b\uff1f]")
_TENSION: Final = lazy_pattern(
    r"\b(?:if|unless|although|though|however|but|despite|while|whereas|versus|vs|instead|rather than|trade-?offs?|"
    r"depends?|either|otherwise|except|balance|conflict\w{0,4}|uncertain\w{0,3}|"
    r"wenn|falls|aber|jedoch|obwohl|sondern|si|mais|sauf|pero|aunque|salvo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """How complex a question is, from 0 to 1, and what was counted: the same text, the same number."""

    score: Fraction
    counts: tuple[tuple[str, int], ...]


def complexity(question: Question) -> Complexity:
    """The weighted sum of the counts, each capped where it counts in full."""
    asked = f"{question.text}\n{question.criteria}"
    whole = f"{asked}\n{question.context}"
    counts = {
        "question": len(_WORD.findall(asked)),
        "context": len(_WORD.findall(question.context)),
        "clauses": len(_CLAUSE.findall(asked.strip())),
        "tensions": len(_TENSION.findall(whole)),
        "options": len(question.options),
    }
    parts = (weight * min(Fraction(counts[name], full), Fraction(1)) for name, (weight, full) in WEIGHTS.items())
    return Complexity(score=sum(parts, Fraction(0)), counts=tuple(counts.items()))


Form = Literal["auto", "standard", "extended"]
Judging = Literal["off", "beside", "decides"]

DEBATERS: Final[Mapping[str, Side]] = MappingProxyType(
    {"proponent": "pro", "opponent": "con", "advocate": "pro", "critic": "con"}
)
"""The parts that argue, each with its side."""
EXTRA: Final = ("advocate", "critic", "refiner")
"""The parts only the extended form has."""
STANDARD: Final = 2
LONGER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateSettings:
    """A debate's settings as they were given."""

    form: Form = "auto"
    extended_from: Fraction = Fraction(7, 10)
    longer_from: Fraction = Fraction(8, 10)
    min_rounds: int = 1
    max_rounds: int = 0
    consensus: Fraction = Fraction(8, 10)
    diminishing: Fraction = Fraction(7, 10)
    judge: Judging = "off"
    allies: bool = False


USUAL: Final = DebateSettings()
"""As they are when nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """Who does what, and what holds. In the standard form nobody is advocate, critic or refiner."""

    proponent: Seat
    opponent: Seat
    advocate: Seat | None
    critic: Seat | None
    refiner: Seat | None
    moderator: Seat | None
    judge: Seat | None
    extended: bool
    min_rounds: int
    max_rounds: int
    terms: DebateSettings
    complexity: Complexity

    @property
    def debaters(self) -> tuple[Seat, ...]:
        """Everyone who argues in a round, the main sides first."""
        return (*self.main, *(seat for seat in (self.advocate, self.critic) if seat is not None))

    @property
    def main(self) -> tuple[Seat, Seat]:
        return self.proponent, self.opponent

    @property
    def counting(self) -> tuple[Seat, ...]:
        """Those whose arguments weigh: the main sides, and their allies if that was asked for."""
        return self.debaters if self.terms.allies else self.main

    def side(self, seat: Seat) -> Side:
        """For whom a seat argues; an advocate stands with the proponent, a critic with the opponent."""
        return "pro" if seat in (self.proponent, self.advocate) else "con"


def debate_of(brief: Brief, terms: DebateSettings) -> Debate:
    """Give out the parts and settle form and rounds: as told, else by how complex the question is.

    Raises:
        BadPanel: nobody is proponent or opponent, two seats have one part, or a judge is wanted and nobody can be it.
        BadSetting: fewer rounds at most than at least.
    """
    panel, scored = brief.panel, complexity(brief.question)
    if terms.max_rounds and terms.min_rounds > terms.max_rounds:
        raise BadSetting(f"min_rounds is {terms.min_rounds} and max_rounds is {terms.max_rounds}; it must not be less")
    extended = terms.form == "extended" or (terms.form == "auto" and scored.score >= terms.extended_from)
    rounds = terms.max_rounds or (LONGER if extended and scored.score >= terms.longer_from else STANDARD)
    more = {part: _at_most_one(panel, part) if extended else None for part in ("advocate", "critic", "refiner")}
    moderator = _at_most_one(panel, "moderator")
    return Debate(
        proponent=_one(panel, "proponent"),
        opponent=_one(panel, "opponent"),
        advocate=more["advocate"],
        critic=more["critic"],
        refiner=more["refiner"],
        moderator=moderator,
        judge=_judge(panel, moderator) if terms.judge != "off" else None,
        extended=extended,
        min_rounds=min(terms.min_rounds, rounds),
        max_rounds=rounds,
        terms=terms,
        complexity=scored,
    )


def _one(panel: Panel, part: str) -> Seat:
    seat = _at_most_one(panel, part)
    if seat is None:
        there = ", ".join(f"{seat.name} ({seat.acts})" for seat in panel)
        raise BadPanel(
            f"a debate needs a{'n' * (part[0] in 'aeiou')} {part}; this panel has {there}. "
            f"Name a seat {part.capitalize()}, or give one part = {part}",
            suggestions=(Suggestion("panel", "debate", "to take the panel that ships"),),
        )
    return seat


def _at_most_one(panel: Panel, part: str) -> Seat | None:
    seats = [seat for seat in panel if seat.acts == part]
    if len(seats) > 1:
        names = " and ".join(seat.name for seat in seats)
        raise BadPanel(f"a debate has one {part} at most, and this panel has {names}; give one of them another part")
    return seats[0] if seats else None


def _judge(panel: Panel, moderator: Seat | None) -> Seat:
    judge = _at_most_one(panel, "judge") or moderator
    if judge is None:
        raise BadPanel(
            "a judge is wanted, and nobody on this panel is judge or moderator; seat one, or set judge = off"
        )
    return judge


def is_round_over(heard: Heard, debate: Debate, number: int) -> bool:
    """Whether everyone due in a round has spoken or fallen silent; a round nobody spoke in is not assessed."""
    if not settled_sides(heard, debate, number):
        return False
    closing = (debate.refiner, debate.moderator) if _anyone(heard, debate, number) else ()
    return all(heard.settled(str(number), seat) for seat in closing if seat is not None)


def settled_sides(heard: Heard, debate: Debate, number: int) -> bool:
    """Whether all who argue in a round have spoken or fallen silent."""
    return heard.settled(str(number), *debate.debaters)


def _anyone(heard: Heard, debate: Debate, number: int) -> bool:
    return any(heard.speech(str(number), seat) for seat in debate.debaters)


def count_debate_rounds(heard: Heard, debate: Debate) -> int:
    """How many rounds are over."""
    number = 0
    while number < debate.max_rounds and is_round_over(heard, debate, number + 1):
        number += 1
    return number


def argument_of(heard: Heard, seat: Seat, number: int) -> Argument | None:
    """The case a seat made in a round."""
    speech = heard.speech(str(number), seat)
    return speech.argument if speech else None


def arguments_before(heard: Heard, seat: Seat, number: int) -> tuple[Argument, ...]:
    """The cases a seat made in earlier rounds."""
    cases = (argument_of(heard, seat, earlier) for earlier in range(1, number))
    return tuple(case for case in cases if case is not None)


def put_to(heard: Heard, debate: Debate, seat: Seat, number: int) -> tuple[Argument, ...]:
    """What a seat had to answer in a round: the other main side's latest case that it was shown."""
    other = debate.opponent if debate.side(seat) == "pro" else debate.proponent
    last = number if seat == debate.opponent and not debate.extended else number - 1
    return arguments_before(heard, other, last + 1)[-1:]


def counted_rounds(heard: Heard, debate: Debate, upto: int) -> tuple[int, ...]:
    """The rounds in which both main sides made a case: no other counts for anybody."""
    return tuple(
        number for number in range(1, upto + 1) if all(argument_of(heard, seat, number) for seat in debate.main)
    )


def course_of(heard: Heard, debate: Debate) -> Course:
    """The rounds held, and whether they were the last: `complete` is what goes on. Who asks and who counts go by it."""
    last = count_debate_rounds(heard, debate)
    return Course(
        rounds=tuple(str(number) for number in range(1, last + 1)),
        stop=(_stop_after(heard, debate, last) if last else None) or "complete",
        status="extended" if debate.extended else "standard",
    )


def _stop_after(heard: Heard, debate: Debate, number: int) -> Stop | None:
    """Why the debate ends after this round, none if it goes on.

    The moderator's number may only end it, and never before the fewest rounds nor after the most.
    """
    if number >= debate.min_rounds and _settled_by_moderator(heard, debate, number):
        return "consensus"
    if number >= debate.max_rounds:
        return "max_rounds"
    if number >= max(2, debate.min_rounds) and not any(_new(heard, debate, number)):
        return "diminishing"
    return None


def _settled_by_moderator(heard: Heard, debate: Debate, number: int) -> bool:
    ballot = heard.ballot(str(number), debate.moderator) if debate.moderator else None
    return ballot is not None and ballot.confidence is not None and ballot.confidence > debate.terms.consensus


def _new(heard: Heard, debate: Debate, number: int) -> Iterator[bool]:
    """By main side, whether it may still bring something: it was silent, or made a claim unlike its earlier ones."""
    for seat in debate.main:
        case = argument_of(heard, seat, number)
        yield case is None or novelty(case, arguments_before(heard, seat, number)) > 1 - debate.terms.diminishing


def form_in_file(seat: Seat) -> tuple[str, tuple[str, ...]]:
    """In a file a debater makes a case for its side, and anybody else assesses."""
    side = DEBATERS.get(seat.acts)
    return ("argument", (side,)) if side else ("assessment", ())


def settings_in_file(spoke: tuple[Seat, ...], last: int) -> tuple[tuple[str, str], ...]:
    """A debate handed over was as long as the file, and extended if anybody spoke who only speaks there."""
    extended = any(seat.acts in EXTRA for seat in spoke)
    return (("form", "extended" if extended else "standard"), ("max_rounds", str(last)), ("judge", "off"))
