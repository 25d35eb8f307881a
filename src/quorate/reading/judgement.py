"""A judge's marks for two sides it knows as A and B: evidence and logic, each from 0 to 1."""

from fractions import Fraction
from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice
from quorate.reading.text.answer_fields import AnswerFields, FormField
from quorate.reading.text.object_form import object_form
from quorate.reading.text.unreadable import ballot_reasons

MARKS: Final = ("a_evidence", "a_logic", "b_evidence", "b_logic")


def judge(fields: AnswerFields, _terms: AnswerTerms) -> Ballot | str:
    """The four marks, as shares of a ballot that nobody counts."""
    marks = [mark for name in MARKS if (mark := fields.share(name)) is not None]
    if len(marks) < len(MARKS):
        return "bad_number"
    return Ballot(vote=Choice(_ahead(marks)), shares=tuple(zip(MARKS, marks, strict=True)))


def _ahead(marks: list[Fraction]) -> str:
    a, b = marks[0] * marks[1], marks[2] * marks[3]
    return "even" if a == b else "A" if a > b else "B"


def _mark(name: str) -> FormField:
    side, what = name.split("_")
    about = "how good its evidence is" if what == "evidence" else "how consistent its reasoning is and how it answers"
    return FormField(
        told=f"of side {side.upper()}, {about}, from 0 to 1.",
        sample=0.5,
        schema={"type": "number", "description": "0 to 1."},
        aliases=(name.replace("_", "-"), name.replace("_", " ")),
        pattern="<number>",
    )


SPEC: Final = object_form(
    "JUDGEMENT",
    {name: _mark(name) for name in MARKS},
    judge,
    vote=Choice,
    keys=MARKS,
    intro=(
        "First say in plain prose, in the language of the question, what is strong and what is weak on either side. "
        "Then write one line of JSON, the last of your reply,"
    ),
    noun="judgement",
    reasons=ballot_reasons("judgement"),
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
