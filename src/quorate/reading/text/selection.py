"""Whose words: which passage of a reply, if any, is the seat's own answer. A quotation never is.

A passage is the seat's own when it bears the mark the seat was given for this ask. Without the mark a reply is asked
for once more; only on that last attempt, and only where the reply is nothing but one complete answer and the seat was
shown no answer of anybody's, does an unmarked one count, and then with the caution `unmarked`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Generic, Literal, TypeVar

from quorate.frozen import dataclass, fast_init
from quorate.model.ballot import Argument, Ballot
from quorate.model.once import pattern
from quorate.model.specs import AnswerTerms
from quorate.reading.text.page import Page, Span, bare, laid_out
from quorate.reading.text.quotation import Value, shares_words, stands_in
from quorate.reading.text.thinking import leaves_open

__all__ = ["Candidate", "are_shown", "is_shown", "on_rationale", "select"]

Stated = TypeVar("Stated")

_NEUTRAL: Final = frozenset(
    {
        "here", "s", "is", "are", "this", "my", "the", "your", "own", "sure", "certainly", "of", "course", "ok", "okay",
        "ballot", "vote", "finding", "argument", "case", "assessment", "judgement", "marks", "json", "again", "below",
        "corrected", "revised", "final", "in", "as", "requested", "on", "pattern", "format",
    }
)  # fmt: skip
"""Words that may stand around an unmarked answer and leave it alone: none of them says yes or no to anything."""
_NEUTRAL_WORDS: Final = rf"(?:[\s.,:;*_#`-]++|(?:{'|'.join(sorted(_NEUTRAL))})(?:['\u2019]s)?(?![^\W_])|(?!))*+"
"""Of signs only those of sentences, headings, lists and code: a ballot may also be struck through, commented out,
denied or put in quotation marks."""
_DEPTH: Final = 3
"""Objects within objects, or within their texts, in which an answer of others is looked for."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Generic[Stated]):
    """A passage that may be the answer: what it states or why it states nothing, where it stands, and whose it is.

    `values` is what two of them must share to be the same answer; `core` is its text without the mark, or `lines` are
    the pieces of it. `lent`: its mark
    stands around it and not in it. `followed`: why a later one of the same seat could not be read.
    """

    stated: Stated | None = None
    values: tuple[Value, ...] = ()
    lines: tuple[str, ...] = ()
    why: str = ""
    cautions: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    core: str = ""
    marks: tuple[str, ...] = ()
    lent: bool = False
    quoted: bool = False
    leading: bool = True
    followed: str = ""


def is_shown(terms: AnswerTerms, one: Candidate[Stated]) -> bool:
    """Whether the seat was shown this very answer: to the letter, or its values side by side in any writing."""
    return stands_in(terms.shown_text, (one.core, *one.lines), one.values)


def are_shown(terms: AnswerTerms, words: str) -> bool:
    """Whether the seat was shown these words."""
    return stands_in(terms.shown_text, (words,), ())


def on_rationale(ballot: Ballot) -> tuple[str, ...]:
    """The caution on a ballot that leaves empty why; who abstains owes nobody a reason."""
    return () if ballot.rationale or ballot.abstain else ("no_rationale",)


Find = Callable[[Page], Sequence[Candidate[Stated]]]
Several = Literal["agree", "last"]
"""Of several answers none of which needs a mark, all must agree, or the last counts."""


def select(page: Page, find: Find[Stated], terms: AnswerTerms, several: Several = "last") -> Candidate[Stated]:
    """The seat's own answer in a reply, or why there is none; an empty reason when there is nothing like an answer."""
    found = [_of_one_seat(one) for one in find(page)]
    if any(one.why == "overfull" for one in found):
        return Candidate(why="overfull")
    if found and leaves_open(page.words):
        return Candidate(why="thinking_only")
    own = [one for one in found if _is_own(terms, one)]
    return _last_own(own) if own else _without_mark(page, found, find, terms, several)


def _of_one_seat(one: Candidate[Stated]) -> Candidate[Stated]:
    """The same passage; one that bears the marks of two seats is nobody's answer, wherever they are written."""
    if len(set(one.marks)) <= 1 or one.why == "overfull":
        return one
    return replace(one, stated=None, values=(), cautions=(), why="duplicate")


