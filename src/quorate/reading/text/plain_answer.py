r"""An answer as benchmarks and people write it: an object under other names, a line "Answer: B", `\boxed{C}`, one word.

This is not how seats vote: a ballot bears its mark and is read by its form. It is for replies that were recorded
elsewhere. What could be two answers is none, and a text is scanned from front to back a fixed number of times.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeVar

from quorate.frozen import dataclass
from quorate.model.ballot import Ballot, Choice, Read
from quorate.model.numbers import exact
from quorate.model.once import lazy_pattern
from quorate.reading.text.answer_choice import bare_answer, choose_option
from quorate.reading.text.answer_value import read_value, strip_quotes
from quorate.reading.text.listed_options import abstains, no_choice, plain_option
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.thinking import public_span
from quorate.reading.text.values import plain

__all__ = ["ALIASES", "read_answer"]

T = TypeVar("T")

ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "answer": (
            *("answer", "final answer", "correct answer", "my answer", "final", "prediction", "predicted answer"),
            *("choice", "final choice", "option", "selected option", "selected", "selection", "vote", "decision"),
            *("label", "solution", "result", "output"),
        ),
        "confidence": ("confidence", "confidence score", "confidence level", "certainty", "probability"),
        "reason": ("reasoning", "rationale", "reason", "explanation", "analysis", "justification", "thoughts"),
    }
)
"""Names a value may have, in any case, with spaces, hyphens or underscores between the words."""
_KINDS: Final = MappingProxyType({name.replace(" ", ""): kind for kind, names in ALIASES.items() for name in names})
_NAMES: Final = "|".join(name.replace(" ", r"[\s_-]?") for names in ALIASES.values() for name in names)
_APART: Final = lazy_pattern(r"[\s_-]")
_KEY: Final = lazy_pattern(rf"(?<![\\\w])[\"'“‘]({_NAMES})[\"'”’]\s{{0,8}}+[:=]", re.IGNORECASE)
_LINE: Final = lazy_pattern(
    r"(?<!\w)(?:(?:final|correct|best|my)[\s*_]{1,4}+){0,2}(?:answer|prediction|choice)[*_`\"]{0,4}+"
    r"\s{0,4}+(?::|=|(?:is|would\s+be)(?:\s+(?:indeed|therefore|option|choice|then))?(?:\s{0,4}+:)?(?=[\s*_:$(\"'`\\]))",
    re.IGNORECASE,
)
_BOXED: Final = lazy_pattern(r"\\boxed\s{0,4}+(?=\{)")
_HASHES: Final = lazy_pattern(r"^####\s{0,4}+", re.MULTILINE)
_EMPHASIS: Final = lazy_pattern(r"\A[\s:]*+[*_`]{0,3}+[\s:]++|\A[\s:]*+[*_]{1,3}+\Z")
"""What is left of the emphasis around a name."""
_SURE: Final = lazy_pattern(r"[\s\"'“*`]{0,8}+([0-9]{0,3}+(?:\.[0-9]{1,20}+)?)\s{0,2}+(%?)(?![\w.])")
_APPROVES: Final = frozenset({"act", "support", "yes"})
"""Outcomes that let something happen: an object that was cut off states none of them."""
_LEAST, _MOST = Fraction(9, 10), Fraction(11, 10)
"""Between what shares of all options add up to, rounded as they are written."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a reply holds: the answer as it is written, how sure, why, and whether an object was cut off behind it."""

    answer: str
    sure: Fraction | None
    reason: str
    cut: bool
    garbled: bool = False
    """Whether a name stands where a value belongs: what follows it may be the value of either."""


_GARBLED: Final = _Found(answer="", sure=None, reason="", cut=False, garbled=True)


def read_answer(text: str, options: tuple[str, ...] = ()) -> Read:
    """The answer of a reply, one of a closed list where there is one, or why none can be read."""
    start, end = public_span(text)
    words = text[start:end]
    found = _members(words)
    if found.garbled:
        return Read(unreadable="no_answer")
    shares = _shares(words, options)
    written = found.answer or ("" if shares else _prose(words, options))
    if not written and shares:
        return _by_shares(shares, found)
    if not written:
        return Read(unreadable=hollow(words) or "no_answer")
    return _cast(written, found, shares, options)


def _cast(written: str, found: _Found, shares: Mapping[str, Fraction], options: tuple[str, ...]) -> Read:
    said = bare_answer(written)
    if abstains(said, options):
        return Read(ballot=Ballot(vote=Choice(said), rationale=found.reason, abstain=True))
    chosen = choose_option(said, options) if options else said
    if chosen is None:
        return Read(unreadable="unknown_option")
    if no_choice(chosen) and not chosen.startswith(
        "["
    ):  # a list is an answer too, where there is nothing to choose from
        return Read(unreadable=no_choice(chosen))
    if found.cut and plain_option(chosen) in _APPROVES:
        return Read(unreadable="cut_short")
    sure = shares.get(chosen, found.sure)
    cautions = ("inconsistent",) if shares and shares[chosen] < max(shares.values()) else ()
    ballot = Ballot(vote=Choice(chosen), confidence=sure, rationale=found.reason, shares=tuple(shares.items()))
    return Read(ballot=ballot, cautions=cautions)


