"""A researcher's finding where a probability is asked for, or UNDETERMINED where nothing can be said."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.numbers import exact
from quorate.reading.text.finding_form import Outcomes, finding_form, share_of
from quorate.reading.text.objects import fold_case


def read_outcome(written: str, _terms: AnswerTerms) -> tuple[str, str]:
    """The probability from 0 to 1 as digits; a percentage must bear its sign. Else why there is none."""
    said = written.strip(" \"'*_")
    if fold_case(said) == "undetermined":
        return "UNDETERMINED", ""
    if said.startswith(("<", "[")):
        return "", "placeholder"
    share = share_of(said)
    if share is None or share[1]:
        return "", "bad_number" if said else "no_option"
    if not said.endswith("%"):
        return said, ""
    digits = said.removesuffix("%").strip()
    return (f"{digits}e-2", "") if exact(f"{digits}e-2") is not None else ("", "bad_number")


_WHICH: Final = (
    "how probable it is that the answer is yes, a number from 0 to 1, or the word UNDETERMINED if nothing "
    "at all can be said."
)

SPEC: Final = finding_form(
    Outcomes(
        read=read_outcome,
        told=lambda _: _WHICH,
        schema=lambda _: {"type": "string", "description": "A probability from 0 to 1, or UNDETERMINED."},
        sample=lambda _: "0.4",
        example="0.7",
    )
)
