"""Free text: a challenge, an answer, an argument. It never casts a ballot."""

from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.model.specs import ANY, AnswerTerms, FormSpec
from quorate.reading.text.decision_ballot import NAMES
from quorate.reading.text.labelled_lines import labelled_ballot
from quorate.reading.text.page import Page, Span, laid_out
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.unreadable import Why


def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
    """Whether these are words that others can be shown, and what in them they must not be shown."""
    page = laid_out(text)
    lines = labelled_ballot(text, page.start, page.end, NAMES)
    cuts = page.cuts(terms.mark, *(lines.spans if lines else ()))
    why = finish if finish in ("filter", "refusal") else _why(page, cuts)
    return Read(cuts=cuts, unreadable=why or "")


def _why(page: Page, cuts: tuple[Span, ...]) -> Why | None:
    why = hollow(_left(page.text, cuts))
    if why == "empty" and hollow(page.words) == "empty" and len(page.words) < len(page.text):
        return "thinking_only"
    return why


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
