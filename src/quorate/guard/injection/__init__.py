"""Orders in place of a question: instructions set aside, roles forged, the vote dictated, the prompt asked for."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, compress
from typing import Final

from quorate.frozen import dataclass
from quorate.guard import MATERIAL, QUOTED, Finding, Where, parts
from quorate.guard.injection import phrases
from quorate.guard.injection.folding import fold, turn_around, unmask
from quorate.guard.injection.phrase_pattern import SpacedPhrases, unspaced_phrases
from quorate.guard.injection.wording import (
    COLON,
    COMMA,
    STOP,
    EncodedText,
    has_unspaced,
    learn,
)
from quorate.model import Question
from quorate.model.once import lazy_pattern
from quorate.model.specs import CheckSpec

SignPatterns = tuple[phrases.Sign, SpacedPhrases]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignMatch:
    """A sign that a text shows; blatant is enough alone, a hint is not."""

    does: str
    quote: str
    blatant: bool


def check(question: Question, *, hints: int = 3) -> tuple[Finding, ...]:
    """`hints` is how many different hints together are as good as a blatant sign."""
    return tuple(finding for where, text in parts(question) for finding in check_text(text, where, hints))


def check_text(text: str, where: Where, hints: int) -> Iterator[Finding]:
    folded = fold(text)
    plain, *turned = WORDING.readings(folded)
    hidden = chain(_turned_readings(folded, turned), unmask(text))
    seen = (*signs(folded, SIGNS, plain), *find_forged_marks(folded), *find_hidden_signs(hidden))
    if seen:
        blatant = [one.does for one in seen if one.blatant]
        turn_away = _is_enough(blatant, len(seen) >= hints, where)
        telling = _telling(seen)[:3]
        says = "; ".join(f'it {one.does} ("{one.quote}")' if one.quote else f"it {one.does}" for one in telling)
        yield Finding(check="injection", turn_away=turn_away, reason=says, where=where)


def _telling(seen: Iterable[SignMatch]) -> list[SignMatch]:
    """The plainest signs first, without those that quote a part of what another one quotes: words are told once."""
    telling: list[SignMatch] = []
    for one in sorted(seen, key=lambda sign: not sign.blatant):
        if not one.quote or not any(one.quote in other.quote for other in telling):
            telling.append(one)
    return telling


def _is_enough(blatant: list[str], many: bool, where: Where) -> bool:  # noqa: FBT001  a fact, not a switch
    """A context is often a log, a diff or a prompt to judge: it may quote anything. Options are nobody's document."""
    if where in QUOTED:
        return False
    return set(blatant) >= AIMED_AT_US if where in MATERIAL else bool(blatant) or many


def signs(folded: str, wanted: tuple[SignPatterns, ...], codes: frozenset[str]) -> Iterator[SignMatch]:
    """Every sign that shows, once, as plainly as it shows anywhere; `codes` stand for the words of the text."""
    unspaced = frozenset(folded) if has_unspaced(folded) else frozenset[str]()
    possible = wanted if unspaced else [one for one in wanted if one[1].can_occur(codes)]
    if not possible:  # most texts are done with here
        return
    said = WORDING.hear(folded)
    for sign, spaced in possible:
        places = [place.span() for place in spaced.finditer(said.codes, codes)]
        written = _starts(sign.letters, folded, unspaced) if unspaced else []
        if places or written:
            yield from _sign_match(sign, said, places, plainly=_meant(folded, written))


def _sign_match(
    sign: phrases.Sign, said: EncodedText, places: list[tuple[int, int]], *, plainly: bool
) -> Iterator[SignMatch]:
    """A sign that stands somewhere, if it is blatant or more than spoken about; `plainly` is what its letters say."""
    told = _plain_place(said, places, sign)
    plainly = plainly or told is not None
    if plainly or sign.blatant:
        start, end = told or (*places, (0, 0))[0]
        yield SignMatch(does=sign.does, quote=said.quote(start, end), blatant=sign.blatant and plainly)


def _starts(letters: str, folded: str, characters: frozenset[str]) -> list[int]:
    return [place.start() for place in unspaced_phrases(letters).finditer(folded, characters)]


def _plain_place(said: EncodedText, places: list[tuple[int, int]], sign: phrases.Sign) -> tuple[int, int] | None:
    """The first place where the sign is not only spoken about."""
    return next((place for place in places if not (sign.told and is_reported(said, place[0], sign))), None)


def _meant(folded: str, written: list[int]) -> bool:
    """Whether one of these places is more than asked about."""
    about = unspaced_phrases(phrases.ASKED_ABOUT).compiled
    return any(not about.search(folded, max(0, start - 8), start) for start in written)


