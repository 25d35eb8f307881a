"""An object as JSON wants it is found at once, and found to be what the scanner that mends would have found."""

import json
import random

import pytest

from quorate.reading.text import objects as scanning
from quorate.reading.text.objects import Object, objects
from tests.promises.garbage import MARK, spoiled, valid

NAMES = (
    "mark",
    "decision",
    "Decision",
    "confidence",
    "risk",
    "reasoning",
    "",
    " option ",
    "é",
    "k" * 48,
    "k" * 49,
    "a:b",
    "'",
)
VALUES = (
    *(
        '"ACT"',
        '"a \\"b\\" c"',
        '"\\\\"',
        '"\\\\\\""',
        '"\\u00e9 \\ud800"',
        '"a\nb"',
        '"} {"',
        '", "decision": "REFUSE',
    ),
    *('"', '""', "70", "-1.5e3", "0.8 ", "1e", "007", "70 %", "true", "null", "NaN", "Infinity", "maybe", "'ACT'"),
    *(
        "[1, 2]",
        '["a"]',
        '{"decision": "ACT"}',
        "",
        "\u201cACT\u201d",
        '"ACT" // no',
        "1 /* no */",
        "5,000",
        f'"{MARK}"',
    ),
)
BETWEEN = ("", "", "", " ", "\n", "\t", ">", "\u200b", ",", ";", "// no\n", "#", "\r\n", "\u3000")
SIGNS = "{}[]\",:\\'=;#/* \n>`\u201c\u200ba1é"


def member(chance: random.Random) -> str:
    blank = [chance.choice(BETWEEN) for _ in range(4)]
    sign = chance.choice(":::::=")
    return f'{blank[0]}"{chance.choice(NAMES)}"{blank[1]}{sign}{blank[2]}{chance.choice(VALUES)}{blank[3]}'


def written(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.3:
        return valid(chance, chance.choice((MARK, "")), alone=chance.random() < 0.5).text
    if kind < 0.4:
        return spoiled(valid(chance).text, chance)
    if kind < 0.5:
        stated = {chance.choice(NAMES): chance.choice(("ACT", 'a "b"', 0.5, 70, True, None, "\n\\")) for _ in range(5)}
        return json.dumps(stated, indent=chance.choice((None, 2)), ensure_ascii=chance.random() < 0.5)
    inside = ",".join(member(chance) for _ in range(chance.randint(1, 5)))
    before, after = chance.choice(("", "BALLOT ", "> ", "```json\n")), chance.choice(("}", "}", "}", "", ",}", "}}"))
    return f"{before}{{{inside}{after}"


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((0, 0, 1, 2))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(SIGNS) + text[at + chance.randint(0, 1) :]
    return text


def found(text: str) -> list[Object]:
    middle = len(text) // 2
    return [*objects(text), *objects(text, 0, middle), *objects(text, middle)]


@pytest.mark.parametrize("part", range(8))
def test_what_is_found_at_once_is_what_the_scanner_finds(monkeypatch: pytest.MonkeyPatch, seed: int, part: int) -> None:
    chance = random.Random(f"{seed} {part}")
    texts = [damaged(written(chance), chance) + damaged(written(chance), chance) for _ in range(1_500)]
    at_once = [found(text) for text in texts]
    monkeypatch.setattr(scanning, "_flat", lambda *_: None)

    for text, here in zip(texts, at_once, strict=True):
        assert found(text) == here, f"seed {seed}: {text!r}"


def test_an_object_as_json_wants_it_is_found_without_mending(monkeypatch: pytest.MonkeyPatch) -> None:
    def mended(*_: object) -> bool:
        raise AssertionError("it was read as if it needed mending")

    members = {"": "", "k" * 48: 'a "b" c', "c": "\\", "d": -1.5e3, "e": 70, "f": True, "g": None, "h": "x {}"}
    texts = [json.dumps(dict([one])) for one in members.items()]
    texts += [json.dumps(members, indent=2), json.dumps(members), f'a {json.dumps(members)} {{"b": 1}}']
    expected = [[[name for name, _ in one.members] for one in objects(text)] for text in texts]
    monkeypatch.setattr("quorate.reading.text.objects._Scanner._member", mended)

    assert [[[name for name, _ in one.members] for one in objects(text)] for text in texts] == expected
    assert expected[-1] == [[*members], ["b"]]


def test_too_many_are_too_many_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        one * times for one in ('{"a": 1} ', '{"a": 1, "b": "c"}') for times in (1_600, 2_499, 2_500, 2_501, 5_001)
    ]
    at_once = [list(objects(text)) for text in texts]
    monkeypatch.setattr(scanning, "_flat", lambda *_: None)

    assert [list(objects(text)) for text in texts] == at_once
    assert {here[-1].state for here in at_once} == {"closed", "overfull"}
