"""A researcher's finding where a number is asked for, or UNDETERMINED where the sources give none."""

import re
from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Choice, Finish, Read
from quorate.model.numbers import exact
from quorate.model.specs import ANY, AnswerTerms, FormSpec
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

_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,20})?", re.ASCII)
_LONGEST: Final = 80


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The one finding a reply holds, or why there is none."""
    return read_finding(text, read_outcome, terms, finish)


def read_outcome(written: str) -> tuple[str, str]:
    """The number as it is written, thousands without their commas; else why there is none."""
    said = written.strip(" \"'*_")
    if folded(said) == "undetermined":
        return "UNDETERMINED", ""
    digits = said.replace(",", "") if _GROUPED.fullmatch(said) else said
    read = exact(digits) if len(said) <= _LONGEST else None
    return (digits, "") if read is not None else ("", "bad_number" if said else "no_option")


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    return sources_schema(terms.mark, {"type": "string", "description": "A number in digits, or UNDETERMINED."})


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    return paper(terms.mark, _WHICH)


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the finding alone."""
    return repair_of(why, terms.mark, _WHICH)


def sample(terms: AnswerTerms) -> str:
    """A finding that can be read, without a source."""
    return finding_line(terms.mark, "1")


def from_file(fields: Mapping[str, object], _terms: AnswerTerms) -> Read:
    """A finding of a file."""
    return handed_finding(fields, read_outcome)


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

_WHICH: Final = "- outcome: the number, in digits and without a unit, or the word UNDETERMINED if no source gives one."
