"""A researcher's finding where a probability is asked for, or UNDETERMINED where nothing can be said."""

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
    share_of,
    sources_schema,
)
from quorate.reading.text.objects import folded


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """The one finding a reply holds, or why there is none."""
    return read_finding(text, read_outcome, terms, finish)


def read_outcome(written: str) -> tuple[str, str]:
    """The probability from 0 to 1 as digits; a percentage must bear its sign. Else why there is none."""
    said = written.strip(" \"'*_")
    if folded(said) == "undetermined":
        return "UNDETERMINED", ""
    share = share_of(said)
    if share is None or share[1]:
        return "", "bad_number" if said else "no_option"
    if not said.endswith("%"):
        return said, ""
    digits = said.removesuffix("%").strip()
    return (f"{digits}e-2", "") if exact(f"{digits}e-2") is not None else ("", "bad_number")


def schema(terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """The finding as providers can enforce it."""
    return sources_schema(terms.mark, {"type": "string", "description": "A probability from 0 to 1, or UNDETERMINED."})


def instructions(terms: AnswerTerms = ANY) -> str:
    """How to write the finding. Echoed as it stands, it is none."""
    return paper(terms.mark, _WHICH)


def repair(why: str, terms: AnswerTerms = ANY) -> str:
    """Ask once more, for the finding alone."""
    return repair_of(why, terms.mark, _WHICH)


def sample(terms: AnswerTerms) -> str:
    """A finding that can be read, without a source."""
    return finding_line(terms.mark, "0.4")


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

_WHICH: Final = (
    "- outcome: how probable it is that the answer is yes, a number from 0 to 1, or the word UNDETERMINED if nothing "
    "at all can be said."
)
