"""Which object of a reply is the seat's own answer, and why none is: one engine for every form.

An answer is the seat's own if the provider enforced it and it is the whole reply, if it bears the seat's mark, or if it
is the only complete answer in the reply and nobody else's words hold one. The last kind counts at once only where it
can make no outcome bolder than silence would; else it counts when it has been asked for twice.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from quorate.frozen import dataclass, fast_init
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Argument, Ballot, Finish, Read
from quorate.model.once import lazy_pattern
from quorate.reading.text.doubt import is_guessed
from quorate.reading.text.labelled_lines import labelled_ballot
from quorate.reading.text.objects import Object
from quorate.reading.text.page import Page, Span, bare, laid_out, with_label
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.quotation import shares_words, stands_in
from quorate.reading.text.thinking import leaves_open
from quorate.reading.text.values import LONGEST

__all__ = ["LISTED", "Engine", "Stated"]

Stated = Ballot | Argument

LISTED: Final = frozenset({"ballot", "vote", "decision", "answer", "arguments"})
"""Names under which models, and the tool calls that some of them write as text, put an answer."""

_MARK: Final = lazy_pattern(r"[0-9a-f]{12}")
_MARK_IN_LABEL: Final = lazy_pattern(r"(?<![0-9a-z])[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)
_IS_MARK: Final = lazy_pattern(r"\W*+mark\W*+[0-9a-f]{12}\W*+", re.IGNORECASE)
"""A line that says the mark and nothing else."""
_INTRODUCES: Final = frozenset(
    {
        *("a", "above", "after", "again", "all", "an", "and", "as", "assessment", "argument", "ballot", "based", "be"),
        *("below", "case", "cast", "conclusion", "considering", "corrected", "course", "decision", "everything"),
        *("final", "finding", "follows", "for", "format", "hence", "here", "i", "in", "is", "it", "json", "judgement"),
        *("marks", "my", "now", "of", "ok", "okay", "on", "own", "pattern", "requested", "revised", "s", "so", "sure"),
        *("analysis", "explanation", "formatted", "object", "output", "presented", "provide", "question", "reasoning"),
        *("reply", "response", "result", "solution"),
        *("certainly", "the", "therefore", "this", "thus", "to", "vote", "with", "would", "your", "answer", "line"),
    }
)
"""Words that may introduce an unmarked answer, on its line or the one before: none denies it or gives it away."""
_INTRODUCTION: Final = lazy_pattern(
    rf"(?:[\s.,:;*_#`-]++|(?:{'|'.join(sorted(_INTRODUCES))})(?:['\u2019]s)?(?![^\W_])|(?!))*+"
)
"""Of signs only those of sentences, headings, lists and code: an answer may also be struck through or commented out."""
_FENCE: Final = ("```", "~~~")
_QUOTES: Final = ('"', "'", "“", "‘", "«")
MOST: Final = 64
"""Objects like an answer in one reply; nobody can tell which of so many is meant."""
_BEFORE: Final = 96
_DEPTH: Final = 3
"""Objects within objects, or within their texts, in which somebody else's answer is looked for."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An object that may be the answer: what it states or why it states nothing, where it stands, and whose it is."""

    stated: Stated | None = None
    why: str = ""
    cautions: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    marks: tuple[str, ...] = ()
    lent: bool = False
    """Whether its mark stands around it and not in it."""
    quoted: bool = False
    whole: bool = False
    """Whether it is the whole reply, but for a code fence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Reads the answers of one form.

    `label` stands before an answer, in small letters, and `keys` are the names it is known by. `judge` says what the
    members of a complete object mean, and `missing` is why a reply without an answer is none. `lines` says that it may
    be written as lines with labels instead of an object. Of several answers of the seat's own the last counts if `last`
    says so; else all must say the same.

    `careful` tells of an answer whether it counts though it was cut off, `at_once` whether it counts without a mark and
    without being asked for again, and `approves` whether it lets something happen; what is none of these is false.
    `refusals` are sentences, in small letters without signs, that silence an unmarked answer which approves.
    """

    label: str
    keys: frozenset[str]
    judge: Callable[[Object, AnswerTerms], tuple[Stated | str, tuple[str, ...]]]
    is_copied: Callable[[Object], bool]
    missing: str
    stray: re.Pattern[str]
    required: Callable[[Object], bool]
    """Whether all that an answer must hold stands in an object to its last sign, though the object is cut off."""
    lines: bool = False
    last: bool = False
    careful: Callable[[Stated], bool] = lambda _: False
    at_once: Callable[[Stated, AnswerTerms], bool] = lambda _stated, _terms: False
    approves: Callable[[Stated], bool] = lambda _: True
    refusals: frozenset[str] = frozenset()

    def read(self, text: str, terms: AnswerTerms, finish: Finish) -> Read:
        """The seat's own answer in a reply, or why there is none."""
        page = laid_out(text)
        candidates = list(self._candidates(page, terms, cut=finish == "length"))
        cuts = page.cuts(terms.mark, *(span for one in candidates for span in one.spans))
        withheld = finish if finish in ("filter", "refusal") else _why_unread(page, candidates)
        own = Candidate(why=withheld) if withheld else self._own(page, candidates, terms)
        if isinstance(own.stated, Ballot):
            return Read(ballot=own.stated, cuts=cuts, cautions=own.cautions)
        if isinstance(own.stated, Argument):
            return Read(argument=own.stated, cuts=cuts, cautions=own.cautions)
        return Read(cuts=cuts, unreadable=own.why or self._why_nothing(page, finish))

    def _is_copied_from(self, page: Page, one: Candidate, terms: AnswerTerms) -> bool:
        """Whether others wrote an answer, or this one line for line."""
        # A label is no part of what was copied: a seat may put its own, or another form's, before somebody's object.
        objects = (page.text[max(begin, page.text.find("{", begin, end)) : end] for begin, end in one.spans)
        lines = [line for written in objects for line in written.splitlines()]
        own = [line.replace(terms.mark, "") if terms.mark else line for line in lines if not _IS_MARK.fullmatch(line)]
        return stands_in(terms.shown_text, own) or self._others_answer(terms)

    def _own(self, page: Page, candidates: Sequence[Candidate], terms: AnswerTerms) -> Candidate:
        """The seat's own answer, or why there is none; an empty reason where nothing is like an answer."""
        if not terms.mark:
            return self._one_of([one for one in candidates if not one.quoted], candidates)
        marked = [one for one in candidates if self._is_marked(page, one, terms)]
        if marked:
            return self._standing(page, self._one_of(marked, marked), candidates, terms)
        if terms.enforced and [one.whole and not one.marks for one in candidates] == [True]:
            return candidates[0]
        return self._unmarked(page, candidates, terms)

    def _standing(self, page: Page, own: Candidate, candidates: Sequence[Candidate], terms: AnswerTerms) -> Candidate:
        """The same, unless it approves and the seat states another answer behind it; what others wrote is none."""
        if own.stated is None or self.last or not self.approves(own.stated):
            return own
        later = [one for one in candidates[candidates.index(own) + 1 :] if self._says_other(page, one, own, terms)]
        return Candidate(why="two_answers") if later else own

    def _says_other(self, page: Page, one: Candidate, own: Candidate, terms: AnswerTerms) -> bool:
        """Whether an unmarked answer of the same seat decides otherwise."""
        if one.stated is None or one.marks or _vote(one.stated) == _vote(own.stated):
            return False
        return not (self._is_anothers(page, one) or self._is_copied_from(page, one, terms))

    def _is_anothers(self, page: Page, one: Candidate) -> bool:
        """Whether it is quoted, or its line gives it to somebody else."""
        return one.quoted or not all(_is_introduced(page, *span, label=self.label) for span in one.spans)

    def _is_marked(self, page: Page, one: Candidate, terms: AnswerTerms) -> bool:
        """Whether it bears the seat's mark and no other; one around somebody else's answer makes it nobody's."""
        return set(one.marks) == {terms.mark} and not (one.lent and self._is_copied_from(page, one, terms))

    def _one_of(self, own: Sequence[Candidate], candidates: Sequence[Candidate]) -> Candidate:
        """The last valid one, where all say the same or the form takes the last."""
        if not own:
            return Candidate(why="quoted" if candidates else "")
        valid = [one for one in own if one.stated is not None]
        return (valid or own)[-1] if self.last or not valid else self._agreed(own, valid)

    def _agreed(self, own: Sequence[Candidate], valid: Sequence[Candidate]) -> Candidate:
        """The last one, where all decide the same; but one behind it that can't be read may have taken it back."""
        if len({_vote(one.stated) for one in valid}) > 1:
            return Candidate(why="two_answers")
        return next((one for one in own[own.index(valid[-1]) + 1 :] if one.why != "placeholder"), valid[-1])

    def _unmarked(self, page: Page, candidates: Sequence[Candidate], terms: AnswerTerms) -> Candidate:
        """The only complete answer of a reply, where it may count without the mark; else why it does not."""
        complete = [one for one in candidates if one.stated is not None]
        if len(complete) != 1:
            return Candidate(why="unmarked") if complete else self._best_reason(candidates)
        only = complete[0]
        why = self._why_nobodys(page, only, terms) or self._why_not_yet(page, only, terms)
        return Candidate(why=why) if why else replace(only, cautions=("unmarked", *only.cautions))

    def _why_not_yet(self, page: Page, only: Candidate, terms: AnswerTerms) -> str:
        """Why an unmarked answer that is nobody else's does not count; empty if it does."""
        bold = only.stated is not None and self.approves(only.stated)
        if bold and self._is_refused(page, only):
            return "contradicted"
        waits = not terms.last and not (only.stated is not None and self.at_once(only.stated, terms))
        return "unmarked" if waits or (bold and terms.act_needs_mark) else ""

    def _why_nobodys(self, page: Page, only: Candidate, terms: AnswerTerms) -> str:
        """Why an answer without the mark is not the seat's own; empty if it is."""
        if only.marks and terms.mark not in only.marks:
            return "other_mark"
        if only.marks or self._is_anothers(page, only) or self._holds_another(page, only, terms):
            return "quoted"
        return "quoted" if self._is_borrowed(page, only, terms) else ""

    def _holds_another(self, page: Page, one: Candidate, terms: AnswerTerms) -> bool:
        """Whether a text within it is an answer too: nobody can tell which of the two is meant."""
        for begin, end in one.spans:
            text = page.text[page.text.find("{", begin, end) + 1 : end]
            if self._count(bare(text), terms) > self._count(text, terms):
                return True
        return False

    def _count(self, text: str, terms: AnswerTerms) -> int:
        return sum(one.stated is not None for one in self._candidates(laid_out(text), terms, cut=False))

    def _best_reason(self, candidates: Sequence[Candidate]) -> Candidate:
        """Why the last that is nobody else's could not be read."""
        free = [one for one in candidates if not one.quoted and not one.marks]
        if free:
            return free[-1]
        return Candidate(why=("quoted" if candidates[-1].quoted else "other_mark") if candidates else "")

    def _is_borrowed(self, page: Page, one: Candidate, terms: AnswerTerms) -> bool:
        """Whether others wrote an answer too, this one line for line, or the words by which it gives its reason."""
        reasons = _reasons(one.stated) or tuple(words[:LONGEST] for words in _around(page, one))
        return shares_words(terms.shown_text, reasons) or self._is_copied_from(page, one, terms)

    def _others_answer(self, terms: AnswerTerms) -> bool:
        """Whether others wrote down an answer, any at all: a seat may have copied it and changed a number."""
        texts = dict.fromkeys((terms.shown_text, bare(terms.shown_text), unquote(bare(terms.shown_text))))
        free = replace(terms, mark="")
        return any(
            page.overfull or any(one.stated or one.why == "overfull" for one in self._candidates(page, free, cut=False))
            for text in texts
            for page in _pages(text, _DEPTH)
        )

    def _is_refused(self, page: Page, one: Candidate) -> bool:
        """Whether a sentence around it is one of those that refuse."""
        texts = [words.lower().replace("’", "'") for words in _around(page, one)]
        return any(refusal in text and _is_sentence(refusal, text) for refusal in self.refusals for text in texts)

    def _why_nothing(self, page: Page, finish: Finish) -> str:
        why = hollow(page.words)
        if why == "empty" and len(page.words) < len(page.text):
            return "thinking_only"
        return why or ("cut_short" if finish == "length" else self.missing)

    def _candidates(self, page: Page, terms: AnswerTerms, *, cut: bool) -> Iterator[Candidate]:
        found = [(thing, parts) for thing in page.objects if (parts := self._answers_in(thing, terms.mark))]
        if len(found) > MOST:
            yield Candidate(why="overfull", spans=((page.start, page.end),))
            return
        for thing, parts in found:
            yield self._candidate(page, thing, parts, terms, cut=cut)
        if self.lines and not page.objects:
            yield from self._of_lines(page, terms, cut=cut)

    def _of_lines(self, page: Page, terms: AnswerTerms, *, cut: bool) -> Iterator[Candidate]:
        lines = labelled_ballot(page.text, page.start, page.end)
        if lines is None:
            return
        part = Object(lines.spans[0][0], lines.spans[-1][1], "open" if cut else "closed", lines.members)
        stated, why, cautions = self._judged(part, terms, complete=not cut)
        yield Candidate(
            stated=stated, why=why, cautions=cautions, spans=lines.spans, marks=lines.marks, lent=bool(lines.marks)
        )

    def _answers_in(self, whole: Object, mark: str) -> list[Object]:
        """The object itself and those directly in it that may be an answer."""
        inner = [
            part
            for part in whole.inner
            if _has_key(part, self.keys) and (part.name in LISTED or (mark and mark in _marks_in(part)))
        ]
        return [whole, *inner] if _has_key(whole, self.keys) else inner

    def _candidate(self, page: Page, whole: Object, parts: list[Object], terms: AnswerTerms, *, cut: bool) -> Candidate:
        part = parts[0]
        begin, end = with_label(page.text, whole.start, whole.end)
        marks = _all_marks(page.text, begin, whole, parts)
        place = Candidate(
            spans=((begin, end),),
            marks=marks,
            lent=bool(marks) and terms.mark not in _marks_in(part),
            quoted=_is_quoted(page.text, whole.start, begin),
            whole=not page.text[page.start : begin].strip() and not page.text[end : page.end].strip(),
        )
        if len(marks) > 1 or len(parts) > 1:
            return replace(place, why="other_mark" if len(marks) > 1 else "two_answers")
        complete = whole.state == part.state == "closed" and (self.last or not cut)
        stated, why, cautions = self._judged(part, terms, complete=complete)
        if stated is not None and (part.state != whole.state or is_guessed(page, whole, self.stray)):
            return replace(place, why="ambiguous")
        return replace(place, stated=stated, why=why, cautions=cautions)

    def _judged(
        self, part: Object, terms: AnswerTerms, *, complete: bool
    ) -> tuple[Stated | None, str, tuple[str, ...]]:
        if self.is_copied(part):
            return None, "placeholder", ()
        if not complete and not self.required(part):
            return None, "cut_short", ()
        stated, cautions = self.judge(part, terms)
        if isinstance(stated, str):
            return None, stated, ()
        if not complete and not self.careful(stated):
            return None, "cut_short", ()
        return stated, "", cautions


