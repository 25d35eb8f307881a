"""What others may be shown of a seat's words: all but what looks like a ballot, so that quoting it casts none."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from quorate.model import Argument, Ballot, Speech, Spoken
from quorate.model.numbers import percent
from quorate.model.once import lazy_pattern
from quorate.reading.text.escapes import unescape
from quorate.reading.text.labelled_lines import label_lines
from quorate.reading.text.objects import Object
from quorate.reading.text.page import Page, Span, bare, laid_out, with_label
from quorate.reading.text.values import without_controls

__all__ = ["CUT", "speech_of", "without_ballots"]

CUT: Final = "(a ballot was cut out here)"


_ANSWERS: Final = frozenset(
    {
        *("answer", "probability", "estimate", "claims", "leaning", "ranking", "approved", "approvals"),
        *("a_evidence", "b_evidence"),
    }
)
"""What other forms than a ballot are known by."""


_IN_A_STRING: Final = lazy_pattern(
    r"\{[^{}\n]{0,200}?[\"']?(?:decision|choice|option|outcome|answer|claims|ranking|approved|estimate|mark)"
    r"[\"' ]{0,3}[:=][^{}]{0,2000}+\}?",
    re.IGNORECASE,
)
"""An answer within a string, whose quotation marks were escaped there."""


def _is_an_answer(part: Object) -> bool:
    names = {name for name, _ in part.members}
    return not names.isdisjoint(_ANSWERS) or {"value", "confidence"} <= names


def _other_answers(page: Page) -> Iterator[Span]:
    """Where answers of other forms stand, each with the label in front of it."""
    for thing in page.objects:
        if any(_is_an_answer(part) for part in thing.walk()):
            yield with_label(page.text, thing.start, thing.end)


def without_ballots(text: str) -> str:
    """The text with a plain note in place of every passage that looks like a ballot, in strings within strings too."""
    if "{" not in text and ":" not in text and "=" not in text:
        return text
    page = laid_out(bare(text))
    strings = (found.span() for found in _IN_A_STRING.finditer(page.text)) if page.text is not text else ()
    hidden = page.cuts("", *label_lines(page.text), *_other_answers(page), *strings)
    at, kept = 0, list[str]()
    for begin, end in hidden:
        kept += (text[at:begin], CUT)
        at = end
    return "".join((*kept, text[at:])) if hidden else text


def speech_of(event: Spoken, first: Spoken | None = None) -> Speech:
    """A reply as others may be shown it, its ballots replaced by a sentence; what was said at first stays said."""
    ballot, argument = event.ballot, event.argument
    return Speech(
        seat=event.seat,
        round=event.round,
        about=event.about,
        prose=_shown(_prose(first) if first else "", _prose(event)),
        rationale=_shown(ballot.rationale) if ballot else "",
        position=_stated(ballot, argument),
        ballot=ballot,
        argument=argument,
        cautions=event.cautions,
    )


def _shown(*parts: str) -> str:
    return "\n\n".join([without_ballots(part) for part in parts if part])


def _stated(ballot: Ballot | None, argument: Argument | None) -> str:
    voted = (_shown_position(_position(ballot)),) if ballot else ()
    argued = (without_ballots(_case(argument)),) if argument else ()
    return "\n\n".join((*voted, *argued))


@lru_cache(1024)
def _shown_position(sentence: str) -> str:
    """The same for the sentence that says what was voted: most ballots of a panel say one of a few."""
    return without_ballots(sentence)


def _prose(event: Spoken) -> str:
    text, start = event.reply.text, 0
    kept: list[str] = []
    for begin, end in event.cuts:
        kept.append(_piece(text, start, begin))
        start = end
    return "".join((*kept, text[start:])).strip()


def _piece(text: str, start: int, end: int) -> str:
    """Words between two cuts; those that fill a string of an object are read as such, a paragraph each."""
    piece = text[start:end]
    in_a_string = start > 0 and text[start - 1] == '"' == text[end : end + 1]
    return f"{without_controls(unescape(piece))}\n\n" if in_a_string else piece


def _case(argument: Argument) -> str:
    """An argument's claims and evidence as prose, since the object they stood in is cut out."""
    lists = (("Claims:", argument.claims), ("Evidence:", argument.evidence))
    listed = (f"- {line}" if line != title else line for title, lines in lists if lines for line in (title, *lines))
    return "\n".join((*listed, f"Confidence: {percent(argument.confidence)}."))


def _position(ballot: Ballot) -> str:
    numbers = (("confidence", ballot.confidence), ("risk", ballot.risk))
    stated = ", ".join(f"{name} {percent(value)}" for name, value in numbers if value is not None)
    return f"Position: {'VETO' if ballot.veto else ballot.choice}{f' ({stated})' if stated else ''}."
