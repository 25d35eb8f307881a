"""Free text: a challenge, an answer, an argument. It never casts a ballot.

Some models write an object where prose was asked for. Its texts, in their order, are the speech, all but what makes up
a ballot: a choice, a ranking, a mark, and any ballot within it.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.model.once import lazy_pattern
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.escapes import unescape
from quorate.reading.text.labelled_lines import labelled_ballot
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.page import CHOICES, Page, Span, laid_out, merge_spans
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.redaction import CUT, without_ballots
from quorate.reading.text.unreadable import Why
from quorate.reading.text.values import without_controls

_CASTS: Final = CHOICES | {"mark", "ranking", "leaning", "approved", "approvals", "approves", "approve"}
"""Members that cast something; what stands there is never shown as words."""
_TEXT: Final = lazy_pattern(r'"([^"\\]*+(?:\\.[^"\\]*+|(?!))*+)"(\s*+:)?', re.DOTALL)
"""A text in JSON; with a colon behind it, it is a name."""
_AROUND: Final = " \t\r\n`[],"
_LETTER: Final = lazy_pattern(r"[^\W\d_]")


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """Whether these are words that others can be shown, and what in them they must not be shown."""
    page = laid_out(text)
    texts = tuple(_texts(page, terms.mark)) if finish == "stop" else ()
    if texts:
        return Read(cuts=tuple(_between(text, texts)), unreadable=_why_hollow(text, texts))
    lines = labelled_ballot(text, page.start, page.end)
    cuts = page.cuts(terms.mark, *(lines.spans if lines else ()))
    why = finish if finish in ("filter", "refusal") else _why(page, cuts)
    return Read(cuts=cuts, unreadable=why or "")


def _why(page: Page, cuts: tuple[Span, ...]) -> Why | None:
    why = hollow(_left(page.text, cuts))
    if why == "empty" and len(page.words) < len(page.text) and hollow(page.words) == "empty":
        return "thinking_only"
    return why


def _texts(page: Page, mark: str) -> Iterator[Span]:
    """Where the words stand in a reply that is nothing but JSON; nowhere in any other."""
    if page.objects and _stand_alone(page) and all(_is_json(page, thing) for thing in page.objects):
        for thing in page.objects:
            yield from _texts_in(page, thing, mark)


def _texts_in(page: Page, thing: Object, mark: str) -> Iterator[Span]:
    ballots = merge_spans((part.start, part.end) for part in thing.walk() if part is not thing and _casts(part))
    name = ""
    for found in _TEXT.finditer(page.text, thing.start, thing.end):
        if found[2]:
            name = fold_case(unescape(found[1]))
        elif name not in _CASTS and not _lies_in(found.start(), ballots) and _are_words(found[1], mark):
            yield found.span(1)


def _is_json(page: Page, thing: Object) -> bool:
    if thing.state != "closed":
        return False
    try:
        json.loads(page.text[thing.start : thing.end], strict=False)
    except ValueError:
        return False
    return True


def _stand_alone(page: Page) -> bool:
    """Whether nothing but a code fence or a list stands around the objects."""
    begins, ends = [thing.start for thing in page.objects], [thing.end for thing in page.objects]
    gaps = zip((page.start, *ends), (*begins, page.end), strict=True)
    return not any(page.text[begin:end].replace("json", "").strip(_AROUND) for begin, end in gaps)


def _casts(part: Object) -> bool:
    return any(name in _CASTS for name, _ in part.members)


def _lies_in(at: int, spans: tuple[Span, ...]) -> bool:
    before = bisect_right(spans, at, key=itemgetter(0))
    return before > 0 and at < spans[before - 1][1]


def _are_words(text: str, mark: str) -> bool:
    return _LETTER.search(text) is not None and not (mark and mark in without_controls(unescape(text)))


def _between(text: str, texts: tuple[Span, ...]) -> Iterator[Span]:
    yield from zip((0, *(end for _, end in texts)), (*(begin for begin, _ in texts), len(text)), strict=True)


def _why_hollow(text: str, texts: tuple[Span, ...]) -> str:
    shown = (without_ballots(unescape(text[begin:end])).replace(CUT, "") for begin, end in texts)
    return hollow("\n\n".join(shown)) or ""


def _left(text: str, cuts: tuple[Span, ...]) -> str:
    at, kept = 0, list[str]()
    for begin, end in cuts:
        kept.append(text[at:begin])
        at = end
    return "".join((*kept, text[at:]))


def schema(_terms: AnswerTerms = ANY) -> Mapping[str, object]:
    """Nothing to enforce."""
    return {}


def instructions(_terms: AnswerTerms = ANY) -> str:
    """How to write it."""
    return "Answer in plain prose, in the language of the question. Cast no ballot now."


def repair(why: str, _terms: AnswerTerms = ANY) -> str:
    """Ask once more where nothing was said; who declined has answered."""
    return "" if why in ("refusal", "filter") else _REPAIR


_REPAIR: Final = (
    "Your reply held no words that could be shown to the others. Answer again, in a few sentences of plain prose."
)


def sample(_terms: AnswerTerms) -> str:
    """Words that can be shown to others."""
    return "Show me the numbers."


SPEC: Final = FormSpec(read=read, instructions=instructions, repair=repair, schema=schema, sample=sample)
