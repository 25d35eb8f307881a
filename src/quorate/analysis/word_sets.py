"""What words a sentence is made of, how many of them another has, and whether the two contradict each other.

Everything here is a count over words: the same two texts give the same answer everywhere, and nobody is asked.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.model.once import lazy_pattern

__all__ = ["Sense", "contradicts", "overlap", "sense", "senses_oppose", "shared_share", "topics"]

ALIKE: Final = Fraction(3, 4)
"""From this share of common words on, two sentences are about the same thing."""
FEWEST: Final = 2
"""With fewer words in common than this, they are not."""

_WORD: Final = lazy_pattern(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?", re.UNICODE)
_IDEOGRAPH: Final = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]")
_SUFFIXES: Final = ("ing", "ed", "es", "s")
_STEM: Final = 4
_YEAR: Final = lazy_pattern(r"(?:19|20)\d\d")
_SHORTENED: Final = "n't"

_FUNCTION_WORDS: Final = """\
a an the this that these those it its he she they we you i our your their his her my me us them and or but so if then \
than as at by for from in into of off on onto out over to up with about is are was were be been being am do does did \
done has have had having will would shall should can could may might must also just only very there here what which \
who whom whose when where why how all any some such own same too each both more most other"""
_NEGATION_WORDS: Final = "not no never cannot without neither nor none nicht kein keine nie pas jamais nunca"
_FUNCTION: Final = frozenset(_FUNCTION_WORDS.split())
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())

_OPPOSITES: Final = (
    ("increase", "decrease"), ("increase", "reduce"), ("safe", "unsafe"), ("approve", "reject"),
    ("support", "oppose"), ("better", "worse"), ("higher", "lower"), ("faster", "slower"),
    ("possible", "impossible"), ("likely", "unlikely"), ("true", "false"), ("enough", "insufficient"),
    ("sufficient", "insufficient"), ("legal", "illegal"), ("reversible", "irreversible"), ("cheaper", "costlier"),
    ("necessary", "unnecessary"), ("reliable", "unreliable"), ("gain", "loss"), ("succeed", "fail"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """What a sentence is about, whether it denies it, and the numbers it names."""

    topics: frozenset[str]
    denies: bool
    numbers: frozenset[str]


def topics(text: str) -> frozenset[str]:
    """The words that say what a text is about: no function words, endings cut, numbers and negations kept."""
    return frozenset(_stem(word) for word in _words(text) if word not in _FUNCTION)


def overlap(text: str, earlier: str) -> Fraction:
    """The share of a text's words that an earlier one has too; a text without words has nothing of its own."""
    return shared_share(topics(text), topics(earlier))


def shared_share(own: frozenset[str], earlier: frozenset[str]) -> Fraction:
    """The share of these words that others have too; where there are none, all."""
    return Fraction(len(own & earlier), len(own)) if own else Fraction(1)


def contradicts(one: str, other: str) -> bool:
    """Whether two sentences about the same thing differ in a negation, an opposite or a number."""
    return senses_oppose(sense(one), sense(other))


def senses_oppose(first: Sense, second: Sense) -> bool:
    """The same of two sentences whose sense is known already: of many, each is taken apart once."""
    common = len(first.topics & second.topics)
    fewer = min(len(first.topics), len(second.topics))
    if common < FEWEST or Fraction(common, fewer) < ALIKE:
        return False
    apart = bool(first.numbers and second.numbers) and first.numbers.isdisjoint(second.numbers)
    return first.denies != second.denies or apart


def sense(text: str) -> Sense:
    """Take a sentence apart."""
    words = tuple(_words(text))
    flips = sum(word in _NEGATIONS or word in _FLIPS for word in words)
    numbers = frozenset(word for word in words if word[0].isdigit())
    about = (_FLIPS.get(word, word) for word in words if word not in _FUNCTION | _NEGATIONS | numbers)
    years = frozenset(word for word in numbers if _YEAR.fullmatch(word))
    return Sense(frozenset(map(_stem, about)) | years, flips % 2 == 1, numbers - years)


def _words(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for match in _WORD.finditer(text.casefold().replace("\u2019", "'")):
        word = match[0]
        if word.endswith(_SHORTENED):
            found += [word.removesuffix(_SHORTENED), "not"]
        elif _IDEOGRAPH.search(word):
            found += list(word)
        else:
            found.append(word.partition("'")[0])
    return tuple(word for word in found if word)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM:
            word = word.removesuffix(suffix)
            break
    return word.removesuffix("e") if len(word) > _STEM else word


def _inflected(one: str, other: str) -> dict[str, str]:
    """The second of two opposites in its usual forms, each leading to the first."""
    forms = (other, f"{other}s", f"{other}d", f"{other}ed", f"{other}ing", f"{other.removesuffix('e')}ing")
    return dict.fromkeys(forms, one)


_FLIPS: Final[Mapping[str, str]] = MappingProxyType(
    {form: one for first, second in reversed(_OPPOSITES) for form, one in _inflected(first, second).items()}
)
