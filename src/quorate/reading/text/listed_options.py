"""Options as they are named: by their words, or by their number on a closed list; and what names none."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from quorate.model.once import lazy_pattern
from quorate.model.template_tokens import harmless
from quorate.reading.text.objects import fold_case
from quorate.reading.text.redaction import without_ballots

__all__ = [
    "NO_OPTIONS",
    "abstains",
    "copyable_list",
    "distinct_options",
    "is_numbered",
    "list_of_options",
    "listed_option",
    "no_choice",
    "option_names",
    "plain_option",
    "told_options",
]

_LISTS: Final = 64
"""Lists whose names are kept ready: every option of every ballot is looked up in one of a few."""
_HOLLOW: Final = lazy_pattern(
    r"(?:your|the|an?|my)?\s?(?:own\s)?(?:choice|option|vote|position|answer|decision|pick)"
    r"(?:\s(?:here|text|id|in (?:a )?few words|goes here|of (?:option|choice)))?|[.…_?\-]{1,10}",
    re.IGNORECASE,
)
_WRAPPED: Final = lazy_pattern(r"([\"']|\*{1,3})(?P<inside>(?:(?!\1).)+)\1|(?P<sentence>.*[^.])\.")
_LONGEST: Final = 400
"""Characters of an option that is put to the vote by name."""
NO_OPTIONS: Final = (
    *("abstain", "i abstain", "undecided", "no option", "none", "n/a", "pass", "skip"),
    *("i don't know", "i do not know", "i dont know", "don't know", "do not know"),
)
"""Words that are no options: a seat that writes one chooses nothing, unless the caller named it as an option."""
_ABSTAINS: Final = lazy_pattern(
    rf"({'|'.join(map(re.escape, sorted(NO_OPTIONS, key=len, reverse=True)))})"
    r"(?:[\W_]*+\Z|[.,;:!?…)\]}\"'*_]+(?:\s.*)?\Z|\s?[—–(].*\Z|\s[-/|]\s.*\Z)",
    re.DOTALL,
)
"""The word alone, or punctuation behind it. A hyphen or slash makes another word of it: skip-level, pass/fail."""
_AROUND: Final = lazy_pattern(r"\A(?:<\w{1,8}>|\\\w{1,8}|[\W_]|(?!))++|</\w{1,8}>\s*+\Z")
"""Signs before the word, and the tags or command of a markup: they leave it the same word."""
_UNSEEN: Final = frozenset({"Cf", "Mn"})
_PLAIN: Final = MappingProxyType(dict.fromkeys(map(ord, "\u2018\u2019\u02bc\xb4`"), "'") | {ord("_"): " "})


def no_choice(option: str) -> str:
    """Why a text names no option: there is none, or it was copied from the pattern. Empty when it names one."""
    bracketed = option.startswith(("<", "[")) and option.endswith((">", "]"))
    if not option:
        return "no_option"
    return "placeholder" if bracketed or _HOLLOW.fullmatch(option) else ""


def abstains(option: str, options: tuple[str, ...] = ()) -> bool:
    """Whether an option is one of the words that are none, and the caller did not put it or the word on the list."""
    found = _ABSTAINS.match(_AROUND.sub("", _shown_letters(option)))
    named = _by_plain_name(options)
    return found is not None and found[1] not in named and plain_option(option) not in named


def _shown_letters(option: str) -> str:
    """A text in lower case and plain letters, without the signs that nobody sees and accents."""
    words = unicodedata.normalize("NFKD", " ".join(option.translate(_PLAIN).split()).lower())
    return "".join(sign for sign in words if sign.isascii() or unicodedata.category(sign) not in _UNSEEN)


def listed_option(option: str, options: tuple[str, ...]) -> str | None:
    """The option on the closed list that was named: by its words, else by its number where numbers were asked for."""
    said = plain_option(option)
    named = _by_plain_name(options)
    if said in named or not is_numbered(options):
        return named.get(said)
    for number, listed in enumerate(options, 1):
        if said in {str(number), f"option {number}", f"{number}. {plain_option(listed)}"}:
            return listed
    return None


@lru_cache(maxsize=_LISTS)
def _by_plain_name(options: tuple[str, ...]) -> Mapping[str, str]:
    return MappingProxyType({plain_option(listed): listed for listed in reversed(options)})


def plain_option(option: str) -> str:
    """An option without case, line breaks, a final full stop, and quotation marks or stars around the whole of it.

    Any other sign may tell two options apart: A and A*, 5' and 5", merge and !merge.
    """
    words = fold_case(" ".join(option.split()))
    while found := _WRAPPED.fullmatch(words):
        words = (found["inside"] or found["sentence"]).strip()
    return words


def distinct_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """The same options, of those that differ in nothing but case and signs the first."""
    first = {plain_option(option): option for option in reversed(options)}
    return tuple(dict.fromkeys(first[plain_option(option)] for option in options))


@lru_cache(maxsize=_LISTS)
def is_numbered(options: tuple[str, ...]) -> bool:
    """Whether options can be named by their place: not where one of them could be taken for the place of another."""
    plain = [plain_option(option) for option in options]
    places = {form for at, one in enumerate(plain, 1) for form in (str(at), f"option {at}", f"{at}. {one}")}
    return places.isdisjoint(plain)


def list_of_options(options: tuple[str, ...]) -> str:
    """The list as it is shown to whoever may choose from it, each by its number where numbers can be used."""
    lines = [" ".join(without_ballots(option).split()) for option in options]
    if not is_numbered(options):
        return "\n".join(f"  - {line}" for line in lines)
    return "\n".join(f"  {number}. {line}" for number, line in enumerate(lines, 1))


def copyable_list(options: tuple[str, ...]) -> str:
    """Options on a line each, for seats to copy from; without those that would be shown changed, and whole essays."""
    lines = (" ".join(option.split()) for option in options)
    fit = (line for line in lines if len(line) <= _LONGEST and harmless(without_ballots(line)) == line)
    return "\n".join(f"- {line}" for line in fit)


def option_names(options: tuple[str, ...]) -> list[str]:
    """What may be written for each option of a list: its number where numbers can be used, else its words."""
    return [str(number) for number in range(1, len(options) + 1)] if is_numbered(options) else list(options)


def told_options(options: tuple[str, ...], *, without: str, by_number: str, by_name: str) -> str:
    """What a seat is told that it may write: the list, by number or by name, or what holds without one."""
    if not options:
        return without
    return (by_number if is_numbered(options) else by_name).format(listed=list_of_options(options))
