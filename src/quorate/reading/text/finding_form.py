"""The forms of a researcher's finding: they differ in what an outcome may be, and in nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

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

__all__ = ["finding_example", "finding_form"]

_EXAMPLE: Final = (
    '[{{"seat": "Broad", "outcome": "{outcome}", "confidence": 0.8, "reasoning": "…", "evidence": [{{"url": "…"}}]}}]'
)


def finding_example(outcome: str) -> str:
    """A finding with that outcome, as it stands in a file."""
    return _EXAMPLE.format(outcome=outcome)


def finding_form(
    outcome: Callable[[str, AnswerTerms], tuple[str, str]],
    *,
    which: Callable[[AnswerTerms], str],
    accepts: Callable[[AnswerTerms], Mapping[str, object]],
    sample: Callable[[AnswerTerms], str],
    otherwise: tuple[str, ...] = (),
) -> FormSpec:
    """A form of finding.

    `outcome` says what a written outcome means, or why nothing, `which` tells a seat what it may write, `accepts` tells
    a provider, and `sample` is one that can be read. In a reply that nobody gave a list for, `otherwise` is the list.
    """

    def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
        listed = replace(terms, options=terms.options or otherwise)
        return read_finding(text, lambda written: outcome(written, listed), terms, finish)

    return FormSpec(
        read=read,
        instructions=lambda terms: finding_paper(terms.mark, which(terms)),
        repair=lambda why, terms: finding_repair(why, terms.mark, which(terms)),
        schema=lambda terms: sources_schema(terms.mark, accepts(terms)),
        sample=lambda terms: finding_line(terms.mark, sample(terms)),
        vote=Choice,
        states=("confidence",),
        shows=("evidence",),
        from_file=lambda fields, terms: handed_finding(fields, lambda written: outcome(written, terms)),
        example=finding_example("YES"),
    )
