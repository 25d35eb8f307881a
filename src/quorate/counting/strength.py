"""Arguments weigh: confidence × evidence quality × logical consistency, over the rounds in which both sides spoke."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from quorate.analysis.argument_quality import argument_strength, evidence_quality, logical_consistency, material
from quorate.analysis.debate_course import (
    USUAL,
    Debate,
    DebateSettings,
    Judging,
    argument_of,
    arguments_before,
    count_debate_rounds,
    counted_rounds,
    course_of,
    debate_of,
    put_to,
)
from quorate.analysis.debate_margin import UNJUDGED
from quorate.analysis.judge_marks import JudgeMarks, mean_marks
from quorate.model import Argument, Brief, Caution, Heard, Seat, Silence, Tally, Voice
from quorate.model.ballot import NOT_ASKED
from quorate.model.specs import CountSpec


def count(brief: Brief, heard: Heard, outcomes: tuple[str, ...], *, terms: DebateSettings = USUAL) -> Tally:
    """Weigh every argument of the rounds held; one made while the other main side was silent weighs nothing."""
    debate = debate_of(brief, terms)
    course, voices = course_of(heard, debate), tuple(weigh_arguments(brief, heard, debate, outcomes))
    last = len(course.rounds)
    spoke = {voice.seat for voice in voices}
    return Tally(
        eligible=tuple(seat.name for seat in debate.counting),
        options=outcomes,
        voices=voices,
        silent=tuple(_silence(heard, seat, last) for seat in debate.counting if seat.name not in spoke),
        course=course,
        cautions=tuple(_cautions(heard, debate, last)),
        demo=brief.panel.demo,
        sides=True,
        figures=((UNJUDGED, Fraction(1)),) if _unjudged(heard, debate, last) else (),
    )


def _unjudged(heard: Heard, debate: Debate, last: int) -> bool:
    """Whether a judge was to decide and could not be read: then somebody should know that the measures did."""
    decides = debate.terms.judge == "decides" and bool(counted_rounds(heard, debate, last))
    return decides and mean_marks(heard, debate) is None


def weigh_arguments(brief: Brief, heard: Heard, debate: Debate, outcomes: tuple[str, ...]) -> Iterator[Voice]:
    """Every argument as it counts, in the order of rounds, then of seats."""
    last = count_debate_rounds(heard, debate)
    counted = counted_rounds(heard, debate, last)
    decides = mean_marks(heard, debate) if debate.terms.judge == "decides" else None
    for number in range(1, last + 1):
        for seat in debate.counting:
            argument = argument_of(heard, seat, number)
            if argument is not None:
                side = debate.side(seat)
                known = arguments_before(heard, seat, number), put_to(heard, debate, seat, number)
                marks = decides.marks(side) if decides else _measured(argument, material(brief.question), *known)
                option = outcomes[0 if side == "pro" else -1]
                yield _voice(seat, argument, number, option, marks if number in counted else None)


def _measured(
    argument: Argument, context: str, earlier: tuple[Argument, ...], put: tuple[Argument, ...]
) -> tuple[Fraction, Fraction]:
    return evidence_quality(argument, context), logical_consistency(argument, earlier, put)


def _voice(seat: Seat, argument: Argument, number: int, option: str, marks: tuple[Fraction, Fraction] | None) -> Voice:
    return Voice(
        seat=seat.name,
        option=option,
        weight=argument_strength(argument.confidence, *marks) if marks else Fraction(0),
        confidence=argument.confidence,
        reason="; ".join(argument.claims),
        quotes=argument.claims,
        evidence=len(argument.evidence),
        round=str(number),
        quality=marks[0] if marks else None,
        consistency=marks[1] if marks else None,
    )


def _silence(heard: Heard, seat: Seat, last: int) -> Silence:
    known = (heard.silence(str(number), seat) for number in range(last, 0, -1))
    return next((gone for gone in known if gone is not None), Silence(seat=seat.name, why=NOT_ASKED))


def _cautions(heard: Heard, debate: Debate, last: int) -> Iterator[Caution]:
    counted = counted_rounds(heard, debate, last)
    for number in range(1, last + 1):
        if number not in counted:
            gone = [seat.name for seat in debate.main if argument_of(heard, seat, number) is None]
            text = f"round {number} does not count: {' and '.join(gone)} made no case in it"
            yield Caution(name="round_not_counted", text=text)
    if debate.judge is not None and counted:
        yield from _about_judge(debate.judge.name, debate.terms.judge, mean_marks(heard, debate))


def _about_judge(name: str, judging: Judging, marks: JudgeMarks | None) -> Iterator[Caution]:
    if marks is None:
        text = f"{name} could not be read in both orders, so its marks are ignored and the stated measures count"
        yield Caution(name="judge_silent", seat=name, text=text)
    elif judging == "decides":
        text = f"evidence and logic were marked by the model of {name}, not by the stated measures"
        yield Caution(name="judged_by_model", seat=name, text=text)


SPEC: Final = CountSpec(count=count, votes=())
