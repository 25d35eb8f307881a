"""Phrases to look for in a text, spelled out and compiled when a text could hold one."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

from quorate.model.once import pattern, worked_out_once

NOTHING: Final = r"(?!)"


class PhrasePattern(ABC):
    """Phrases to look for, each a row of slots. They are compiled once a text holds every word of one of them.

    Most never are: to compile all of them takes as long as everything else that a command does before it begins.
    """

    def __init__(self, openings: frozenset[str], phrases: Sequence[Sequence[str]]) -> None:
        """Take the characters with which they begin."""
        self._openings, self._phrases = openings, phrases

    def finditer(self, text: str, characters: frozenset[str]) -> Iterator[re.Match[str]]:
        """Where they stand in a text; whoever looks for many gives the characters of the text, found once."""
        return self.compiled.finditer(text) if self._can_occur(characters) else iter(())

    def _can_occur(self, characters: frozenset[str]) -> bool:
        if self._openings.isdisjoint(characters):  # most are done with here
            return False
        return any(not any(map(characters.isdisjoint, words)) for words in self._needs)

    @worked_out_once
    def _needs(self) -> list[list[frozenset[str]]]:
        """Of each phrase, the characters of which one must occur: for each word that cannot be left out."""
        return [[frozenset(one) for slot in phrase if (one := self.needed(slot))] for phrase in self._phrases]

    @worked_out_once
    def compiled(self) -> re.Pattern[str]:
        """All of them; a glance at the first character spares most attempts."""
        alternatives = "|".join("".join(map(self.piece, phrase)) for phrase in self._phrases)
        source = f"(?=[{''.join(sorted(self._openings))}])(?:{alternatives})" if self._phrases else NOTHING
        return pattern(source, re.DOTALL)

    @abstractmethod
    def needed(self, slot: str) -> str:
        """The characters of which one must occur for this slot; none if it may be left out."""

    @abstractmethod
    def piece(self, slot: str) -> str:
        """The slot as a part of a pattern."""
