"""Free text: a challenge, an answer, an argument. It never casts a ballot."""

from collections.abc import Mapping
from typing import Final

from quorate.model.ballot import Finish, Read
from quorate.reading.text.decision_ballot import NAMES
from quorate.reading.text.labelled_lines import labelled
from quorate.reading.text.page import Page, Span, laid_out
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.selection import Shown
from quorate.reading.text.unreadable import Why


def read(text: str, *, mark: str = "", finish: Finish = "stop", shown: Shown = "", last: bool = False) -> Read:
    """Whether these are words that others can be shown, and what in them they must not be shown."""
    del shown, last
    page = laid_out(text)
    lines = labelled(text, page.start, page.end, NAMES)
    cuts = page.cuts(mark, *(lines.spans if lines else ()))
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


def schema(mark: str) -> Mapping[str, object]:
    """Nothing to enforce."""
    del mark
    return {}


def instructions(mark: str, *, veto: bool = False) -> str:
    """How to write it."""
    del mark, veto
    return "Answer in plain prose, in the language of the question. Cast no ballot now."


def repair(why: str, mark: str, *, veto: bool = False) -> str:
    """Ask once more where nothing was said; who declined has answered."""
    del mark, veto
    return "" if why in ("refusal", "filter") else _REPAIR


_REPAIR: Final = (
    "Your reply held no words that could be shown to the others. Answer again, in a few sentences of plain prose."
)
