"""Phrases to look for in a text, compiled when a text could hold one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.model.once import pattern


@dataclass(frozen=True, slots=True)
class PhrasePattern:
    """Phrases to look for. They are compiled once a text holds every word of one of them: most never do.

    To compile all of them takes as long as everything else that a command does before it begins.
    """

    openings: frozenset[str]
    """What they begin with."""
    needs: tuple[tuple[frozenset[str], ...], ...]
    """Of each phrase, the characters of which one must occur: for each word that cannot be left out."""
    pattern: str

    def finditer(self, text: str, characters: frozenset[str]) -> Iterator[re.Match[str]]:
        """Where they stand in a text; whoever looks for many gives the characters of the text, found once."""
        return pattern(self.pattern, re.DOTALL).finditer(text) if self._can_occur(characters) else iter(())

    def _can_occur(self, characters: frozenset[str]) -> bool:
        if self.openings.isdisjoint(characters):  # most are done with here
            return False
        return any(not any(map(characters.isdisjoint, words)) for words in self.needs)

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        return pattern(self.pattern, re.DOTALL).search(text, start, end)
