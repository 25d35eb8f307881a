"""A reply laid out: what of it is meant for others, the ballots that stand in it, and where they are to be cut out."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from quorate.frozen import dataclass, fast_init
from quorate.model.once import lazy_pattern
from quorate.reading.text.letter_case import lower_case
from quorate.reading.text.objects import Object, objects
from quorate.reading.text.thinking import public_span

CHOICES: Final = frozenset({"decision", "choice", "option", "outcome"})
"""What models call the key that holds their decision."""

_OF_A_BALLOT: Final = CHOICES | {"mark"}

Span = tuple[int, int]

_ENTITY: Final = lazy_pattern(r"&(?:quot|apos|#0{0,4}+3[49]|#x0{0,4}+2[27]);", re.IGNORECASE)
_QUOTED: Final = lazy_pattern(r"[ \t*+-]{0,16}+>")
_BEFORE: Final = 96
_LABELS: Final = ("ballot", "vote", "argument", "assessment", "finding", "judgement")
_LABEL: Final = lazy_pattern(
    rf"[*_#`]{{0,4}}+(?:{'|'.join(_LABELS)})\b[*_`:=\s-]{{0,8}}+(?:[0-9a-f]{{12}}[*_`:=\s-]{{0,8}}+)?\Z",
    re.IGNORECASE,
)
_LONGEST_LABEL: Final = 4 + len("assessment") + 8 + 12 + 8
_OPENS_FENCE: Final = lazy_pattern(r"(?:`{3,8}+|~{3,8}+)(?:json[5cl]?|te?xt|plain|ballot)?\s{0,4}+\Z", re.IGNORECASE)
"""With the usual names of what stands in a fence; another word may say that it is rejected, or a draft."""
_ENDS_FENCE: Final = lazy_pattern(r"\s{0,4}+(?:`{3,8}+|~{3,8}+)")
_ENDS_LABEL: Final = lazy_pattern(r"[ \t]{0,4}+[*_`]{1,3}+")


@fast_init
@dataclass(frozen=True, slots=True)
class BallotObject:
    """An object that looks like a ballot, its place with label and fence, and whether it stands in a block quote."""

    object: Object
    begin: int
    end: int
    quoted: bool


@fast_init
@dataclass(frozen=True, slots=True)
class Page:
    """The stretch of a reply that is not private thinking, and what stands in it."""

    text: str
    start: int
    end: int
    objects: tuple[Object, ...]
    sightings: tuple[BallotObject, ...]

    @property
    def words(self) -> str:
        return self.text[self.start : self.end]

    @property
    def overfull(self) -> bool:
        """Whether it holds more than is read; what is too much is the last thing on it."""
        return bool(self.objects) and self.objects[-1].state == "overfull"

    def bears(self, mark: str) -> bool:
        return bool(mark) and self.text.find(mark, self.start, self.end) >= 0

    def cuts(self, mark: str, *more: Span) -> tuple[Span, ...]:
        """What nobody else is shown: thinking, whatever looks like a ballot, the mark wherever it stands."""
        hidden = [(0, self.start), (self.end, len(self.text)), *more]
        hidden += [(sighting.begin, sighting.end) for sighting in self.sightings]
        return merge_spans([*hidden, *_places(self.text, mark)])


def laid_out(text: str) -> Page:
    """Lay out a reply. Thinking that was never ended takes all the rest."""
    start, end = public_span(text)
    found = tuple(objects(text, start, end))
    return Page(text, start, end, found, tuple(_sightings(text, found)))


def bare(text: str) -> str:
    """The same text, sign for sign, with plain quotation marks and line breaks for escaped ones: a hidden ballot.

    The letter of a line break would else stand before a name, and the ballot be none.
    """
    if "\\" in text:
        text = text.replace("\\n", " \n").replace("\\r", " \n").replace("\\t", "  ").replace("\\", " ")
    return _ENTITY.sub(lambda found: '"'.ljust(len(found[0])), text) if "&" in text else text


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same places in order, without overlaps."""
    whole: list[Span] = []
    last = -1
    for begin, end in sorted([span for span in spans if span[0] < span[1]]):
        if begin > last:
            whole.append((begin, end))
            last = end
        elif end > last:
            whole[-1] = (whole[-1][0], end)
            last = end
    return tuple(whole)


def _places(text: str, mark: str) -> Iterator[Span]:
    """Where a mark stands; several without anything between them are one place."""
    at = text.find(mark) if mark else -1
    while at >= 0:
        end = at + len(mark)
        while text.startswith(mark, end):
            end += len(mark)
        yield at, end
        at = text.find(mark, end)


def _sightings(text: str, found: tuple[Object, ...]) -> Iterator[BallotObject]:
    line = seen = 0
    for thing in found:
        line = max(line, text.rfind("\n", seen, thing.start) + 1)
        seen = thing.start
        if thing.state == "overfull" or any(map(_looks_like_a_ballot, thing.walk() if thing.inner else (thing,))):
            begin, end = with_label(text, thing.start, thing.end)
            yield BallotObject(thing, begin, end, quoted=_QUOTED.match(text, line, thing.start) is not None)


def _looks_like_a_ballot(thing: Object) -> bool:
    for name, _ in thing.members:  # noqa: SIM110  every object of every reply comes here
        if name in _OF_A_BALLOT:
            return True
    return False


def with_label(text: str, begin: int, end: int) -> Span:
    """A ballot's place together with its label and the code fence around it, in either order."""
    begin, end = _labelled(text, begin, end)
    closing = _ENDS_FENCE.match(text, end)
    opening = _OPENS_FENCE.search(text, max(0, begin - _BEFORE), begin) if closing else None
    if closing and opening:
        begin, end = _labelled(text, opening.start(), closing.end())
    return begin, end


def _labelled(text: str, begin: int, end: int) -> Span:
    near = max(0, begin - _LONGEST_LABEL)
    before = lower_case(text[near:begin])
    label = _LABEL.search(text, near, begin) if any(word in before for word in _LABELS) else None
    if label is None:
        return begin, end
    decorated = _ENDS_LABEL.match(text, end) if label[0][0] in "*_`" else None
    return label.start(), decorated.end() if decorated else end
