"""Ballots as models write them, ways to spoil them, and an oracle that knows nothing of the reader."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

MARK = "a1b2c3d4e5f6"
WORDS = ("ACT", "ACT", "WARN", "REFUSE", "REFUSE", "VETO")
"""A third of them ACT."""

PROSE = (
    "I weighed both sides.",
    "Backups exist, but nobody has tried to restore them.",
    'They are "sure"; I\'m not {yet}.\n- cost: low\n- time: short',
    "Die Frage ist nicht trivial – 備份 – ça va.",
    "",
)
REASONS = ("sound", "It's fine, mostly.", 'He wrote \\"go\\" {twice}.', "one\\ntwo", "näher 備份 😀", "")


@dataclass(frozen=True, slots=True)
class Meant:
    """A reply and the ballot it is meant to hold."""

    text: str
    word: str
    confidence: int
    risk: int


def valid(chance: random.Random) -> Meant:
    """A reply with one complete ballot, in one of the ways models write it."""
    word = chance.choice(WORDS)
    confidence, risk = chance.randint(0, 100), chance.randint(0, 100)
    ballot = chance.choice(WAYS)(word, confidence, risk, chance.choice(REASONS))
    before, after = chance.choice(PROSE), chance.choice(("", "\n", "\n\nThat is all."))
    return Meant(f"{before}\n\n{ballot}{after}", word, confidence, risk)


Way = Callable[[str, int, int, str], str]


def line(word: str, confidence: int, risk: int, why: str) -> str:
    return (
        f'BALLOT {{"mark": "{MARK}", "decision": "{word}", "confidence": {confidence}, "risk": {risk}, '
        f'"reasoning": "{why}"}}'
    )


def unmarked(word: str, confidence: int, risk: int, why: str) -> str:
    return f'{{"reasoning": "{why}", "decision": "{word}", "confidence": {confidence}, "risk": {risk}}}'


def spread(word: str, confidence: int, risk: int, why: str) -> str:
    return (
        f'```json\n{{\n  "mark": "{MARK}",\n  "decision": "{word}",\n  "confidence": {confidence},\n'
        f'  "risk": {risk},\n  "reasoning": "{why}"\n}}\n```'
    )


def mended(word: str, confidence: int, risk: int, why: str) -> str:
    return f"{{'choice': '{word.lower()}', 'confidence': '{confidence}%', 'risk': {risk}, 'reason': '{why}',}}"


def nested(word: str, confidence: int, risk: int, why: str) -> str:
    return f'{{"ballot": {unmarked(word, confidence, risk, why)}}}'


def labelled(word: str, confidence: int, risk: int, why: str) -> str:
    return f"**Decision:** {word}\n**Confidence:** {confidence}%\n**Risk:** {risk}%\n**Reasoning:** {why}"


WAYS: tuple[Way, ...] = (line, line, unmarked, spread, mended, nested, labelled)

TOKENS = (
    *"{}[]\":,\\'`>\n 019%-.=;/#",
    "“",
    "”",
    "ACT",
    "WARN",
    '"decision": "ACT"',
    "\u200b",
    "\x00",
    "\ud800",
    "```",
)
LOOK_ALIKES = str.maketrans("ACTEacoe01:", "\u0410\u0421\u0422\u0415\u0430\u0441\u043e\u0435\uff10\uff11\uff1a")


def spoiled(text: str, chance: random.Random) -> str:
    """The same with one to four things done to it."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        text = chance.choice(SPOILS)(text, chance)
    return text


def _place(text: str, chance: random.Random, most: int = 12) -> tuple[int, int]:
    begin = chance.randrange(len(text) + 1)
    return begin, min(len(text), begin + chance.randint(1, most))


def flip(text: str, chance: random.Random) -> str:
    at, _ = _place(text, chance)
    return text[:at] + "".join(chr(ord(sign) ^ 1 << chance.randrange(7)) for sign in text[at : at + 1]) + text[at + 1 :]


def delete(text: str, chance: random.Random) -> str:
    begin, end = _place(text, chance)
    return text[:begin] + text[end:]


def insert(text: str, chance: random.Random) -> str:
    at, _ = _place(text, chance)
    token: str = chance.choice(TOKENS)
    return text[:at] + token + text[at:]


def truncate(text: str, chance: random.Random) -> str:
    return text[: _place(text, chance)[0]]


def repeat(text: str, chance: random.Random) -> str:
    begin, end = _place(text, chance, 90)
    return text[:end] + text[begin:]


