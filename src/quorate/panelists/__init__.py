"""Does I/O. Whoever answers for a seat: HTTP providers, scripted speeches; later tools, a person, a recording."""

from collections.abc import Callable
from typing import Protocol

from quorate.model import Ask, Reply

__all__ = ["Panelist", "WordListener", "ignore_words"]

WordListener = Callable[[str], None]


def ignore_words(words: str, /) -> None:
    """Let the words go by. A panelist that is asked with this listener need not stream its reply."""


class Panelist(Protocol):
    """Answers an ask with a reply. It never reads ballots: that is `reading`."""

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer; words may be overheard while they are being written.

        Raises:
            PanelistError: no reply can be had, and why.
        """
        ...