def _why_unread(page: Page, candidates: Sequence[Candidate]) -> str:
    """Why nothing in a reply is looked at; empty if something is."""
    if page.overfull or any(one.why == "overfull" for one in candidates):
        return "overfull"
    return "thinking_only" if candidates and leaves_open(page.words) else ""


def _all_marks(text: str, begin: int, whole: Object, parts: Sequence[Object]) -> tuple[str, ...]:
    """The different marks that bear on an answer: in the object around it, in itself and in its label."""
    label = _MARK_IN_LABEL.findall(text[begin : whole.start].lower()) if begin < whole.start else ()
    return tuple(dict.fromkeys((*(mark for part in (whole, *parts) for mark in _marks_in(part)), *label)))


def _vote(stated: Stated | None) -> object:
    """What two answers must share to say the same."""
    return (stated.vote, stated.veto) if isinstance(stated, Ballot) else None


def _has_key(part: Object, keys: frozenset[str]) -> bool:
    """Whether an object has one of these keys for a value of its own, not for an answer inside it."""
    return any(
        name in keys and not (value is None and name in LISTED and any(inner.name == name for inner in part.inner))
        for name, value in part.members
    )


def _marks_in(part: Object) -> tuple[str, ...]:
    """The marks an object states; a value that does not look like a mark is none."""
    written = [value.raw.strip().lower() for name, value in part.members if value and name == "mark"]
    return tuple([mark for mark in written if _MARK.fullmatch(mark)]) if written else ()


