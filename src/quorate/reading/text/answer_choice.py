"""Which option of a closed list an answer names: by its words, its letter, its number, or Yes for True."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.reading.text.listed_options import is_numbered, plain_option

__all__ = ["bare_answer", "choose_option"]

_WRAPPED: Final = lazy_pattern(
    r"\A(?:\${1,2}\s*([^$]*+)\${1,2}|\\\((.*)\\\)|\\(?:boxed|text|textbf|mathrm|mathbf)\s*\{(.*)\}|\*{1,3}([^*]++)\*{1,3}"
    r"|__([^_]++)__|`([^`]++)`)[.\s]*\Z",
    re.DOTALL,
)
_WRAPPINGS: Final = 4
_LETTERED: Final = lazy_pattern(
    r"\A(?:(?:option|choice|answer)\s{1,4}+)?[(\[]?([A-Za-z])(?:[)\].:]++|(?=\s*+(?:[,;–—-]|\Z|because\b|since\b|as\b)))\s*+(.*)\Z",
    re.DOTALL | re.IGNORECASE,
)
_NUMBERED: Final = lazy_pattern(
    r"\A(?:(?:option|choice|answer)\s{1,4}+|#|\()?([0-9]{1,3})(?:[).:]++|\Z)\s*+(.*)\Z", re.DOTALL | re.IGNORECASE
)
_GOES_ON: Final = lazy_pattern(r"\s*+(?:[.,;:!)\]\"'*–—(]|-\s|\Z|\n|because\b|since\b)")
_ALSO: Final = lazy_pattern(r"\s*+(?:or|and|/|&|\||nor)\s*+\W{0,3}", re.IGNORECASE)
_OPPOSITES: Final[Mapping[str, str]] = MappingProxyType({"yes": "true", "no": "false", "true": "yes", "false": "no"})


def bare_answer(written: str) -> str:
    """An answer without the signs around it: dollar signs, a box, emphasis."""
    said = written.strip()
    for _ in range(_WRAPPINGS):
        found = _WRAPPED.match(said)
        if found is None:
            break
        said = next((part for part in found.groups() if part is not None), "").strip()
    return said


def choose_option(said: str, options: tuple[str, ...]) -> str | None:
    """The one option of the list that an answer names; none if it names no option, or two."""
    if not options:
        return said or None
    whole = plain_option(said)
    named = {plain_option(option): option for option in reversed(options)}
    if whole in named:
        return named[whole]
    found = set(_by_place(said, options)) or set(_by_beginning(said, named)) or set(_by_truth(said, named))
    return found.pop() if len(found) == 1 else None


def _by_place(said: str, options: tuple[str, ...]) -> Iterator[str]:
    """By letter or number, where no option is itself one; what follows must not name another option."""
    names = {plain_option(option) for option in options}
    if any(len(name) == 1 and name.isalpha() for name in names):
        yield from _lettered_names(said, options)
        return
    for pattern, place in ((_LETTERED, _place_of_letter), (_NUMBERED, int)):
        found = pattern.match(said)
        if found is None or (place is int and not is_numbered(options)):
            continue
        at = place(found[1])
        if 0 < at <= len(options):
            yield options[at - 1]
            yield from _named_in(found[2], options)


def _lettered_names(said: str, options: tuple[str, ...]) -> Iterator[str]:
    """Options that are letters themselves: what stands behind the letter is what it stands for."""
    found = _LETTERED.match(said)
    if found is None:
        return
    yield from (option for option in options if plain_option(option) == found[1].lower())
    also = _ALSO.match(found[2])
    if also:
        yield from (option for option in options if plain_option(found[2][also.end() :])[:1] == plain_option(option))


def _place_of_letter(letter: str) -> int:
    return ord(letter.upper()) - ord("A") + 1


def _named_in(rest: str, options: tuple[str, ...]) -> Iterator[str]:
    """The options whose words an explanation begins with."""
    yield from _by_beginning(rest, {plain_option(option): option for option in options})


def _by_beginning(said: str, named: Mapping[str, str]) -> Iterator[str]:
    """By the words an answer begins with, where something else follows and no other option."""
    folded = said.strip(" \t\r\n*_\"'`(").lower()
    for name in sorted(named, key=len, reverse=True):
        if name and folded.startswith(name) and _GOES_ON.match(folded, len(name)):
            yield named[name]
            return
        if name and folded.startswith(name) and (also := _ALSO.match(folded, len(name))):
            yield named[name]
            yield from (named[other] for other in named if other != name and folded.startswith(other, also.end()))
            return


def _by_truth(said: str, named: Mapping[str, str]) -> Iterator[str]:
    """Yes for True and No for False, and the other way round, where the list has those two."""
    if not {"yes", "no"} <= named.keys() and not {"true", "false"} <= named.keys():
        return
    word = re.match(r"\W{0,4}+([A-Za-z]{2,5}+)(?!\w)", said)
    other = _OPPOSITES.get(word[1].lower(), "") if word else ""
    if word and other in named and _GOES_ON.match(said, word.end()):
        yield named[other]
