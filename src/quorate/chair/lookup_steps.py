"""What becomes of a reply that asks to see something: an errand, then the same ask with what was found."""

from collections.abc import Mapping
from dataclasses import replace

from quorate.model import Ask, Errand, ErrandKey, Found, Passage, Prompt, Quote, Reply, Spoken
from quorate.model.ask import AnswerTerms, Part
from quorate.model.ballot import Read
from quorate.model.lookup import LOOK, PER_REPLY, Lookup, LookupTerms
from quorate.reading.text.lookup_lines import lookup_paper, read_lookups
from quorate.reading.text.page import merge_spans
from quorate.reading.text.plain_words import hollow

__all__ = ["LOOKUP", "after_lookups", "lookups_of", "may_look", "with_paper"]

LOOKUP = "lookup"
"""Why a reply holds no answer: it asks to see something first."""


def after_lookups(ask: Ask, replies: tuple[Spoken, ...], finds: Mapping[ErrandKey, Found]) -> Ask | Errand:
    """The ask once more with all that was found for it, or the errand that must come back before."""
    prompt = ask.prompt
    for number, spoken in enumerate(replies, 1):
        errand = _errand(spoken)
        found = finds.get(errand.key)
        if found is None:
            return errand
        prompt = _with_finds(prompt, number, spoken.lookups, found)
    return replace(ask, prompt=prompt, looked=len(replies), attempt=ask.attempt + len(replies))


def _errand(spoken: Spoken) -> Errand:
    place = spoken.key
    return Errand(
        kind=LOOK,
        round=place.round,
        seat=place.seat,
        about=place.about,
        attempt=place.attempt,
        lookups=spoken.lookups,
    )


def _with_finds(prompt: Prompt, number: int, lookups: tuple[Lookup, ...], found: Found) -> Prompt:
    """Behind what was asked, what the seat wanted to see: somebody's words, whoever wrote the file."""
    none = Passage(url="", why=found.why or "nothing was found")
    passages = (*found.passages, *(none for _ in lookups[len(found.passages) :]))
    quotes: Part = tuple(_quote(lookup, passage) for lookup, passage in zip(lookups, passages, strict=False))
    part = f"found_{number}"
    return prompt.plus(f"\n\nYou asked to see this, and here is what was found:\n\n{{{part}}}", (part, quotes))


def _quote(lookup: Lookup, passage: Passage) -> Quote:
    """The label is what was found where that is told, for a file with its lines, else what was wanted."""
    label = passage.title or f"{lookup.kind} {lookup.text} {lookup.path}"
    return Quote(f"looked up, {label}", passage.text or f"(nothing: {passage.why})")


def may_look(terms: LookupTerms, ask: Ask, mark: str, *, last: bool) -> int:
    """How many things a reply may ask to see: none on the last attempt, after the verdict, or without a mark."""
    return 0 if last or ask.after or not mark or ask.looked >= terms.replies else PER_REPLY


def with_paper(ask: Ask, terms: LookupTerms, mark: str, *, last: bool) -> Ask:
    """The ask with how to look something up at its end, or that nothing more can be, where anything was."""
    lookups = may_look(terms, ask, mark, last=last)
    if not lookups and not (ask.looked and not last):
        return replace(ask, lookups=0)
    paper = lookup_paper(mark, terms.replies - ask.looked if lookups else 0)
    return replace(ask, lookups=lookups, prompt=ask.prompt.plus("\n\n{lookup_paper}", ("lookup_paper", paper)))


def lookups_of(ask: Ask, terms: AnswerTerms, reply: Reply, read: Read) -> tuple[Read, tuple[Lookup, ...]]:
    """What a reply asks to see, where it holds no answer; and what was read, without the lines that ask for it.

    A reply with an answer has answered, whatever else it asks for. Lines alone are no words for others to be shown.
    """
    found = read_lookups(reply.text, terms)
    if not found.spans or read.unreadable in ("refusal", "filter"):
        return read, ()
    cuts = merge_spans((*read.cuts, *found.spans))
    if read.ballot is not None or read.argument is not None:
        return replace(read, cuts=cuts), ()
    if ask.lookups and found.lookups:
        return Read(cuts=cuts, unreadable=LOOKUP), found.lookups
    if not read.unreadable and hollow(_left(reply.text, cuts)):
        return replace(read, cuts=cuts, unreadable=LOOKUP), ()
    return replace(read, cuts=cuts), ()


def _left(text: str, cuts: tuple[tuple[int, int], ...]) -> str:
    for begin, end in reversed(cuts):
        text = text[:begin] + text[end:]
    return text
