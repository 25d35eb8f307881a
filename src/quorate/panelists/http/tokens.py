"""How many characters a token has, for text whose tokens nobody has counted, or not honestly."""

from typing import Final

__all__ = ["fewest", "largest", "longest", "usual"]

AT_MOST: Final = 8
"""Characters over a whole text: no tokenizer packs prose more tightly than this."""
MOSTLY: Final = 4
RUNAWAY: Final = 16
"""How many times too long a reply that comes at once may be before no more of it is read: there may be thoughts beside
the words, and every character escaped."""
ENVELOPE: Final = 16_384
"""Tokens that such a reply may have however few were allowed: for what is wrapped around the words."""


def fewest(text: str) -> int:
    """The fewest tokens that a text can be, whatever is reported of it."""
    return len(text) // AT_MOST


def usual(text: str) -> int:
    """The tokens that a text mostly is."""
    return len(text) // MOSTLY


def longest(tokens: int) -> int:
    """The characters of the longest text of so many tokens: what is longer was allowed by nobody."""
    return tokens * AT_MOST


def largest(tokens: int) -> int:
    """The bytes of a reply that comes at once, beyond which no more of it is read."""
    return MOSTLY * (RUNAWAY * tokens + ENVELOPE)
