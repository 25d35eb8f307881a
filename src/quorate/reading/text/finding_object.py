"""Reads what a researcher found: an outcome, how sure it is, and the sources it cites, in one object."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, cast

from quorate.model.ballot import Ballot, Choice, Finish, Read
from quorate.model.evidence import Category, Evidence
from quorate.model.numbers import exact
from quorate.model.specs import AnswerTerms
from quorate.reading.text.another_option import names_another
from quorate.reading.text.answer_file import read_choice, read_number, read_reason
from quorate.reading.text.conflict import (
    Answer,
    Extra,
    affirms,
    conflict,
    denies,
    extra_fields,
    extra_members,
    folded_words,
)
from quorate.reading.text.doubt import is_guessed
from quorate.reading.text.escapes import unescape
from quorate.reading.text.inner_ballots import all_marks, ballots_in, marks_in
from quorate.reading.text.marked_objects import with_remarks
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.page import CHOICES, BallotObject, Page, laid_out
from quorate.reading.text.pattern import (
    WOULD_CHANGE,
    answer_line,
    object_schema,
    with_mark,
    would_change_schema,
)
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.selection import Candidate, on_rationale, select
from quorate.reading.text.unreadable import SAID
from quorate.reading.text.values import prose

__all__ = [
    "CATEGORIES",
    "MOST",
    "Outcome",
    "evidence_of",
    "finding_line",
    "finding_paper",
    "finding_repair",
    "handed_finding",
    "read_finding",
    "sentence",
    "share_of",
    "sources_schema",
]

Outcome = Callable[[str], tuple[str, str]]
"""What a written outcome means, or why it means nothing: one of the two is empty."""

MOST: Final = 200
"""Sources of one finding that are kept."""
CATEGORIES: Final[tuple[Category, ...]] = ("official", "news", "social", "domain_specific", "fact_check")

_NAMED: Final = CHOICES | {"answer", "value", "probability", "estimate"}
_SOURCES: Final = frozenset({"evidence", "sources"})
_OWN: Final = (
    _NAMED | _SOURCES | {"confidence", "mark", "reasoning", "reason", "rationale", "conditions", "would_change"}
)
_OPPOSITES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"YES": frozenset({"refuted", "disproved", "wrong"}), "NO": frozenset({"confirmed", "proved", "right"})}
)
_ADDRESS: Final = ("url", "source", "link")
_TITLE: Final = ("title",)
_QUOTE: Final = ("quote", "excerpt")
_LONGEST_NUMBER: Final = 80
_LONGEST_FIELD: Final = 1_000
_HUNDRED: Final = 100
SOURCES: Final = 5_000
"""Sources of one seat that are read from a file."""


def read_finding(text: str, outcome: Outcome, terms: AnswerTerms, finish: Finish) -> Read:
    """The one finding a reply holds, or why there is none."""
    page = laid_out(text)
    cuts = page.cuts(terms.mark)
    if finish in ("filter", "refusal"):
        return Read(cuts=cuts, unreadable=finish)
    if page.overfull:
        return Read(cuts=cuts, unreadable="overfull")

    def find(place: Page) -> list[Candidate[Ballot]]:
        cut = finish == "length" and place is page
        return [_cast(place, sighting, outcome, terms.mark, cut=cut) for sighting in place.sightings]

    found = select(page, find, terms, "agree")
    why = found.why or ("" if found.stated else _nothing(page, finish))
    if why or found.stated is None:
        return Read(cuts=cuts, unreadable=why)
    ballot = with_remarks(found.stated, found.core)
    return Read(ballot=ballot, cuts=cuts, cautions=(*found.cautions, *on_rationale(ballot)))


def _nothing(page: Page, finish: Finish) -> str:
    why = hollow(page.words)
    if why == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why or ("cut_short" if finish == "length" else "no_ballot")


def _cast(page: Page, sighting: BallotObject, outcome: Outcome, mark: str, *, cut: bool) -> Candidate[Ballot]:
    whole = sighting.object
    place: Candidate[Ballot] = Candidate(spans=((sighting.begin, sighting.end),), quoted=sighting.quoted)
    if whole.state == "overfull":
        return replace(place, why="overfull")
    papers = ballots_in(whole, _names_an_outcome, mark)
    marks = all_marks(page.text, sighting.begin, whole, *papers)
    if len(papers) != 1:
        return replace(place, why="ambiguous" if papers else "incomplete", marks=marks)
    paper = papers[0]
    extras = extra_members((paper,) if paper is whole else (paper, whole), _OWN)
    judged = _judged(paper, extras, outcome, closed=whole.state == paper.state == "closed" and not cut)
    doubt = "ambiguous" if judged.stated and is_guessed(page, whole) else ""
    return replace(
        place if doubt else judged,
        why=doubt or judged.why,
        spans=place.spans,
        quoted=place.quoted,
        marks=marks,
        lent=mark not in marks_in(paper),
        core=page.text[paper.start : paper.end],
    )


def _names_an_outcome(part: Object) -> bool:
    return any(value and name in _NAMED for name, value in part.members)


def _judged(paper: Object, extras: list[Extra], outcome: Outcome, *, closed: bool) -> Candidate[Ballot]:
    chosen, sure = _texts(paper, _NAMED), _texts(paper, {"confidence"})
    flaw = _flaw(chosen, sure) if closed else _why_open(chosen, outcome)
    if flaw:
        return Candidate(why=flaw)
    named, wrong = outcome(_outcome(chosen[0]))
    stated = share_of(sure[0])
    if wrong or stated is None:
        return Candidate(why=wrong or "bad_number")
    if beside := _conflict(named, extras, outcome):
        return Candidate(why=beside)
    confidence, scaled = stated
    cited = tuple(_evidence(paper))
    ballot = Ballot(
        vote=Choice(named),
        confidence=confidence,
        rationale=prose(next(iter(_texts(paper, {"reasoning", "reason", "rationale"})), "")),
        evidence=cited[:MOST],
    )
    noticed = (("scale", scaled), ("many_sources", len(cited) > MOST))
    cautions = tuple(name for name, true in noticed if true)
    return Candidate(stated=ballot, values=(named, confidence), cautions=cautions)


def _conflict(named: str, extras: list[Extra], outcome: Outcome) -> str:
    return conflict(extras, Answer(differs=lambda text, _: _is_other(named, text, outcome))) if extras else ""


def _is_other(named: str, text: str, outcome: Outcome) -> bool:
    """Whether a text is another outcome, or says yes to a NO or no to a YES."""
    words = folded_words(text)
    if named in _OPPOSITES and (words in _OPPOSITES[named] or (denies(text) if named == "YES" else affirms(text))):
        return True
    return not outcome(text)[1] and names_another(text, (named,), ())


def _flaw(chosen: list[str], sure: list[str]) -> str:
    """What is wrong before any value is looked at."""
    if len(set(chosen)) > 1 or len(set(sure)) > 1:
        return "duplicate"
    return "" if chosen and sure else "incomplete"


def _why_open(chosen: list[str], outcome: Outcome) -> str:
    """The pattern copied as it stands ends in words without quotes; anything else was cut short."""
    copied = bool(chosen) and outcome(_outcome(chosen[0]))[1] == "placeholder"
    return "placeholder" if copied else "cut_short"


def _outcome(raw: str) -> str:
    """An outcome as it is written, whole: a piece of it, or it without the signs nobody sees, is another."""
    return unescape(raw).strip() if len(raw) <= _LONGEST_FIELD else "\0"


def _texts(paper: Object, names: set[str] | frozenset[str]) -> list[str]:
    return [value.raw for name, value in paper.members if value is not None and name in names]


def _evidence(paper: Object) -> Iterator[Evidence]:
    """Every object under the names for sources that has an address, a title or a quote, in the order written."""
    for part in sorted(_source_objects(paper), key=lambda part: part.start):
        fields = {name: value.raw for name, value in reversed(part.members) if value is not None}
        cited = evidence_of({name: prose(raw[: 6 * _LONGEST_FIELD]) for name, raw in fields.items()})
        if cited is not None:
            yield cited


def _source_objects(paper: Object) -> Iterator[Object]:
    for part in paper.inner:
        if part.name in _SOURCES:
            yield from part.walk()
    for name, item in paper.items:
        if name in _SOURCES and isinstance(item, Object):
            yield from item.walk()


def evidence_of(fields: Mapping[str, str]) -> Evidence | None:
    """One source from its fields as they are written; what cannot be read has its default."""
    url, title, quote = (_first_of(fields, names) for names in (_ADDRESS, _TITLE, _QUOTE))
    if not (url or title or quote):
        return None
    kind = fold_case(fields.get("category", "")).replace(" ", "_").replace("-", "_")
    listed: Mapping[str, Category] = {name: name for name in CATEGORIES}
    relevance, credibility = (share_of(fields.get(name, "")) for name in ("relevance", "credibility"))
    return Evidence(
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


def handed_finding(fields: Mapping[str, object], outcome: Outcome) -> Read:
    """A finding of a file, with its sources as far as each is an object; more than are read are left."""
    word, why = read_choice(fields)
    named, wrong = ("", why) if why else outcome(word)
    confidence = read_number(fields, "confidence")
    wrong = wrong or (confidence if isinstance(confidence, str) else "")
    if wrong:
        return Read(unreadable=wrong)
    sure = None if isinstance(confidence, str) else confidence
    if beside := _conflict(named, extra_fields(fields, _OWN), outcome):
        return Read(unreadable=beside)
    evidence = tuple(_handed_sources(fields))
    return Read(ballot=Ballot(vote=Choice(named), confidence=sure, rationale=read_reason(fields), evidence=evidence))


def _handed_sources(fields: Mapping[str, object]) -> Iterator[Evidence]:
    lists = (cast("list[object]", fields[key]) for key in ("evidence", "sources") if isinstance(fields.get(key), list))
    for part in next(lists, list[object]())[:SOURCES]:
        if isinstance(part, dict):
            written = cast("dict[object, object]", part).items()
            cited = evidence_of({str(name): str(value) for name, value in written if isinstance(value, str)})
            if cited is not None:
                yield cited


def finding_line(mark: str, outcome: str) -> str:
    """A finding without a source, as a seat would write it."""
    stated = {"outcome": outcome, "confidence": 0.5, "reasoning": "as said", "evidence": list[object]()}
    return answer_line("FINDING", mark, stated)


def sentence(why: str) -> str:
    """Why a finding could not be counted, as the seat is told."""
    return _SAID.get(why) or SAID.get(why) or "no finding could be read in it"


def sources_schema(mark: str, outcome: Mapping[str, object]) -> Mapping[str, object]:
    """A finding as providers can enforce it; the reasoning comes first."""
    text: Mapping[str, object] = {"type": "string"}
    source: dict[str, object] = dict.fromkeys(("url", "title", "quote"), text)
    source |= {"category": {"type": "string", "enum": list(CATEGORIES)}, "relevance": {"type": "number"}}
    listed = {"type": "object", "properties": source, "required": list(source), "additionalProperties": False}
    finding: Mapping[str, object] = {
        "reasoning": {"type": "string", "description": "What the sources say, and what speaks against it."},
        "outcome": outcome,
        "confidence": {"type": "number", "description": "How sure you are, 0 to 1."},
        "would_change": would_change_schema(),
        "evidence": {"type": "array", "items": listed},
    }
    return object_schema(mark, finding)


_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no_ballot": "there was no finding in it",
        "incomplete": "its finding lacked the outcome or the confidence",
        "no_option": "its finding named no outcome",
        "bad_decision": "its outcome is not one that may be named",
        "bad_number": "a number in it could not be read",
        "ambiguous": "it held several findings that differ",
        "cut_short": "its finding was cut short",
        "duplicate": "something stood in its finding twice",
        "unmarked": "its finding did not bear the mark",
        "overfull": f"its list of sources is too long to be read; cite the {MOST} best, at most",
    }
)

LINE: Final = (
    'FINDING {{{mark}"outcome": <outcome>, "confidence": <number>, "reasoning": <why, in quotes>, '
    '"would_change": <fact in quotes>, "evidence": [{{"url": <address>, "title": <title>, '
    '"quote": <its words>, "category": <kind>, "relevance": <number>}}, <more of these>]}}'
)

PAPER: Final = """\
First say what the sources show, in plain prose and in the language of the question. Then state your finding: \
one JSON object at the end of your reply, on the pattern

