"""Model text in lower case: a pattern looks through it in a third of the time that it takes without regard to case."""

from functools import lru_cache
from typing import Final

__all__ = ["lower_case", "page_in_lower_case"]

_READ_AT_ONCE: Final = 1


def lower_case(text: str) -> str:
    """The text sign for sign, each letter as a pattern with `re.IGNORECASE` takes it: three are like i and s to it."""
    if not text.isascii():
        text = text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")
    return text.lower()


@lru_cache(maxsize=_READ_AT_ONCE)
def page_in_lower_case(text: str) -> str:
    """The same of a whole reply, in which several passages are followed up."""
    return lower_case(text)
