"""Ballots as models write them, ways to spoil them, and an oracle that knows nothing of the reader."""

import json
import random
import re
from collections.abc import Callable, Sequence
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
LEADS = ("", "", "Here is my ballot:", "Sure, as requested:")
"""Words around an answer that say nothing."""
REASONS = ("sound", "It's fine, mostly.", 'He wrote \\"go\\" {twice}.', "one\\ntwo", "näher 備份 😀", "")


@dataclass(frozen=True, slots=True)
class Meant:
    """A reply and the ballot it is meant to hold."""

    text: str
    word: str
    confidence: int
    risk: int


def valid(chance: random.Random, mark: str = MARK, *, alone: bool = False) -> Meant:
    """A reply with one complete ballot, in one of the ways models write it; `alone`: with next to nothing around it."""
    word = chance.choice(WORDS)
    confidence, risk = chance.randint(0, 100), chance.randint(0, 100)
    ballot = chance.choice(WAYS)(word, confidence, risk, chance.choice(REASONS), mark)
    return Meant(surrounded(ballot, chance, alone=alone), word, confidence, risk)


def surrounded(written: str, chance: random.Random, *, alone: bool) -> str:
    """What was asked for, with words around it that say something, or with none that do."""
    before, after = chance.choice(LEADS if alone else PROSE), ("", "\n", "\n\nThat is all.")
    return f"{before}\n\n{written}{chance.choice(after[:2] if alone else after)}"


Way = Callable[[str, int, int, str, str], str]


def marking(mark: str, sign: str = '"') -> str:
    return f"{sign}mark{sign}: {sign}{mark}{sign}, " if mark else ""