{line}

with your own values where the pattern has angle brackets:
{which}
- confidence: how sure you are of that outcome, from 0 to 1.
- reasoning: your main reason, in one to three sentences; put a backslash before any double quote in it.
{change}
- evidence: every source you rely on, at most {most}. url is its address and quote a sentence of its own words, copied \
exactly as it stands in what you were given: a source counts only if its quote is found there. category is one of \
{categories}. relevance is how much it bears on the question, from 0 to 1.
Copy everything else as it stands, the mark included. With nothing to cite write "evidence": []. \
If you can only answer with a single JSON object, answer with that object alone."""

REPAIR: Final = """\
Your reply could not be counted: {said}. Write your finding again and nothing else: one JSON object on the pattern

{line}

{which}
Confidence is a number from 0 to 1. Copy the mark as it stands."""


def finding_paper(mark: str, which: str) -> str:
    """How to write a finding; echoed as it stands, it is none."""
    return PAPER.format(
        line=with_mark(LINE, mark), which=which, change=WOULD_CHANGE, most=MOST, categories=", ".join(CATEGORIES)
    )


def finding_repair(why: str, mark: str, which: str) -> str:
    """Ask once more, for the finding alone."""
    return REPAIR.format(said=sentence(why), line=with_mark(LINE, mark), which=which)
