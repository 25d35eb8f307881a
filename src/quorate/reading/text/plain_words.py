"""Tells words that say something from an empty reply, a placeholder and a refusal in plain words."""

import re
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.reading.text.unreadable import Why

_SHORT: Final = 400
"""A refusal in plain words is short; who goes on is arguing."""

_LETTER: Final = lazy_pattern(r"[^\W_]")
_PLAIN_LETTER: Final = lazy_pattern(r"[0-9A-Za-z]")
"""The same in ASCII, found in a quarter of the time."""
_PLACEHOLDER: Final = lazy_pattern(
    r"\[[^\[\]\n]{0,200}+\]|<[^<>\n]{0,200}+>|todo|tbd|n/?a|none|null|undefined|lorem ipsum\b.{0,200}+", re.IGNORECASE
)
_SORRY: Final = (
    r"(?:(?:i(?: am|'m) )?(?:really |very |so )?(?:sorry|afraid)|(?:i )?apologi[sz]e|unfortunately)?"
    r"[\s,.:;\u2013\u2014-]{0,3}+(?:but |that )?(?:as an? ai[\w -]{0,30}+,? ?)?"
)
_CANNOT: Final = (
    r"(?:i (?:can ?not|can't|won't|will not|am (?:not able|unable) to)|i'm (?:not able|unable) to|i (?:must|have to))"
)
_HELP: Final = (
    r" (?:help|assist|comply|answer|respond|participate|engage|discuss|do|provide|fulfil|fulfill|decline|continue)"
)
_WITH_THAT: Final = (
    r"(?: you)?(?: with| in| to)?(?: (?:that|this|it|your|such|these|any of this))?"
    r"(?: (?:request|question|task|topic|matter|discussion|prompt)s?)?(?:[.!,;:]|$| as | because | since )"
)
_REFUSAL: Final = lazy_pattern(
    rf"{_SORRY}{_CANNOT}{_HELP}{_WITH_THAT}"
    r"|(?:es )?tut mir leid,? (?:aber )?(?:ich kann|dabei|das kann ich)|(?:lo siento|perdón),? (?:pero )?no puedo"
    r"|(?:je suis )?désolée?,? (?:mais )?je ne peux pas",
    re.IGNORECASE,
)
_SAID_IN_REFUSALS: Final = (
    *("i can", "i won't", "i will", "i am", "i'm", "i must", "i have"),
    *("tut mir leid", "lo siento"),
)
"""Of these every refusal in plain ASCII has one; to compile the pattern takes longer than to read many replies."""


def hollow(words: str) -> Why | None:
    """Why these words say nothing, none if they say something."""
    said = words.strip()
    if (_PLAIN_LETTER if said.isascii() else _LETTER).search(said) is None:
        return "empty"
    if len(said) > _SHORT:
        return None
    if _PLACEHOLDER.fullmatch(said):
        return "placeholder"
    said = said.replace("’", "'")
    return "refusal" if may_refuse(said) and _REFUSAL.match(said) else None


def may_refuse(said: str) -> bool:
    """Whether a refusal can begin a text at all."""
    lowered = said.lower()
    return not said.isascii() or any(words in lowered for words in _SAID_IN_REFUSALS)
