"""The forms of a researcher's finding: they differ in what an outcome may be, and in nothing else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, cast

from quorate.frozen import dataclass
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice
from quorate.model.evidence import Category, Evidence
from quorate.model.numbers import exact
from quorate.model.specs import FormSpec
from quorate.reading.text.answer_fields import REASONING, WOULD_CHANGE, AnswerFields, FormField
from quorate.reading.text.escapes import unescape
from quorate.reading.text.object_form import object_form
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.unreadable import ballot_reasons
from quorate.reading.text.values import prose

__all__ = ["CATEGORIES", "MOST", "Outcomes", "evidence_of", "finding_form", "share_of"]

MOST: Final = 200
"""Sources of one finding that are counted."""
CATEGORIES: Final[tuple[Category, ...]] = ("official", "news", "social", "domain_specific", "fact_check")
SOURCES: Final = 5_000
"""Sources of one seat that are read from a file."""
_ADDRESS: Final = ("url", "source", "link")
_QUOTE: Final = ("quote", "excerpt")
_LISTS: Final = ("evidence", "sources")
_LONGEST_NUMBER: Final = 80
_LONGEST_FIELD: Final = 1_000
_HUNDRED: Final = 100


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

    def judge(fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
        listed = terms.options or (outcomes.otherwise if fields.part is not None else ())
        named, why = outcomes.read(_whole(fields.raw("outcome")), replace(terms, options=listed))
        stated = share_of(fields.raw("confidence"))
        if why:
            return why
        if stated is None and "confidence" in fields.values:
            return "bad_number"
        cited = tuple(_sources(fields))
        return Ballot(
            vote=Choice(named),
            confidence=stated[0] if stated else None,
            rationale=fields.text("reasoning"),
            evidence=cited if fields.part is None else cited[:MOST],
        )

    return object_form(
        "FINDING",
        {
            "outcome": _outcome_field(outcomes),
            "confidence": _CONFIDENCE,
            "reasoning": REASONING,
            "would_change": WOULD_CHANGE,
            "evidence": _EVIDENCE,
        },
        judge,
        vote=Choice,
        states=("confidence",),
        shows=("evidence",),
        intro=_INTRO,
        outro='With nothing to cite write "evidence": [].',
        noun="finding",
        reasons=_REASONS,
        notices=_notices,
        example=_EXAMPLE.format(outcome=outcomes.example),
    )


def _whole(raw: str) -> str:
    """An outcome as it is written, whole: a piece of it, or it without the signs nobody sees, is another."""
    return unescape(raw).strip() if len(raw) <= _LONGEST_FIELD else "\0"


def _outcome_field(outcomes: Outcomes) -> FormField:
    return FormField(
        told=outcomes.told,
        sample=outcomes.sample,
        schema=outcomes.schema,
        aliases=("decision", "choice", "option", "answer", "value", "probability", "estimate"),
        pattern="<outcome>",
        missing="no_option",
    )


def _notices(fields: AnswerFields) -> tuple[str, ...]:
    share = share_of(fields.raw("confidence"))
    many = fields.part is not None and len(list(_sources(fields))) > MOST
    return (*(("scale",) if share and share[1] else ()), *(("many_sources",) if many else ()))


def _sources(fields: AnswerFields) -> Iterator[Evidence]:
    """Every source that has an address, a title or a quote, in the order written."""
    written = _handed_sources(fields) if fields.part is None else _written_sources(fields.part)
    for members in written:
        yield from evidence_of(members)


def _handed_sources(fields: AnswerFields) -> Iterator[dict[str, str]]:
    lists = (cast("list[object]", fields.handed[key]) for key in _LISTS if isinstance(fields.handed.get(key), list))
    for part in next(lists, list[object]())[:SOURCES]:
        if isinstance(part, dict):
            members = cast("dict[object, object]", part).items()
            yield {str(name): str(value) for name, value in members if isinstance(value, str)}


def _written_sources(answer: Object) -> Iterator[dict[str, str]]:
    for part in sorted(_source_objects(answer), key=lambda part: part.start):
        members = {name: value.raw for name, value in reversed(part.members) if value is not None}
        yield {name: prose(raw[: 6 * _LONGEST_FIELD]) for name, raw in members.items()}


def _source_objects(answer: Object) -> Iterator[Object]:
    for part in answer.inner:
        if part.name in _LISTS:
            yield from part.walk()
    for name, item in answer.items:
        if name in _LISTS and isinstance(item, Object):
            yield from item.walk()


def evidence_of(fields: Mapping[str, str]) -> Iterator[Evidence]:
    """The source that these fields state, if they state one; what cannot be read has its default."""
    url, title, quote = (_first_of(fields, names) for names in (_ADDRESS, ("title",), _QUOTE))
    if not (url or title or quote):
        return
    kind = fold_case(fields.get("category", "")).replace(" ", "_").replace("-", "_")
    listed: Mapping[str, Category] = {name: name for name in CATEGORIES}
    relevance, credibility = (share_of(fields.get(name, "")) for name in ("relevance", "credibility"))
    yield Evidence(
        url=url.strip()[:_LONGEST_FIELD],
        title=title[:_LONGEST_FIELD],
        quote=quote,
        category=listed.get(kind, "domain_specific"),
        relevance=relevance[0] if relevance else Fraction(1),
        credibility=credibility[0] if credibility else Fraction(1, 2),
        date=fields.get("date", "")[:_LONGEST_NUMBER],
    )


def _first_of(fields: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def share_of(written: str) -> tuple[Fraction, bool] | None:
    """A share from 0 to 1, and whether it was written as a percentage: 85 and 85 % are 0.85, 1 is all."""
    digits = written.strip()
    if len(digits) > _LONGEST_NUMBER or not digits.isascii():
        return None
    number = exact(digits.removesuffix("%").rstrip())
    if number is None or not 0 <= number <= _HUNDRED:
        return None
    hundredths = digits.endswith("%") or number > 1
    return (number / _HUNDRED if hundredths else number), number > 1 and not digits.endswith("%")


_INTRO: Final = (
    "First say what the sources show, in plain prose and in the language of the question. Then state your finding: one "
    "JSON object at the end of your reply,"
)
_EXAMPLE: Final = (
    '[{{"seat": "Broad", "outcome": "{outcome}", "confidence": 0.8, "reasoning": "…", "evidence": [{{"url": "…"}}]}}]'
)
_REASONS: Final = MappingProxyType(
    {
        **ballot_reasons("finding"),
        "bad_decision": "its outcome is not one that may be named",
        "overfull": f"its list of sources is too long to be read; cite the {MOST} best, at most",
    }
)
_CONFIDENCE: Final = FormField(
    told="how sure you are of that outcome, from 0 to 1.",
    sample=0.5,
    schema={"type": "number", "description": "How sure you are, 0 to 1."},
    pattern="<number>",
    missing="no_confidence",
)
_SOURCE: Final[Mapping[str, object]] = {
    **{name: {"type": "string"} for name in ("url", "title", "quote")},
    "category": {"type": "string", "enum": list(CATEGORIES)},
    "relevance": {"type": "number"},
}
_EVIDENCE: Final = FormField(
    told=(
        f"every source you rely on, at most {MOST}. url is its address and quote a sentence of its own words, copied "
        "exactly as it stands in what you were given: a source counts only if its quote is found there. category is "
        f"one of {', '.join(CATEGORIES)}. relevance is how much it bears on the question, from 0 to 1."
    ),
    sample=[],
    schema={
        "type": "array",
        "items": {
            "type": "object",
            "properties": _SOURCE,
            "required": list(_SOURCE),
            "additionalProperties": False,
        },
    },
    required=False,
    nested=True,
    aliases=("sources",),
    pattern=(
        '[{"url": <address>, "title": <title>, "quote": <its words>, "category": <kind>, "relevance": <number>}, '
        "<more of these>]"
    ),
)
