"""A researcher's finding where a number is asked for, or UNDETERMINED where the sources give none."""

import re
from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.numbers import exact
from quorate.reading.text.finding_form import finding_form
from quorate.reading.text.objects import folded

_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?", re.ASCII)
_LONGEST: Final = 80


def read_outcome(written: str, _terms: AnswerTerms) -> tuple[str, str]:
    """The number as it is written, thousands without their commas; else why there is none."""
    said = written.strip(" \"'*_")
    if folded(said) == "undetermined":
        return "UNDETERMINED", ""
    digits = said.replace(",", "") if _GROUPED.fullmatch(said) else said
    read = exact(digits) if len(said) <= _LONGEST else None
    return (digits, "") if read is not None else ("", "bad_number" if said else "no_option")


_WHICH: Final = "- outcome: the number, in digits and without a unit, or the word UNDETERMINED if no source gives one."

SPEC: Final = finding_form(
    read_outcome,
    which=lambda _: _WHICH,
    accepts=lambda _: {"type": "string", "description": "A number in digits, or UNDETERMINED."},
    sample=lambda _: "1",
)
