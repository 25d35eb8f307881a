"""A reply laid out: what of it is meant for others, the ballots that stand in it, and where they are to be cut out."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from quorate.frozen import dataclass, fast_init
from quorate.reading.text.objects import Object, objects
from quorate.reading.text.thinking import public_span

CHOICES: Final = frozenset({"decision", "choice", "option", "outcome"})
"""What models call the key that holds their decision."""

Span = tuple[int, int]

_ENTITY: Final = re.compile(r"&(?:quot|apos|#0{0,4}+3[49]|#x0{0,4}+2[27]);", re.IGNORECASE)
_QUOTED: Final = re.compile(r"[ \t*+-]{0,16}+>")
_BEFORE: Final = 96
_LABEL: Final = re.compile(
    r"[*_#`]{0,4}+(?:BALLOT|VOTE|ARGUMENT|ASSESSMENT|FINDING|JUDGEMENT)\b[*_`:=\s-]{0,8}+(?:[0-9a-f]{12}[*_`:=\s-]{0,8}+)?\Z",
    re.IGNORECASE,
)
_OPENS_FENCE: Final = re.compile(r"(?:`{3,8}+|~{3,8}+)\w{0,12}+\s{0,4}+\Z")
_ENDS_FENCE: Final = re.compile(r"\s{0,4}+(?:`{3,8}+|~{3,8}+)")
_ENDS_LABEL: Final = re.compile(r"[ \t]{0,4}+[*_`]{1,3}+")


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
    """The same text, sign for sign, in which an escaped quotation mark is a plain one: a ballot hidden in a string."""
    text = text.replace("\\", " ") if "\\" in text else text
    return _ENTITY.sub(lambda found: '"'.ljust(len(found[0])), text) if "&" in text else text


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same places in order, without overlaps."""
    whole: list[Span] = []
    for begin, end in sorted(span for span in spans if span[0] < span[1]):
        if whole and begin <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((begin, end))
    return tuple(whole)


def _places(text: str, mark: str) -> Iterator[Span]:
    at = text.find(mark) if mark else -1
    while at >= 0:
        yield at, at + len(mark)
        at = text.find(mark, at + len(mark))


def _sightings(text: str, found: tuple[Object, ...]) -> Iterator[BallotObject]:
    line = seen = 0
    for thing in found:
        line = max(line, text.rfind("\n", seen, thing.start) + 1)
        seen = thing.start
        if thing.state == "overfull" or any(_looks_like_a_ballot(part) for part in thing.walk()):
            begin, end = with_label(text, thing.start, thing.end)
            yield BallotObject(thing, begin, end, quoted=_QUOTED.match(text, line, thing.start) is not None)


def _looks_like_a_ballot(thing: Object) -> bool:
    return any(name in CHOICES or name == "mark" for name, _ in thing.members)


def with_label(text: str, begin: int, end: int) -> Span:
    """A ballot's place together with its label and the code fence around it, in either order."""
    begin, end = _labelled(text, begin, end)
    closing = _ENDS_FENCE.match(text, end)
    opening = _OPENS_FENCE.search(text, max(0, begin - _BEFORE), begin) if closing else None
    if closing and opening:
        begin, end = _labelled(text, opening.start(), closing.end())
    return begin, end


def _labelled(text: str, begin: int, end: int) -> Span:
    label = _LABEL.search(text, max(0, begin - _BEFORE), begin)
    if label is None:
        return begin, end
    decorated = _ENDS_LABEL.match(text, end) if label[0][0] in "*_`" else None
    return label.start(), decorated.end() if decorated else end