def _is_quoted(text: str, start: int, begin: int) -> bool:
    """In a block quote, or right after the opening of a quotation."""
    near = max(0, begin - _BEFORE)
    line = text.rfind("\n", near, begin) + 1
    before = text[line or near : begin]
    opened = before.rstrip("*_ ").endswith(_QUOTES) or text[begin:start].rstrip("*_ ").endswith(_QUOTES)
    return opened or before.lstrip(" \t*+-").startswith(">")


def _is_introduced(page: Page, begin: int, end: int, *, label: str) -> bool:
    """Whether nothing on the lines of an answer, or on the one that leads to it, may give it to somebody else."""
    line = page.text.rfind("\n", page.start, begin) + 1 or page.start
    stop = page.text.find("\n", end, page.end)
    beside = (page.text[max(line, page.start) : begin], page.text[end : stop if stop >= 0 else page.end])
    above = page.text[page.start : max(line, page.start)].rstrip()
    leads = above[above.rfind("\n") + 1 :].strip()
    leads = leads if leads.rstrip("*_ ").endswith(":") or leads.startswith(_FENCE) else ""
    own = (words.lower().rstrip(" \t*_`:").removesuffix(label.rstrip(":")) for words in (*beside, leads))
    return all(map(_INTRODUCTION.fullmatch, own))


def _reasons(stated: Stated | None) -> tuple[str, ...]:
    """Why, in the seat's own words. Evidence is none of them: it quotes."""
    if isinstance(stated, Argument):
        return stated.claims
    return (stated.rationale,) if stated is not None and stated.rationale else ()


def _around(page: Page, one: Candidate) -> Iterator[str]:
    """What the reply says besides this answer."""
    at = page.start
    for begin, end in one.spans:
        yield page.text[at:begin]
        at = max(at, end)
    yield page.text[at : page.end]


def _is_sentence(words: str, text: str) -> bool:
    """Whether these words are a sentence of a text: nothing but signs stands between them and its ends."""
    return (
        re.search(rf"(?:\A|[.!?;:,\n])[^\w\n]{{0,8}}+{re.escape(words)}[^\w\n]{{0,8}}?(?:\Z|[.!?;:\n])", text)
        is not None
    )


def _pages(text: str, depth: int) -> Iterator[Page]:
    """A text, each object in it as if it were the whole of a reply, and what stands within that, its texts included."""
    page = laid_out(text)
    yield page
    for thing in page.objects:
        yield laid_out(text[thing.start : thing.end])
        if depth:
            yield from _pages(bare(text[thing.start + 1 : thing.end - 1]), depth - 1)
