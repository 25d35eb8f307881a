"""What models call the two sides of a debate, and whether a text beside a case takes the other one."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.reading.text.conflict import Answer, folded_words

__all__ = ["SIDE_WORDS", "answer_of_side"]

_FOR: Final[tuple[str, ...]] = ("for", "pro", "support", "supports", "proponent", "yes")
_AGAINST: Final[tuple[str, ...]] = ("against", "con", "oppose", "opposes", "opponent", "no")
SIDE_WORDS: Final[Mapping[str, str]] = MappingProxyType[str, str](
    {**dict.fromkeys(_FOR, "for"), **dict.fromkeys(_AGAINST, "against")}
)


def answer_of_side(side: str) -> Answer:
    """What contradicts a case for a side: a text that takes the other."""
    other = {"for": "against", "against": "for"}.get(side, "")
    return Answer(differs=lambda text, _: SIDE_WORDS.get(folded_words(text), "") == other != "")
