"""Phrases to look for in a text, compiled when a text could hold one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class PhrasePattern:
    """Phrases to look for. They are compiled once a text holds every word of one of them: most never do.

    To compile all of them takes as long as everything else that a command does before it begins.
    """

    needs: tuple[tuple[frozenset[str], ...], ...]
    """Of each phrase, the characters of which one must occur: for each word that cannot be left out."""
    pattern: str

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return _compiled(self.pattern).finditer(text) if self._can_occur(frozenset(text)) else iter(())

    def _can_occur(self, characters: frozenset[str]) -> bool:
        return any(not any(characters.isdisjoint(word) for word in words) for words in self.needs)

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        return _compiled(self.pattern).search(text, start, end)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
