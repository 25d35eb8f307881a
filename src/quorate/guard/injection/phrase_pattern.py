"""Phrases to look for in a text, spelled out and compiled when a text could hold one."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from quorate.guard.injection.folding import fold
from quorate.guard.injection.wording import BETWEEN, COLON, GAPS, STOP, Vocabulary
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
        return self.compiled.finditer(text) if self.can_occur(characters) else iter(())

    def can_occur(self, characters: frozenset[str]) -> bool:
        """Whether a text of these characters may hold one of them at all."""
        if self._openings.isdisjoint(characters):
            return False
        needs = self._needs
        rarest = needs.keys() & characters  # most are done with here
        return any(not any(map(characters.isdisjoint, words)) for one in rarest for words in needs[one])

    @worked_out_once
    def _needs(self) -> dict[str, list[list[frozenset[str]]]]:
        """Of each phrase, the characters of which one must occur: for each word that cannot be left out.

        They are found by the characters of the word that few texts have.
        """
        found: dict[str, list[list[frozenset[str]]]] = {}
        for phrase in self._phrases:
            slots = [(slot, one) for slot in phrase if (one := self.needed(slot))]
            words = [frozenset(one) for _, one in slots]
            rarest = max(slots, key=lambda each: _shortest(each[0]))[1] if slots else self._openings
            for character in rarest:
                found.setdefault(character, []).append(words)
        return found

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


class SpacedPhrases(PhrasePattern):
    """Phrases in words, a phrase a line; each word is the character that stands for it."""

    def __init__(self, phrases: str, vocabulary: Vocabulary) -> None:
        """Take phrases in which every word is known."""
        self._vocabulary = vocabulary
        lines = [line.split() for line in phrases.splitlines() if line]
        first = "".join(vocabulary.characters(slot.strip("^?")) for line in lines for slot in _openings(line))
        super().__init__(frozenset(first), lines)

    def needed(self, slot: str) -> str:
        if not _is_needed(slot):
            return ""
        return COLON if slot == ":" else self._vocabulary.characters(slot.strip("^"))

    def piece(self, slot: str) -> str:
        if slot in GAPS:
            return f".{{0,{GAPS[slot]}}}"
        if slot == ":":
            return COLON
        if slot.startswith("!"):
            return f"(?![{self._vocabulary.characters(slot[1:])}])"
        opening = f"(?<=[{STOP}{COLON}])" if slot.startswith("^") else ""
        one = f"[{self._vocabulary.characters(slot.strip('^?'))}]{BETWEEN}"
        return f"{opening}(?:{one})?" if slot.endswith("?") else opening + one


class UnspacedPhrases(PhrasePattern):
    """The same for scripts without spaces: here two dots are up to eight characters, three sixteen."""

    def __init__(self, phrases: str) -> None:
        """Take phrases as they are written."""
        lines = [fold(line).split() for line in phrases.splitlines() if line]
        super().__init__(frozenset(word[0] for line in lines for word in line[0].split("|")), lines)

    def needed(self, slot: str) -> str:
        words = slot.split("|")
        # The end of a text is written as a pattern, and no letter of it needs to occur.
        return "".join(word[0] for word in words) if _is_needed(slot) and all(map(str.isalnum, words)) else ""

    def piece(self, slot: str) -> str:
        if slot in GAPS:
            return f"[^\\n]{{0,{GAPS[slot] * 8 // 3}}}"
        return f"(?:{slot.strip('?')}){'?' if slot.endswith('?') else ''}"


unspaced_phrases: Final = cache(UnspacedPhrases)
"""Made when the first text comes that is written so."""


def _is_needed(slot: str) -> bool:
    """Whether a phrase is not said without one of these words."""
    return slot not in GAPS and not slot.startswith("!") and not slot.endswith("?")


def _shortest(slot: str) -> int:
    """How long its shortest word is: short words stand in every text, long ones in few."""
    return min(len(word.strip("^*")) for word in slot.split("|"))


def _openings(line: list[str]) -> Iterator[str]:
    for slot in line:
        yield slot
        if not slot.endswith("?"):
            return
