"""A researcher's finding: one of the outcomes, confidence from 0 to 1, the sources it cites, and the reasoning."""

from typing import Final

from quorate.model.ask import AnswerTerms
from quorate.model.template_tokens import harmless
from quorate.reading.text.finding_form import Outcomes, finding_form
from quorate.reading.text.listed_options import plain_option

ALLOWED: Final = ("YES", "NO", "UNDETERMINED")


def read_outcome(written: str, terms: AnswerTerms) -> tuple[str, str]:
    """The outcome on the list that was named, by its words, without a list any words; else why there is none."""
    said = plain_option(written)
    if not said:
        return "", "no_option"
    if said.startswith(("<", "[")):
        return "", "placeholder"
    if not terms.options:
        return written.strip(), ""
    found = next((option for option in terms.options if said in _written(option)), "")
    return found, "" if found else "bad_decision"


def _written(option: str) -> tuple[str, str]:
    """An option's words as they were given, and as a prompt shows them."""
    return plain_option(option), plain_option(harmless(option))


def _which(terms: AnswerTerms) -> str:
    shown = "\n".join(f"  - {option}" for option in terms.options or ALLOWED)
    return f"one of these, word for word; nothing else counts:\n{shown}"


SPEC: Final = finding_form(
    Outcomes(
        read=read_outcome,
        told=_which,
        schema=lambda terms: {"type": "string", "enum": [harmless(option) for option in terms.options or ALLOWED]},
        sample=lambda terms: (terms.options or ALLOWED)[-1],
        example="YES",
        otherwise=ALLOWED,
    )
)
