"""What words mean to each other, from WordNet: the same, opposed, a kind of one thing. Read once, when first asked."""

import gzip
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import Final

from quorate.frozen import dataclass

__all__ = ["FORMS", "Lexicon", "is_loaded", "lexicon"]

FORMS: Final = 20_000
"""How many words' meanings are kept at hand; somebody else's text may hold any number."""

_FIRST: Final = 4
"""Rarer senses than these make nearly everything a synonym of nearly everything."""

_NOUN: Final = (("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("ies", "y"), ("s", ""))
_VERB: Final = (("ies", "y"), ("es", "e"), ("es", ""), ("s", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))
_ADJECTIVE: Final = (("ier", "y"), ("iest", "y"), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"))
_ENDINGS: Final = (("n", _NOUN), ("v", _VERB), ("a", _ADJECTIVE))
_COMPARED: Final = {"fewer": "few", "lesser": "less"}
_DOUBLING: Final = frozenset({"ed", "ing", "er", "est"})
_SHORTEST: Final = 2

Senses = frozenset[int]
_NONE: Final[Senses] = frozenset()


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A word as the lexicon has it: parts of speech, how often it was seen, its senses, and those of related words."""

    parts: str
    count: int
    senses: tuple[int, ...]
    related: Senses


@dataclass(frozen=True, slots=True)
class Meaning:
    """All that a word may mean, whatever its form."""

    lemmas: tuple[str, ...]
    first: Senses
    senses: Senses
    related: Senses
    kinds: Senses
    """What its first senses are kinds of, or similar to."""
    poles: Senses
    """Its senses, and what they are kinds of or similar to: where opposites are looked for."""
    opposites: Senses


def _bases(word: str, ending: str, instead: str) -> set[str]:
    """What a word may be without an ending, its last letter single again if the ending doubles it."""
    stem = word.removesuffix(ending)
    if stem == word or len(stem) < _SHORTEST:
        return set()
    return {stem + instead, stem[:-1] if ending in _DOUBLING and stem[-1] == stem[-2] else ""}


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words by name, and for each sense what it is a kind of, similar to and opposed to."""

    words: dict[str, str]
    senses: list[str]
    forms: dict[str, str]
    meanings: dict[str, Meaning] = field(default_factory=dict)

    def knows(self, word: str) -> bool:
        return bool(self.meaning(word).senses)

    def count(self, word: str) -> int:
        """How often the word was seen in the texts that WordNet was tried on."""
        return max((self.entry(lemma).count for lemma in self.meaning(word).lemmas), default=0)

    def same(self, one: str, other: str) -> bool:
        """Whether two words can be put for each other: forms of one word, synonyms, or one derived from the other."""
        a, b = self.meaning(one), self.meaning(other)
        if a.lemmas[0] == b.lemmas[0] or not a.first.isdisjoint(b.first):
            return True
        return not (a.related.isdisjoint(b.first) and b.related.isdisjoint(a.first))

    def akin(self, one: str, other: str) -> bool:
        """Whether two words are the same, or one is a kind of the other, or similar to it."""
        a, b = self.meaning(one), self.meaning(other)
        return self.same(one, other) or not (a.kinds.isdisjoint(b.senses) and b.kinds.isdisjoint(a.senses))

    def siblings(self, one: str, other: str) -> bool:
        """Whether two words are kinds of one thing: Monday and Friday, red and blue."""
        return not self.meaning(one).kinds.isdisjoint(self.meaning(other).kinds)

    def opposed(self, one: str, other: str) -> bool:
        a, b = self.meaning(one), self.meaning(other)
        return not a.opposites.isdisjoint(b.poles) or not b.opposites.isdisjoint(a.poles)

    def entry(self, lemma: str) -> LexiconEntry:
        parts, count, senses, related = self.words.get(lemma, "\t\t\t").split("\t")
        return LexiconEntry(
            parts, int(count or 0), tuple(map(int, senses.split())), frozenset(map(int, related.split()))
        )

    def meaning(self, word: str) -> Meaning:
        """What a word may mean; kept at hand."""
        known = self.meanings.get(word)
        if known is None:
            if len(self.meanings) >= FORMS:
                self.meanings.clear()
            known = self.meanings[word] = self._meaning(word)
        return known

    def lemmas(self, word: str) -> tuple[str, ...]:
        """The words this may be a form of, the plainest first; the word itself if it is none."""
        found = {lemma for lemma in self._candidates(word) if lemma in self.words}
        seen = {lemma for lemma in found if lemma == word or self.entry(lemma).count}
        return tuple(sorted(seen or found, key=lambda lemma: (len(lemma), lemma))) or (word,)

    def _candidates(self, word: str) -> Iterator[str]:
        yield from (word, self.forms.get(word, word), _COMPARED.get(word, word))
        if word.endswith("ss"):
            return
        compared = word not in self.words or not {"a", "r"}.isdisjoint(self.entry(word).parts)
        for part, rules in _ENDINGS if compared else _ENDINGS[:2]:  # a number is not more numb
            bases = (base for ending, instead in rules for base in _bases(word, ending, instead))
            yield from (base for base in bases if part in self.entry(base).parts)

    def _meaning(self, word: str) -> Meaning:
        lemmas = self.lemmas(word)
        entries = [self.entry(lemma) for lemma in lemmas]
        first = frozenset(sense for entry in entries for sense in entry.senses[:_FIRST])
        senses = frozenset(sense for entry in entries for sense in entry.senses)
        related = frozenset[int]().union(*(entry.related for entry in entries))
        kinds = self._along(first, 0) | self._along(first, 1)
        near = first | frozenset(sense for sense in related)
        poles = senses | near | kinds
        return Meaning(lemmas, first, senses, related, kinds, poles, self._along(poles, 2))

    def _along(self, senses: Senses, column: int) -> Senses:
        return frozenset(int(other) for sense in senses for other in self.senses[sense].split("\t")[column].split())


def is_loaded() -> bool:
    """Whether the lexicon has been read; that takes a tenth of a second."""
    return lexicon.cache_info().currsize > 0


@cache
def lexicon() -> Lexicon:
    """The lexicon that ships; an unreadable one knows no word, and then every substitution is refused."""
    packed = files("quorate.similarity").joinpath("lexicon.gz").read_bytes()
    words, senses, forms = gzip.decompress(packed).decode().split("\n\n")
    return Lexicon(
        words=dict(_pair(line) for line in words.split("\n")),
        senses=senses.split("\n"),
        forms=dict(_pair(line) for line in forms.strip().split("\n")),
    )


def _pair(line: str) -> tuple[str, str]:
    word, _, rest = line.partition("\t")
    return word, rest
