"""Finds the object a reply was asked for by the keys it must have, the seat's own before any other."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from quorate.frozen import dataclass, fast_init
from quorate.model.ballot import Argument, Ballot, Finish, Read
from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern
from quorate.model.specs import AnswerTerms
from quorate.reading.text.conflict import Answer, Extra, conflict, extra_fields, extra_members
from quorate.reading.text.doubt import STRAY, is_guessed
from quorate.reading.text.inner_ballots import all_marks, ballots_in, has_key, marks_in
from quorate.reading.text.objects import Object, Scalar, objects
from quorate.reading.text.page import Page, Span, laid_out, with_label
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.quotation import Value
from quorate.reading.text.selection import Candidate, on_rationale, select
from quorate.reading.text.values import prose

MOST: Final = 24
"""Items of a list that are kept; a case that needs more is no case."""
LONGEST: Final = 1_000
"""Characters of an item that are kept."""

_BEFORE: Final = 96
_MARK: Final = lazy_pattern(r"[0-9a-f]{12}")
_LETTER: Final = lazy_pattern(r"[^\W_]")
_OPENS: Final = ('"', "'", "“", "‘", "«")
_ASIDE: Final = frozenset({"confidence", "mark"})
"""Members of a line written as an object that are no words of it."""
_OWN: Final = frozenset({"confidence", "mark", "rationale", "reasoning", "reason", "conditions", "would_change"})
"""Names in nearly every form."""
UNCONTRADICTED: Final = Answer(differs=lambda _text, _place: False)
"""What no other answer contradicts; a veto, an abstention or a refusal beside it does."""
_QUOTES: Final = frozenset({"quote", "quotation", "passage", "excerpt"})


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedObject:
    """An object with the keys that were asked for, where it is, whose it is, and whether it is a quotation.

    `several`: the outer object holds more than one that may be the answer.
    """

    object: Object
    outer: Object
    span: Span
    marks: tuple[str, ...]
    quoted: bool
    guessed: bool
    lent: bool
    several: bool


def papers(page: Page, keys: frozenset[str], mark: str, stray: re.Pattern[str] = STRAY) -> Iterator[MarkedObject]:
    """Every object with one of these keys that may be an answer, in their order."""
    for thing in page.objects:
        parts = ballots_in(thing, lambda part: has_key(part, keys), mark)
        if parts:
            span = with_label(page.text, thing.start, thing.end)
            yield MarkedObject(
                object=parts[0],
                outer=thing,
                span=span,
                marks=all_marks(page.text, span[0], thing, *parts),
                quoted=_quoted(page.text, thing.start, span[0]),
                guessed=is_guessed(page, thing, stray),
                lent=mark not in marks_in(parts[0]),
                several=len(parts) > 1,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectForm:
    """An answer that is one object: the keys it is known by, and why a reply without any is none.

    `stray` is how the beginning of another of its values looks, where that is more than the usual ones, and `reasoned`
    whether it has a rationale. `answer` says what would contradict an answer, beside names that are its `own`.
    """

    keys: frozenset[str]
    missing: str
    stray: re.Pattern[str] = STRAY
    reasoned: bool = False
    answer: Callable[[Ballot | Argument, AnswerTerms], Answer | None] = lambda _stated, _terms: UNCONTRADICTED
    own: frozenset[str] = frozenset()

    def read(
        self, text: str, terms: AnswerTerms, finish: Finish, judge: Callable[[Object, bool], Ballot | Argument | str]
    ) -> Read:
        """The seat's own answer, or why there is none. Judged a text it is not valid, and that is why.

        `judge` is told besides whether the reply was cut off.
        """
        page = laid_out(text)
        sheets = tuple(papers(page, self.keys, terms.mark, self.stray))
        cuts = page.cuts(terms.mark, *(paper.span for paper in sheets))
        if finish in ("filter", "refusal"):
            return Read(cuts=cuts, unreadable=finish)

        def find(place: Page) -> list[Candidate[Ballot | Argument]]:
            cut = finish == "length" and place is page
            there = sheets if place is page else papers(place, self.keys, terms.mark, self.stray)
            judged = ((paper, "ambiguous" if paper.several else judge(paper.object, cut)) for paper in there)
            return [self._judged(place, paper, stated, terms) for paper, stated in judged]

        cast = select(page, find, terms)
        if isinstance(cast.stated, Ballot):
            if not self.reasoned:
                return Read(ballot=cast.stated, cuts=cuts, cautions=cast.cautions)
            ballot = with_remarks(cast.stated, cast.core)
            return Read(ballot=ballot, cuts=cuts, cautions=(*cast.cautions, *on_rationale(ballot)))
        if isinstance(cast.stated, Argument):
            return Read(argument=cast.stated, cuts=cuts, cautions=cast.cautions)
        return Read(cuts=cuts, unreadable=cast.why or why_nothing(page, finish, self.missing))

    def _judged(
        self, page: Page, paper: MarkedObject, judged: Ballot | Argument | str, terms: AnswerTerms
    ) -> Candidate[Ballot | Argument]:
        stated = None if isinstance(judged, str) else judged
        why = judged if isinstance(judged, str) else "ambiguous" if paper.guessed else ""
        if stated is not None and not why:
            parts = (paper.object,) if paper.object is paper.outer else (paper.object, paper.outer)
            why = self.conflict(extra_members(parts, self.keys | self.own | _OWN), stated, terms)
        valid = None if why else stated
        return Candidate(
            stated=valid,
            values=_values(paper.object) if valid is not None else (),
            why=why,
            spans=(paper.span,),
            core=page.text[paper.object.start : paper.object.end],
            marks=paper.marks,
            lent=paper.lent,
            quoted=paper.quoted,
        )

    def handed(self, fields: Mapping[str, object], stated: Ballot | Argument, terms: AnswerTerms) -> Read:
        """An answer of a file, unless something beside it there contradicts it."""
        why = self.conflict(extra_fields(fields, self.keys | self.own | _OWN), stated, terms)
        if why:
            return Read(unreadable=why)
        return Read(ballot=stated) if isinstance(stated, Ballot) else Read(argument=stated)

    def conflict(self, extras: list[Extra], stated: Ballot | Argument, terms: AnswerTerms) -> str:
        """How what stands beside an answer contradicts it; empty if nothing does, or where nothing is chosen."""
        abstains = isinstance(stated, Ballot) and stated.abstain
        answer = self.answer(stated, terms) if extras and not abstains else None
        return conflict(extras, answer) if answer else ""


def _values(part: Object) -> tuple[Value, ...]:
    """Its numbers and its texts, each by itself."""
    scalars = [value for _, value in part.members if value] + [
        item for _, item in part.items if isinstance(item, Scalar)
    ]
    return tuple(exact(value.raw.strip()) or prose(value.raw) for value in scalars if not _MARK.fullmatch(value.raw))


def why_nothing(page: Page, finish: Finish, otherwise: str) -> str:
    """Why a reply without any such object says nothing."""
    why = hollow(page.words)
    if why == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why or ("cut_short" if finish == "length" else otherwise)


def texts_under(part: Object, *names: str) -> tuple[str, ...]:
    """The texts under these names: a list of them, a single one, or objects whose values make up a line each."""
    single = [value for name, value in part.members if value is not None and name in names]
    items = [item for name, item in part.items if name in names]
    lines = [_line(item) for item in (single + items)[: 4 * MOST]]
    return tuple(dict.fromkeys(line for line in lines if _LETTER.search(line)))[:MOST]


def once(part: Object, *names: str) -> str | None:
    """The one value under these names; none if there are several that differ, empty if there is none."""
    values = {value.raw.strip() for name, value in part.members if value is not None and name in names}
    return next(iter(values), "") if len(values) < 2 else None  # noqa: PLR2004  two that differ


def written_reason(part: Object) -> str:
    """The reason in an object, under whichever name; empty if there are several that differ."""
    return prose(once(part, "rationale", "reasoning", "reason") or "")


def with_remarks(ballot: Ballot, core: str) -> Ballot:
    """The ballot with its conditions, and with what would change it, where its object states any."""
    if "condition" not in core and "would_change" not in core:
        return ballot
    part = next(objects(core), None)
    if part is None:
        return ballot
    conditions = texts_under(part, "conditions", "condition")
    change = prose(once(part, "would_change") or "")
    return replace(
        ballot,
        conditions=tuple(text for text in conditions if not placeholder(text)),
        would_change="" if placeholder(change) else change,
    )


def placeholder(text: str) -> bool:
    """Whether a text was copied from the pattern."""
    return text.startswith(("<", "[")) and text.endswith((">", "]"))


def _line(item: Scalar | Object) -> str:
    if isinstance(item, Scalar):
        return " ".join(prose(item.raw).split())[:LONGEST]
    members = ((name, value) for name, value in item.members if value is not None and name not in _ASIDE)
    told = ((name, " ".join(prose(value.raw).split())) for name, value in members)
    return ": ".join(f'"{text}"' if name in _QUOTES else text for name, text in told if text)[:LONGEST]


def _quoted(text: str, start: int, begin: int) -> bool:
    """In a block quote, or right after the opening of a quotation."""
    near = max(0, begin - _BEFORE)
    line = text.rfind("\n", near, begin) + 1
    before = text[line or near : begin]
    opened = before.rstrip("*_ ").endswith(_OPENS) or text[begin:start].rstrip("*_ ").endswith(_OPENS)
    return opened or before.lstrip(" \t*+-").startswith(">")
