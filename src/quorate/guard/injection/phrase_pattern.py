"""Phrases to look for in a text, compiled when a text could hold one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class PhrasePattern:
    """Phrases to look for. They are compiled once a text holds what one of them begins with: most never do.

    To compile all of them takes as long as everything else that a command does before it begins.
    """

    openings: frozenset[str]
    pattern: str

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return iter(()) if self.openings.isdisjoint(text) else _compiled(self.pattern).finditer(text)

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        return _compiled(self.pattern).search(text, start, end)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
