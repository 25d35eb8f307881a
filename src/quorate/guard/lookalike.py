"""Letters that look like others: words that mix alphabets, options that look the same, letters in costume."""

from typing import Final
from unicodedata import normalize

from quorate.guard import LATIN_LOOKALIKES, MATERIAL, Finding, Where, parts
from quorate.model import Question
from quorate.model.once import lazy_pattern, pattern
from quorate.model.specs import CheckSpec


def check(question: Question) -> tuple[Finding, ...]:
    found = [finding for where, text in parts(question) for finding in check_text(text, where)]
    if twins(question.options):
        reason = "two options look the same and are written with different characters"
        found.append(Finding(check="lookalike", turn_away=True, reason=reason, where="option"))
    return tuple(found)


def check_text(text: str, where: Where) -> tuple[Finding, ...]:
    if text.isascii():
        return ()
    found: list[Finding] = []
    words = set(WORD.findall(text))
    if mixed := sum(map(is_disguised, words)):
        at_home = any(len(word) >= SHORTEST and OTHER.fullmatch(word) for word in words)
        reason = f"{mixed} word{'s mix' if mixed > 1 else ' mixes'} Latin letters with letters that only look like them"
        turn_away = not at_home and where not in MATERIAL
        found.append(Finding(check="lookalike", turn_away=turn_away, reason=reason, where=where))
    if COSTUME.search(text) or (WIDE.search(text) and not pattern(EAST_ASIAN).search(text)):
        reason = "words are written with symbols that look like letters"
        found.append(Finding(check="lookalike", turn_away=False, reason=reason, where=where))
    return tuple(found)


def is_disguised(word: str) -> bool:
    """Whether a word of two alphabets reads as a Latin one; short ones are formulas and units."""
    both = LATIN.search(word) and OTHER.search(word)
    return bool(both) and len(word) > SHORTEST and word.translate(LATIN_LOOKALIKES).isascii()


def plain(text: str) -> str:
    """The Latin letters that a reader sees."""
    return "".join(normalize("NFKC", char) for char in text.translate(LATIN_LOOKALIKES))


def twins(options: tuple[str, ...]) -> bool:
    return len({plain(option) for option in options}) < len(set(options))


SHORTEST = 3
"""Letters of a word: two are a sign or a unit."""

LATIN = lazy_pattern("[A-Za-z]+")
OTHER = lazy_pattern("[\u0370-\u052f]+")
WORD = lazy_pattern("[A-Za-z\u0370-\u052f]+")

COSTUME = lazy_pattern("[\U0001d400-\U0001d7cb\u24b6-\u24e9\U0001f130-\U0001f189]{3,}")
"""Mathematical, circled, squared: one stands in a formula or a list, three in a row are a word."""

WIDE = lazy_pattern("[\uff21-\uff3a\uff41-\uff5a]{2,}")
EAST_ASIAN = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""Where full-width letters are at home."""


SPEC: Final = CheckSpec(check=check)