def _is_own(terms: AnswerTerms, one: Candidate[Stated]) -> bool:
    """Whether it bears the mark; one that stands around what the seat was shown does not make that the seat's."""
    bears = bool(terms.mark) and terms.mark in one.marks
    return bears and not (one.lent and is_shown(terms, one))


def _without_mark(
    page: Page, found: Sequence[Candidate[Stated]], find: Find[Stated], terms: AnswerTerms, several: Several
) -> Candidate[Stated]:
    """What to make of a reply in which no passage bears the seat's mark, or that was asked for without one."""
    counting = [one for one in found if _may_count(terms, one)]
    valid = [one for one in counting if one.stated is not None]
    if not valid and not page.bears(terms.mark):
        return counting[-1] if counting else Candidate()
    if not terms.mark:
        return _by_itself(valid, several)
    if len(found) == len(valid) == 1 and _counts_unmarked(page, valid[0], find, terms):
        return replace(valid[0], cautions=(*valid[0].cautions, "unmarked"))
    return Candidate(why="unmarked")


def _may_count(terms: AnswerTerms, one: Candidate[Stated]) -> bool:
    """Whether it is neither a quotation nor marked as somebody else's."""
    return not one.quoted and not (terms.mark and one.marks)


def _counts_unmarked(page: Page, only: Candidate[Stated], find: Find[Stated], terms: AnswerTerms) -> bool:
    """Whether the only passage counts although it lacks the mark: at last, alone, and none of it from others."""
    if not terms.last or page.bears(terms.mark) or not _alone(page, only) or is_shown(terms, only):
        return False
    copied = shares_words(terms.shown_text, _reasons(only.stated))
    return not copied and not _holds_answer(terms.shown_text, find)


def _reasons(stated: object) -> tuple[str, ...]:
    """Why, in the seat's own words. Evidence is none of them: it quotes."""
    match stated:
        case Ballot(rationale=reason):
            return (reason,)
        case Argument(claims=claims):
            return claims
        case _:
            return ()


def _holds_answer(shown: str, find: Find[Stated]) -> bool:
    """Whether others wrote down an answer, any at all: a seat may have copied it and changed a number."""
    pages = chain(_pages(shown, _DEPTH), _pages(bare(shown), _DEPTH))
    return any(page.overfull or any(one.stated is not None for one in find(page)) for page in pages)


def _pages(text: str, depth: int) -> Iterator[Page]:
    """A text, each object in it as if it were the whole of a reply, and what stands within that, its texts included."""
    page = laid_out(text)
    yield page
    for thing in page.objects:
        yield laid_out(text[thing.start : thing.end])
        if depth:
            yield from _pages(bare(text[thing.start + 1 : thing.end - 1]), depth - 1)


def _last_own(own: Sequence[Candidate[Stated]]) -> Candidate[Stated]:
    """The last valid one, with why a later one could not be read; the pattern copied as it stands is no answer."""
    at = max((place for place, one in enumerate(own) if one.stated is not None), default=-1)
    later = [one.why for one in own[at + 1 :] if one.why != "placeholder"]
    return replace(own[at], followed=later[-1]) if later and at >= 0 else own[at]


def _by_itself(valid: Sequence[Candidate[Stated]], several: Several) -> Candidate[Stated]:
    """An answer that was asked for without a mark."""
    if several == "last":
        return next((one for one in reversed(valid) if one.leading), valid[-1])
    agreed = all(one.values == valid[0].values for one in valid)
    return valid[0] if agreed else Candidate(why="ambiguous")


def _alone(page: Page, one: Candidate[Stated]) -> bool:
    """Whether the reply is this answer and nothing else that could say something."""
    at, rest = page.start, list[str]()
    for begin, end in sorted(one.spans):
        rest.append(page.text[at:begin])
        at = max(at, end)
    rest.append(page.text[at : page.end])
    within = laid_out(bare(one.core.strip()[1:-1]))
    return pattern(_NEUTRAL_WORDS).fullmatch(" ".join(rest).casefold()) is not None and not within.sightings
