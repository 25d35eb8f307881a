"""A researcher's finding: one of the outcomes, confidence from 0 to 1, the sources it cites, and the reasoning."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from quorate.model.ballot import Choice, Finish, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.model.template_tokens import harmless
from quorate.reading.text.finding_object import (
    EXAMPLE,
    finding_line,
    handed_finding,
    paper,
    read_finding,
    repair_of,
    sources_schema,
)
from quorate.reading.text.objects import folded

ALLOWED: Final = ("YES", "NO", "UNDETERMINED")


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The one finding a reply holds, or why there is none; an outcome that is not on the list is none."""
    return read_finding(text, partial(read_outcome, options=terms.options or ALLOWED), terms, finish)


def read_outcome(written: str, options: tuple[str, ...] = ALLOWED) -> tuple[str, str]:
    """The outcome on the list that was read_outcome, by its words, without a list any words; else why there is none."""
    said = folded(written).strip(" .\"'*_")
    if not said:
        return "", "no_option"
    if said.startswith(("<", "[")):
        return "", "placeholder"
    if not options:
        return written.strip(), ""
    found = next((option for option in options if said in _written(option)), "")
    return found, "" if found else "bad_decision"


def _written(option: str) -> tuple[str, str]:
    """An option's words as they were given, and as a prompt shows them."""
    given, shown = (folded(words).strip(" .\"'*_") for words in (option, harmless(option)))
    return given, shown


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    options = terms.options or ALLOWED
    return sources_schema(terms.mark, {"type": "string", "enum": [harmless(option) for option in options]})


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    return paper(terms.mark, _which(terms.options or ALLOWED))


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the finding alone."""
    return repair_of(why, terms.mark, _which(terms.options or ALLOWED))


def _which(options: tuple[str, ...]) -> str:
    shown = "\n".join(f"  - {option}" for option in options)
    return f"- outcome: one of these, word for word; nothing else counts:\n{shown}"


def sample(terms: AnswerTerms) -> str:
    """A finding that can be read, without a source."""
    return finding_line(terms.mark, (terms.options or ALLOWED)[-1])


def from_file(fields: Mapping[str, object], terms: AnswerTerms) -> Read:
    """A finding of a file."""
    return handed_finding(fields, partial(read_outcome, options=terms.options))


SPEC: Final = FormSpec(
    read=read,
    instructions=instructions,
    repair=repair,
    schema=schema,
    sample=sample,
    vote=Choice,
    states=("confidence",),
    shows=("evidence",),
    from_file=from_file,
    example=EXAMPLE,
)
