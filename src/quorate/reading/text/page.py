"""A reply laid out: what of it is meant for others, the ballots that stand in it, and where they are to be cut out."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from quorate.frozen import dataclass, fast_init
from quorate.model.once import lazy_pattern
from quorate.model.template_tokens import THINKING
from quorate.reading.text.objects import Object, objects

CHOICES: Final = frozenset({"decision", "choice", "option", "outcome"})
"""What models call the key that holds their decision."""

Span = tuple[int, int]

_ENTITY: Final = lazy_pattern(r"&(?:quot|apos|#0{0,4}+3[49]|#x0{0,4}+2[27]);", re.IGNORECASE)
_QUOTED: Final = lazy_pattern(r"[ \t*+-]{0,16}+>")
_BEFORE: Final = 96
_LABEL: Final = lazy_pattern(
    r"[*_#`]{0,4}+(?:BALLOT|VOTE|ARGUMENT|ASSESSMENT|FINDING|JUDGEMENT)\b[*_`:=\s-]{0,8}+(?:[0-9a-f]{12}[*_`:=\s-]{0,8}+)?\Z",
    re.IGNORECASE,
)
_OPENS_FENCE: Final = lazy_pattern(r"(?:`{3,8}+|~{3,8}+)\w{0,12}+\s{0,4}+\Z")
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


_QUOTES: Final = "\"'`\u201c\u201d\u2018\u2019"
_BEFORE_A_QUOTE: Final = " \t\r\n([{:,;"

_TAGS: Final = "|".join(sorted(map(re.escape, THINKING), key=len, reverse=True))
_MARKUP: Final = lazy_pattern(
    rf"<\s{{0,2}}+(?P<tag>/?)\s{{0,2}}+(?P<name>{_TAGS})(?:\s{{1,4}}+[\w-]{{1,20}}+=[^<>]{{0,64}}+|\s{{0,2}}+)>"
    r"|\[(?P<bracket>/?)THINK\]"
    r"|\u25c1(?P<arrow>/?)think\u25b7"
    r"|<\|(?P<thought>begin|end)_of_thought\|>"
    r"|<\|(?P<thinking>START|END)_THINKING\|>"
    r"|<\|channel>\s{0,4}+thought(?P<turn>)|<channel\|>"
    r"|<\|channel\|>(?P<final>\s{0,4}+final\b[^<]{0,64}+(?:<\|constrain\|>[^<]{0,64}+)?<\|message\|>)?(?P<channel>)"
    r"|<\|(?P<message>start|end|return|call)\|>",
    re.IGNORECASE | re.ASCII,
)
_SPELT_OUT: Final = lazy_pattern(r"\Aanalysis(?=[A-Z])")
"""How harmony begins where a server has dropped its tokens; `assistantfinal` is where the answer does."""
_ANSWERS: Final = "assistantfinal"


def public_span(text: str) -> tuple[int, int]:
    """Where the words meant for others begin and end: behind the last thinking that ended, before any that did not.

    A tag in quotation marks is a mention and neither begins nor ends anything. A tag ends only what its like began, and
    whatever stands before one that ends is private: some templates begin the thinking themselves.
    """
    if _SPELT_OUT.match(text):
        at = text.rfind(_ANSWERS)
        return (at + len(_ANSWERS), len(text)) if at >= 0 else (len(text), len(text))
    start, begun, kind = 0, len(text), ""
    for found, family, begins in _tags(text):
        if not begins:
            start, kind = found.end(), "" if kind == family else kind
        elif not kind:
            kind, begun = family, found.start()
    return start, max(start, begun) if kind else len(text)


def _tags(text: str) -> Iterator[tuple[re.Match[str], str, bool]]:
    """Every tag that is no mention, as `_read` has it; a harmony message means nothing before there is a channel."""
    if "<" not in text and "[" not in text and "\u25c1" not in text:
        return
    channels = False
    for found in _MARKUP.finditer(text):
        if _mentioned(text, found) or (found["message"] and not channels):
            continue
        family, begins = _read(found)
        channels = channels or family == "channel"
        yield found, family, begins


def _read(found: re.Match[str]) -> tuple[str, bool]:
    """Of which kind a tag is, and whether thinking begins there or ends."""
    parts = found.groupdict()
    if parts["name"] is not None:
        name = parts["name"].lower()
        return ("think" if name == "thinking" else name), not parts["tag"]
    for family in ("bracket", "arrow"):
        if parts[family] is not None:
            return family, not parts[family]
    for family, opens in (("thought", "begin"), ("thinking", "start")):
        if parts[family] is not None:
            return family, parts[family].lower() == opens
    if parts["channel"] is not None or parts["message"] is not None:
        return "channel", parts["final"] is None
    return "turn", parts["turn"] is not None


def _mentioned(text: str, found: re.Match[str]) -> bool:
    """Whether a tag stands in quotation marks that begin and end with it."""
    begin, end = found.span()
    before, after = text[max(0, begin - 2) : begin], text[end : end + 1]
    if not after or not before or after not in _QUOTES or before[-1] not in _QUOTES:
        return False
    return len(before) == 1 or before[0] in _BEFORE_A_QUOTE
