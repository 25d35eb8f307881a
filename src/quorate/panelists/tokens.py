"""How many characters a token has, for text whose tokens nobody has counted, or not honestly."""

from typing import Final

__all__ = ["AT_MOST", "MOSTLY", "fewest", "longest", "usual"]

AT_MOST: Final = 8
"""Characters over a whole text: no tokenizer packs prose more tightly than this."""
MOSTLY: Final = 4


def fewest(text: str) -> int:
    """The fewest tokens that a text can be, whatever is reported of it."""
    return len(text) // AT_MOST


def usual(text: str) -> int:
    """The tokens that a text mostly is."""
    return len(text) // MOSTLY


def longest(tokens: int) -> int:
    """The characters of the longest text of so many tokens: what is longer was allowed by nobody."""
    return tokens * AT_MOST
