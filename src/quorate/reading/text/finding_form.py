"""The forms of a researcher's finding: they differ in what an outcome may be, and in nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from quorate.frozen import dataclass
from quorate.model.ask import ANY, AnswerTerms
from quorate.model.ballot import Choice, Finish, Read
from quorate.model.specs import FormSpec
from quorate.reading.text.finding_object import (
    finding_line,
    finding_paper,
    finding_repair,
    handed_finding,
    read_finding,
    sources_schema,
)

__all__ = ["Outcomes", "finding_form"]

_EXAMPLE: Final = (
    '[{{"seat": "Broad", "outcome": "{outcome}", "confidence": 0.8, "reasoning": "…", "evidence": [{{"url": "…"}}]}}]'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """What an outcome may be: what a seat, a provider and a file are told of it, and how it is read."""

    read: Callable[[str, AnswerTerms], tuple[str, str]]
    """What a written outcome means, or why nothing."""
    told: Callable[[AnswerTerms], str]
    schema: Callable[[AnswerTerms], Mapping[str, object]]
    sample: Callable[[AnswerTerms], str]
    example: str
    otherwise: tuple[str, ...] = ()
    """The list in a reply that nobody gave one for."""


def finding_form(outcomes: Outcomes) -> FormSpec:
    """A form of finding, whose outcomes are these."""

    def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
        listed = replace(terms, options=terms.options or outcomes.otherwise)
        return read_finding(text, lambda written: outcomes.read(written, listed), terms, finish)

    return FormSpec(
        read=read,
        instructions=lambda terms: finding_paper(terms.mark, outcomes.told(terms)),
        repair=lambda why, terms: finding_repair(why, terms.mark, outcomes.told(terms)),
        schema=lambda terms: sources_schema(terms.mark, outcomes.schema(terms)),
        sample=lambda terms: finding_line(terms.mark, outcomes.sample(terms)),
        vote=Choice,
        states=("confidence",),
        shows=("evidence",),
        from_file=lambda fields, terms: handed_finding(fields, lambda written: outcomes.read(written, terms)),
        example=_EXAMPLE.format(outcome=outcomes.example),
    )
