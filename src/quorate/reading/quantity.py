"""A researcher's finding where a number is asked for, or UNDETERMINED where the sources give none."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.reading.text.finding_form import Outcomes, finding_form
from quorate.reading.text.objects import fold_case
from quorate.reading.text.values import number_digits


def read_outcome(written: str, _terms: AnswerTerms) -> tuple[str, str]:
    """The number as it is written, thousands without their commas; else why there is none."""
    said = written.strip(" \"'*_")
    if fold_case(said) == "undetermined":
        return "UNDETERMINED", ""
    if said.startswith(("<", "[")):
        return "", "placeholder"
    digits = number_digits(said)
    return (digits, "") if digits else ("", "bad_number" if said else "no_option")


_WHICH: Final = "the number, in digits and without a unit, or the word UNDETERMINED if no source gives one."

SPEC: Final = finding_form(
    Outcomes(
        read=read_outcome,
        told=lambda _: _WHICH,
        schema=lambda _: {"type": "string", "description": "A number in digits, or UNDETERMINED."},
        sample=lambda _: "1",
        example="1200",
    )
)