def _by_shares(shares: Mapping[str, Fraction], found: _Found) -> Read:
    """Of shares alone the largest is the answer, if it is the only one."""
    most = max(shares.values())
    first = [option for option, share in shares.items() if share == most]
    if len(first) > 1 or (found.cut and plain_option(first[0]) in _APPROVES):
        return Read(unreadable="no_answer")
    ballot = Ballot(vote=Choice(first[0]), confidence=most, rationale=found.reason, shares=tuple(shares.items()))
    return Read(ballot=ballot)


def _members(words: str) -> _Found:
    """What stands behind names in quotation marks, whether or not the object around them is one."""
    keys = [*_KEY.finditer(words)]
    # One object writes its names with one kind of quotes; what bears another stands in a text, as a quotation.
    keys = [key for key in keys if words[key.start()] == words[keys[0].start()]]
    ends = [*(key.start() for key in keys[1:]), len(words)]
    kinds: dict[str, list[tuple[int, int]]] = {kind: [] for kind in ALIASES}
    for key, end in zip(keys, ends, strict=False):
        if end < len(words) and not words[key.end() : end].strip():
            return _GARBLED
        kinds[_kind(key[1])].append((key.end(), end))
    values = {kind: _last(read_value(words, *place).text for place in _newest(found)) for kind, found in kinds.items()}
    return _Found(
        answer=values["answer"],
        sure=_share(values["confidence"]),
        reason=plain(values["reason"]),
        cut=bool(keys) and words.find("}", read_value(words, keys[-1].end(), len(words)).end) < 0,
    )


def _last(newest: Iterable[str]) -> str:
    """The first of these that says anything."""
    return next(filter(None, newest), "")


def _newest(found: Sequence[T]) -> Sequence[T]:
    """The last few, the last first: what was said before that was taken back."""
    return found[: -_FEW - 1 : -1]


def _kind(name: str) -> str:
    return _KINDS[_APART.sub("", name.lower())]


def _share(written: str) -> Fraction | None:
    """How sure: from 0 to 1, or a percentage."""
    found = _SURE.match(written)
    number = exact(found[1]) if found and found[1] else None
    if found is None or number is None or number > 100:  # noqa: PLR2004 - the scale itself
        return None
    return number / 100 if found[2] or number > 1 else number


def _shares(words: str, options: tuple[str, ...]) -> dict[str, Fraction]:
    """What each option of the list is given, where all are and it adds up; else nothing."""
    given: dict[str, Fraction] = {}
    for place, option in enumerate(options):
        names = {re.escape(option), *((chr(ord("A") + place),) if place < _LETTERS else ())}
        every = re.findall(rf"(?<![\\\w])[\"'](?:{'|'.join(sorted(names))})[\"']\s{{0,8}}+:([^\n,}}]{{0,40}}+)", words)
        share = _share(every[-1]) if every else None
        if share is None:
            return {}
        given[option] = share
    return given if given and _LEAST <= sum(given.values()) <= _MOST else {}


_LETTERS: Final = 26
_FEW: Final = 4


def _prose(words: str, options: tuple[str, ...]) -> str:
    """The answer of a reply without an object: the last line that says so, a box, or all there is."""
    for pattern, read in ((_LINE, _told), (_BOXED, _boxed), (_HASHES, _line)):
        found = _last(read(words, place.end()) for place in _newest([*pattern.finditer(words)]))
        if found:
            return found
    return next(_alone(words, options), "")


def _told(words: str, at: int) -> str:
    return strip_quotes(_line(words, at))


def _boxed(words: str, at: int) -> str:
    return read_value(words, at, len(words)).text[1:-1]


def _line(words: str, at: int) -> str:
    """What stands behind a name, to the end of its line; on the next line if that is where it goes on."""
    line, end, rest = words[at:].partition("\n")
    return _EMPHASIS.sub("", line).strip() or (end + rest)[:_SHORT].lstrip().partition("\n")[0].strip()


def _alone(words: str, options: tuple[str, ...]) -> Iterator[str]:
    """The first line, where it begins with an option of the list; without a list a reply that is one short line."""
    lines = [line.strip() for line in words.strip().splitlines()]
    if not lines or (not options and (len(lines) > 1 or len(lines[0]) > _SHORT)):
        return
    if choose_option(bare_answer(lines[0]), options) is not None:
        yield lines[0]


_SHORT: Final = 60
