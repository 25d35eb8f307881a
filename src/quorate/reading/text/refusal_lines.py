"""Lines behind a ballot, or of its own reasoning, that take it back: they refuse, or they decide otherwise.

Such a line is looked for in the whole text at once, in lower case. To take the text apart first would cost more than
all the rest, since it may have a million lines.
"""

import re
from collections.abc import Iterator
from typing import Final

from quorate.model.once import pattern
from quorate.reading.text.letter_case import lower_case

__all__ = ["lines_deciding_otherwise", "lines_taking_back"]

_REFUSES: Final = (
    r"\b(?:refus(?:e|es|ed|ing|al)|veto(?:es|ed|ing)?|withdraw|retract|reject(?:s|ed|ing)?|abstain(?:s|ed|ing)?"
    r"|(?:do not|don't|must not|should not|cannot) (?:act|go ahead|proceed|approve)"
    r"|(?:ignore|disregard) (?:the|this|that|my))\b"
)
"""Words behind a ballot that take it back; where it is the last thing said, there are none."""
_REFUSING: Final = (
    *("refus", "veto", "withdraw", "retract", "reject", "abstain", " act", " go ahead", " proceed", " approve"),
    *("ignore ", "disregard "),
)
"""Where none of these stands, nothing refuses."""
_SIGN: Final = r"(?:[^\w\n]|_)"
_DECIDES: Final = (
    rf"^{_SIGN}{{0,8}}(?:(?:(?:my|the|our|own|final|revised|updated|overall|actual){_SIGN}{{1,4}}){{0,3}}"
    rf"(?:decision|choice|outcome|verdict|vote|answer|recommendation){_SIGN}{{0,6}}?(?:[:=]|\bis\b){_SIGN}{{0,8}}"
    rf"(?:refuse|veto|warn|reject|deny|abstain)|(?:refuse|veto|warn){_SIGN}{{0,8}}$)\b"
)
"""A line that decides, and not for ACT."""
_DECIDING: Final = ("refuse", "veto", "warn", "reject", "deny", "abstain")
"""Where none of these stands, nothing decides otherwise."""
_BREAKS: Final = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What else ends a line, as `str.splitlines` has it."""


def lines_taking_back(words: str) -> Iterator[str]:
    """Lines that refuse, and then those that decide otherwise."""
    lowered = lower_case(words)
    if any(word in lowered for word in _REFUSING):
        yield from _lines(words, lowered, _REFUSES)
    yield from _deciding(words, lowered)


def lines_deciding_otherwise(words: str) -> Iterator[str]:
    """Lines that begin by stating a decision, and not for ACT."""
    yield from _deciding(words, lower_case(words))


def _deciding(words: str, lowered: str) -> Iterator[str]:
    if any(word in lowered for word in _DECIDING):
        yield from _lines(words, lowered, _DECIDES)


def _lines(words: str, lowered: str, source: str) -> Iterator[str]:
    for sign in _BREAKS:
        lowered = lowered.replace(sign, "\n")
    at, sought = 0, pattern(source, re.MULTILINE)
    while found := sought.search(lowered, at):
        begin, end = lowered.rfind("\n", at, found.start()) + 1, lowered.find("\n", found.end())
        at = end if end >= 0 else len(lowered)
        yield words[begin:at]