def splice(text: str, chance: random.Random) -> str:
    other = valid(chance).text
    begin, end = _place(other, chance, 120)
    at, _ = _place(text, chance)
    return text[:at] + other[begin:end] + text[at:]


def requote(text: str, chance: random.Random) -> str:
    instead = chance.choice(("'", "“", "\\'", '\\"', "`", ""))
    return text.replace('"', instead, chance.choice((1, 2, 4, -1)))


def disguise(text: str, chance: random.Random) -> str:
    begin, end = _place(text, chance, 4)
    return text[:begin] + text[begin:end].translate(LOOK_ALIKES) + text[end:]


SPOILS = (flip, delete, insert, truncate, repeat, splice, requote, disguise)

NAME = r"(?:decision|choice|option|outcome)"
KEY = r"(?<![A-Za-z0-9_]){}([\"'\u2018-\u201f]?)[\"'\u2018-\u201f*_\s]{{0,4}}[:=]"
VALUE = r"[\s>*_`\"'\u2018-\u201f\u200b-\u200d\u2060\ufeff]*"
QUOTE = r"([\"'\u2018-\u201f]?)"
DECIDES = re.compile(QUOTE + KEY.format(NAME) + VALUE + r"ACT(?![A-Za-z0-9])", re.IGNORECASE)
DECISION = re.compile(QUOTE + KEY.format(NAME), re.IGNORECASE)
DECORATION = " \t*_#-\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u200b\ufeff"
LISTED = r"^\d{1,2}[.)]"
NUMBERS = tuple(
    re.compile(KEY.format(name) + VALUE + r"\+?([0-9.]+(?:e[+-]?[0-9]+)?)", re.IGNORECASE)
    for name in ("confidence", "risk")
)


def holds_act(text: str) -> bool:
    """Whether a complete ACT ballot stands in the text as written: by strict JSON, or by its words and a brace."""
    text = text.rpartition("</think>")[2]
    return "ACT" in text.upper() and (_strictly(text) or _closed(text) or _in_lines(text))


def _strictly(text: str) -> bool:
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=lambda _: None)
    for brace in re.finditer("{", text):
        try:
            pairs, _ = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(pairs, _Pairs) and any(_complete(found) for found in (pairs, *pairs.within())):
            return True
    return False


class _Pairs(list[tuple[str, object]]):
    def within(self) -> list["_Pairs"]:
        return [value for _, value in self if isinstance(value, _Pairs)]


def _complete(pairs: _Pairs) -> bool:
    named = [(name.strip().lower(), value) for name, value in pairs]
    stated = [value for name, value in named if re.fullmatch(NAME, name)]
    numbers = [[value for name, value in named if name == wanted] for wanted in ("confidence", "risk")]
    return [str(value).strip().upper() for value in stated] == ["ACT"] and all(
        len(values) == 1 and _in_range(str(values[0]).strip().rstrip("%").strip()) for values in numbers
    )


def _in_range(digits: str) -> bool:
    try:
        return 0 <= Fraction(digits) <= 100
    except (ValueError, ZeroDivisionError):
        return False


def _closed(text: str) -> bool:
    """Three values after one brace and before another, no second decision quoted the same way between them."""
    for found in DECIDES.finditer(text):
        start = text.rfind("{", 0, found.start())
        for opened in {start, text.rfind("{", 0, max(start, 0))} - {-1}:
            numbers = [[one.end() for one in number.finditer(text, opened) if _in_range(one[2])] for number in NUMBERS]
            end = text.find("}", max(found.end(), *(min(ends) for ends in numbers))) if all(numbers) else -1
            if end > 0 and DECISION.findall(text, opened, end).count(found.groups()) == 1:
                return True
    return False


def _in_lines(text: str) -> bool:
    """Three labelled lines and no object."""
    lines = [re.sub(LISTED, "", line.lstrip(DECORATION)).lstrip(DECORATION) for line in re.split(r"[\r\n]", text)]
    kinds = (DECISION, *(re.compile(KEY.format(name), re.IGNORECASE) for name in ("confidence", "risk")))
    found = [[line for line in lines if kind.match(line)] for kind in kinds]
    return (
        [len(some) for some in found] == [1, 1, 1]
        and DECIDES.match(found[0][0]) is not None
        and all(
            (number := kind.match(some[0])) is not None and _in_range(number[2])
            for kind, some in zip(NUMBERS, found[1:], strict=True)
        )
    )
