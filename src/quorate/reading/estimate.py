"""A seat's estimate: a number, between which two it most likely lies, confidence from 0 to 1 and why."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Estimate
from quorate.model.numbers import exact
from quorate.reading.text.answer_fields import CONFIDENCE, REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.object_form import object_form
from quorate.reading.text.unreadable import ballot_reasons
from quorate.reading.text.values import number_digits
from quorate.reading.vote import lacks_confidence


def judge(fields: AnswerFields, _terms: AnswerTerms) -> Ballot | str:
    """The estimate that these fields state; its bounds may be left out."""
    low, value, high = numbers = [exact(number_digits(fields.raw(name))) for name in _NAMES]
    stated = [number for number in numbers if number is not None]
    unread = any(number is None and _is_stated(fields, name) for name, number in zip(_NAMES, numbers, strict=True))
    why = lacks_confidence(fields, abstained=False)
    if value is None or unread or stated != sorted(stated):
        return "bad_number"
    return why or Ballot(
        vote=Estimate(value, low, high), confidence=fields.share("confidence"), rationale=fields.text("rationale")
    )


def _is_stated(fields: AnswerFields, name: str) -> bool:
    """Whether anything but nothing stands under a name; a list does."""
    return name in fields.values and (not fields.values[name] or fields.raw(name).lower() not in {"", "none"})


_NAMES: Final = ("low", "value", "high")

SPEC: Final = object_form(
    "BALLOT",
    {
        "value": FormField(
            told="your number, in digits and without a unit, in the unit the question asks for.",
            sample=12,
            schema={"type": "number", "description": "Your number, in digits and without a unit."},
            aliases=("estimate",),
            pattern="<number>",
        ),
        "low": FormField(
            told="it is hardly less than this number. Leave low and high out if you cannot say.",
            sample=10,
            schema={"type": "number", "description": "It is hardly less than this."},
            required=False,
            pattern="<number>",
        ),
        "high": FormField(
            told="it is hardly more than this number.",
            sample=15,
            schema={"type": "number", "description": "It is hardly more than this."},
            required=False,
            pattern="<number>",
        ),
        "confidence": CONFIDENCE,
        "rationale": REASONING,
        "would_change": WOULD_CHANGE,
    },
    judge,
    vote=Estimate,
    states=("confidence",),
    intro=(
        "First say how you come to your number and what speaks against it, in plain prose and in the language of the "
        "question. Then state it: one line, the last of your reply,"
    ),
    outro="Others are shown your reason without your name, so name nobody.",
    noun="estimate",
    reasons=ballot_reasons("estimate"),
    example='[{"seat": "First", "value": 12, "low": 10, "high": 15, "confidence": 0.7, "rationale": "…"}]',
)

read, schema, instructions, repair, sample = SPEC.read, SPEC.schema, SPEC.instructions, SPEC.repair, SPEC.sample