def is_reported(said: EncodedText, start: int, sign: phrases.Sign) -> bool:
    """Whether the words are only spoken about, or somebody else is to act on them."""
    sentence = said.codes[max(0, start - 8) : start].rpartition(STOP)[2]
    if any(code in MENTIONED for code in sentence):
        return True
    clause = sentence.rpartition(COLON)[2]
    if any(code in ADDRESSED or code in OTHERS for code in clause):
        return not any(code in ADDRESSED for code in clause)
    subject = clause.rpartition(COMMA)[2]
    return sign.blatant and 0 < len(subject) <= LONGEST_SUBJECT and subject[-1] not in CONNECTED


def find_forged_marks(folded: str) -> Iterator[SignMatch]:
    """Marks by which a model tells its speakers apart, and orders written in one word."""
    if any(map(folded.__contains__, MARKING)):
        marks = TEMPLATE.findall(folded)
        blatant = len(marks) > 1 or bool(FORGED.search(folded))
        if marks or blatant or ROLE.search(folded):
            yield SignMatch(does="imitates the markers of a chat with a model", quote="", blatant=blatant)
    if any(map(folded.__contains__, GLUED_FIRST)) and (glued := GLUED.search(folded)):
        yield SignMatch(does="sets earlier instructions aside", quote=glued[0], blatant=True)


def find_hidden_signs(readings: Iterable[str]) -> Iterator[SignMatch]:
    """Blatant signs that show only when the text is read another way."""
    for reading in readings:
        shown = signs(reading, BLATANT, WORDING.readings(reading)[0])
        if found := next((one for one in shown if one.blatant and one.quote), None):
            yield SignMatch(does=f"hides that it {found.does}", quote=found.quote, blatant=True)
            return


def _turned_readings(folded: str, turned: Iterable[frozenset[str]]) -> Iterator[str]:
    """The text in ROT13 and backwards, if it has words that could be part of a sign so; hardly any has."""
    unspaced = has_unspaced(folded)
    wanted = [unspaced or any(spaced.can_occur(codes) for _, spaced in BLATANT) for codes in turned]
    return compress(turn_around(folded), wanted) if any(wanted) else iter(())


LONGEST_SUBJECT: Final = 3
"""Words before a verb that are its subject (most teenagers ignore), rather than a text an order is slipped into."""

MARKING: Final = "<[:#"
"""What every mark has at least one of."""

TEMPLATE: Final = lazy_pattern(r"<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|</?system>")
ROLE: Final = lazy_pattern(
    r"^[ \t>#*\[(]{0,4}(?:assistant|human)[\])* ]{0,3}:|^#{2,4} ?(?:instruction|system|response)",
    re.MULTILINE,
)
FORGED: Final = lazy_pattern(
    r"<\|(?:im_start|start_header_id)\|> ?(?:system|assistant|user|developer)|<\|(?:system|assistant)\|>|<<sys>>"
    r"|^[ \t>#*\[(]{0,4}(?:system|developer)[\])* ]{0,3}:\W{0,3}"
    r"(?:you|ignore|disregard|override|forget|new|from|always|do not|all|the (?:user|assistant|panel))\b",
    re.MULTILINE,
)
GLUED_FIRST: Final = ("ignore", "disregard", "forget")
"""What every order in one word begins with: most texts have none, and the pattern need not be compiled."""
GLUED: Final = lazy_pattern(
    f"(?:{'|'.join(GLUED_FIRST)})"
    "(?:all|any|the|your|my|of){0,3}(?:previous|prior|above|earlier|preceding)(?:instruction|rule|prompt|order|guideline)"
)

_LISTS: Final = (phrases.MENTIONED, phrases.ADDRESSED, phrases.OTHERS, phrases.CONNECTED)

WORDING: Final = learn((*(sign.phrases for sign in phrases.SIGNS), *_LISTS), phrases.SETS)
MENTIONED, ADDRESSED, OTHERS, CONNECTED = (WORDING.characters(words.strip()) for words in _LISTS)
SIGNS: Final[tuple[SignPatterns, ...]] = tuple((sign, SpacedPhrases(sign.phrases, WORDING)) for sign in phrases.SIGNS)
BLATANT: Final = tuple(one for one in SIGNS if one[0].blatant)
AIMED_AT_US: Final = frozenset({phrases.SIGNS[0].does, phrases.SIGNS[2].does})
"""Both together in an option: nothing but an attempt on this panel's vote reads like that."""


SPEC: Final = CheckSpec(check=check)