def line(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    return (
        f'BALLOT {{{marking(mark)}"decision": "{word}", "confidence": {confidence}, "risk": {risk}, '
        f'"reasoning": "{why}"}}'
    )


def bare(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    return f'{{{marking(mark)}"reasoning": "{why}", "decision": "{word}", "confidence": {confidence}, "risk": {risk}}}'


def spread(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    return (
        f'```json\n{{\n  {marking(mark)}\n  "decision": "{word}",\n  "confidence": {confidence},\n'
        f'  "risk": {risk},\n  "reasoning": "{why}"\n}}\n```'
    )


def mended(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    return (
        f"{{{marking(mark, chr(39))}'choice': '{word.lower()}', 'confidence': '{confidence}%', 'risk': {risk}, "
        f"'reason': '{why}',}}"
    )


def nested(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    return f'{{"ballot": {bare(word, confidence, risk, why, mark)}}}'


def labelled(word: str, confidence: int, risk: int, why: str, mark: str) -> str:
    first = f"**Mark:** {mark}\n" if mark else ""
    return f"{first}**Decision:** {word}\n**Confidence:** {confidence}%\n**Risk:** {risk}%\n**Reasoning:** {why}"


WAYS: tuple[Way, ...] = (line, line, bare, spread, mended, nested, labelled)

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
NAMED = ("think", "thinking", "thought", "reasoning", "seed:think")
THINKING = (
    *((f"<{name}>", f"</{name}>") for name in NAMED),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""How private thinking begins and ends, by the templates of models."""
LOOK_ALIKES = str.maketrans("ACTEacoe01:", "\u0410\u0421\u0422\u0415\u0430\u0441\u043e\u0435\uff10\uff11\uff1a")


def spoiled(text: str, chance: random.Random, mark: str = MARK, *, often: Sequence[int] = (1, 1, 1, 2, 2, 3, 4)) -> str:
    """The same with one to four things done to it; `mark` is on what is spliced in."""
    for _ in range(chance.choice(often)):
        spoil = chance.choice(SPOILS)
        text = splice(text, chance, mark) if spoil is splice else spoil(text, chance)
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


def splice(text: str, chance: random.Random, mark: str = MARK) -> str:
    other = valid(chance, mark).text
    begin, end = _place(other, chance, 120)
    at, _ = _place(text, chance)
    return text[:at] + other[begin:end] + text[at:]


def requote(text: str, chance: random.Random) -> str:
    instead = chance.choice(("'", "“", "\\'", '\\"', "`", ""))
    return text.replace('"', instead, chance.choice((1, 2, 4, -1)))


def disguise(text: str, chance: random.Random) -> str:
    begin, end = _place(text, chance, 4)
    return text[:begin] + text[begin:end].translate(LOOK_ALIKES) + text[end:]


Spoil = Callable[[str, random.Random], str]
SPOILS: tuple[Spoil, ...] = (
    *(flip, delete, insert, truncate, repeat, splice, requote, disguise),
    *(flip, delete, insert, truncate, repeat, splice, requote, disguise),
)

NAME = r"(?:decision|choice|option|outcome)"
KEY = r"(?<![A-Za-z0-9_]){}([\"'\u2018-\u201f]?)[\"'\u2018-\u201f*_\s]{{0,16}}[:=]"
VALUE = r"[\s>*_`\"'\u2018-\u201f\u200b-\u200d\u2060\ufeff]*"
QUOTE = r"([\"'\u2018-\u201f]?)"
DECIDES = re.compile(QUOTE + KEY.format(NAME) + VALUE + r"ACT(?![A-Za-z0-9])", re.IGNORECASE)
DECISION = re.compile(QUOTE + KEY.format(NAME), re.IGNORECASE)
STRING = re.compile(r'([:=]\s*)"(?:[^"\\\n]|\\.)*"(?=\s*[,;}])')
DECORATION = " \t*_#-\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u200b\ufeff"
LISTED = r"^\d{1,2}[.)]"
NUMBERS = tuple(
    re.compile(KEY.format(name) + VALUE + r"\+?([0-9.]+(?:e[+-]?[0-9]+)?)", re.IGNORECASE)
    for name in ("confidence", "risk")
)


TAG = r"<\s{{0,2}}{}\s{{0,2}}(?:" + "|".join(NAMED) + r")\s{{0,2}}>"
BEGINS = re.compile(
    TAG.format("")
    + r"|\[THINK\]|\u25c1think\u25b7|<\|begin_of_thought\|>|<\|START_THINKING\|>"
    + r"|<\|channel>\s{0,4}thought|<\|channel\|>",
    re.IGNORECASE | re.ASCII,
)
ENDS = re.compile(
    TAG.format(r"/")
    + r"|\[/THINK\]|\u25c1/think\u25b7|<\|end_of_thought\|>|<\|END_THINKING\|>|<channel\|>"
    + r"|<\|channel\|>\s{0,4}final\b[^<]{0,64}<\|message\|>",
    re.IGNORECASE | re.ASCII,
)
MAY_END = re.compile(r"/|end_|final|channel\|", re.IGNORECASE)
QUOTES = frozenset("\"'`\u201c\u201d\u2018\u2019")
LABEL = 96
"""How far before a brace a label with the mark may begin."""


def public(text: str) -> str:
    """What is not private thinking, rather too much: a tag in quotes, or one that may have ended, hides nothing."""
    if re.match(r"analysis[A-Z]", text):
        return text.rpartition("assistantfinal")[2] if "assistantfinal" in text else ""
    start = max((tag.end() for tag in ENDS.finditer(text) if not _mention(text, tag)), default=0)
    begun = (tag for tag in BEGINS.finditer(text, start) if not _mention(text, tag))
    end = next((tag.start() for tag in begun if not MAY_END.search(text, tag.end())), len(text))
    return text[start:end]


def _mention(text: str, tag: re.Match[str]) -> bool:
    around = text[max(0, tag.start() - 1) : tag.start()], text[tag.end() : tag.end() + 1]
    return all(sign and sign in QUOTES for sign in around)


def holds_act(text: str, mark: str = "") -> bool:
    """Whether a complete ACT ballot stands in the text as written: by JSON as Python reads it, or by words and a brace.

    With a mark, one that bears it: in its braces or in the label before them, or on a line of its own.
    """
    text = public(text)
    return "ACT" in text.upper() and (_strictly(text, mark) or _closed(text, mark) or _in_lines(text, mark))


NOTHING_SAID = re.compile(
    r"here|s|is|are|this|my|the|your|own|sure|certainly|of|course|ok|okay|ballot|vote|finding|argument|case|assessment|"
    r"judgement|marks|json|again|below|corrected|revised|final|in|as|requested|on|pattern|format"
)
LEADS_IN = re.compile(
    r"(?:(?:ballot|finding|argument|assessment|judgement)\W{0,8}|(?:`{3,8}|~{3,8})\w{0,12}\s{0,4})+\Z",
    re.IGNORECASE,
)
"""The label of an answer, though it be run into the word before it, and the opening of a fence, whatever it says."""
LABELLED = re.compile(
    r"(?:decision|choice|option|outcome|confidence|risk|reasoning|reason|rationale|mark)\W{0,6}[:=]", re.IGNORECASE
)


def _undecorated(line: str) -> str:
    return re.sub(LISTED, "", line.lstrip(DECORATION)).lstrip(DECORATION)


def _borne(text: str, begin: int, end: int, mark: str) -> bool:
    return mark in text[max(0, begin - LABEL) : end].lower()


def _strictly(text: str, mark: str) -> bool:
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=lambda _: None, strict=False)
    for brace in re.finditer("{", text):
        try:
            pairs, end = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if (
            isinstance(pairs, _Pairs)
            and any(_complete(found) for found in (pairs, *pairs.within()))
            and _borne(text, brace.start(), end, mark)
        ):
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


def _closed(text: str, mark: str) -> bool:
    """Three values after one brace and before another, no second decision quoted the same way between them."""
    unquoted = STRING.sub(lambda string: string[1] + " " * (len(string[0]) - len(string[1])), text)
    for found in DECIDES.finditer(text):
        for opened in [brace.start() for brace in re.finditer("{", text[: found.start()])]:
            numbers = [[one.end() for one in number.finditer(text, opened) if _in_range(one[2])] for number in NUMBERS]
            end = text.find("}", max(found.end(), *(min(ends) for ends in numbers))) if all(numbers) else -1
            if end > 0 and _once(text, unquoted, found, opened, end) and _borne(text, opened, text.rfind("}"), mark):
                return True
    return False


def _once(text: str, unquoted: str, found: re.Match[str], opened: int, end: int) -> bool:
    """One such decision, or one that is not within a whole string: what stands in a string is quoted."""
    if DECISION.findall(text, opened, end).count(found.groups()) == 1:
        return True
    own = DECISION.match(unquoted, found.start()) is not None
    return own and DECISION.findall(unquoted, opened, end).count(found.groups()) == 1


def _in_lines(text: str, mark: str) -> bool:
    """Three labelled lines and no object."""
    lines = [_undecorated(line) for line in re.split(r"[\r\n]", text)]
    kinds = (DECISION, *(re.compile(KEY.format(name), re.IGNORECASE) for name in ("confidence", "risk")))
    found = [[line for line in lines if kind.match(line)] for kind in kinds]
    return (
        [len(some) for some in found] == [1, 1, 1]
        and (not mark or any(re.match("mark", line, re.IGNORECASE) and mark in line.lower() for line in lines))
        and DECIDES.match(found[0][0]) is not None
        and all(
            (number := kind.match(some[0])) is not None and _in_range(number[2])
            for kind, some in zip(NUMBERS, found[1:], strict=True)
        )
    )
