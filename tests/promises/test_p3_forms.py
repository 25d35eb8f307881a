"""P3 for debates and oracles: garbage never becomes a case, a finding or a mark, and nobody's but the seat's own."""

import os
import random
import time
from collections import Counter

import pytest

from quorate.model.ballot import Read
from quorate.reading import assessment
from tests.promises.forms import CLAIMS, PEER, READERS, Stated, numbers_of, read, stands, stated
from tests.promises.garbage import MARK, public, spoiled

pytestmark = pytest.mark.promise

PAYLOADS = int(os.environ.get("QUORATE_FORM_PAYLOADS", "4_000"))
FINISHES = ("stop", "stop", "stop", "other")
FORMS = tuple(READERS)


@pytest.fixture
def chance(seed: int) -> random.Random:
    """Replays with QUORATE_SEED, or with the seed of the whole run."""
    chosen = os.environ.get("QUORATE_SEED", str(seed))
    print(f"QUORATE_SEED={chosen}")  # noqa: T201  shown when the test fails
    return random.Random(chosen)


SHOWN = "Shall we delete staging? Answer as asked, with your own values."


def as_meant(found: Read, meant: Stated) -> bool:
    if numbers_of(found) != meant.numbers:
        return False
    if found.argument is not None:
        return (found.argument.side, found.argument.claims) == ("con", meant.claims)
    return not meant.choice or (found.ballot is not None and found.ballot.choice == meant.choice)


@pytest.mark.parametrize("form", FORMS)
def test_unspoiled_replies_all_read_as_meant(form: str, chance: random.Random) -> None:
    for _ in range(PAYLOADS // 30):
        marked, unmarked, alone = stated(form, chance), stated(form, chance, ""), stated(form, chance, "", alone=True)

        assert as_meant(read(form, marked.text), marked), marked
        assert as_meant(read(form, unmarked.text, mark=""), unmarked), unmarked
        assert read(form, unmarked.text).unreadable == read(form, alone.text).unreadable == "unmarked", unmarked
        found = read(form, alone.text, last=True, shown=SHOWN)
        assert as_meant(found, alone), alone
        assert "unmarked" in found.cautions, alone
        assert read(form, alone.text, last=True, shown=SHOWN + alone.text).unreadable == "quoted", alone


@pytest.mark.parametrize("form", FORMS)
def test_garbage_never_becomes_what_was_asked_for(form: str, chance: random.Random) -> None:
    kept = Counter[str]()
    for way in (with_the_mark, without_one, at_last):
        for _ in range(PAYLOADS // 3):
            finish = chance.choice(FINISHES)
            found, text = way(form, chance, finish)
            assert something(found) != bool(found.unreadable), text
            kept[way.__name__] += something(found)
            if something(found):
                assert stands(form, found, text), (text, found)
    print(f"{PAYLOADS} spoiled replies of the form {form}, could be read: {kept}")  # noqa: T201  shown with -s
    assert kept.total() >= PAYLOADS / 5
    assert min(kept.values()) >= PAYLOADS / 3 / 10


def something(found: Read) -> bool:
    return found.ballot is not None or found.argument is not None


def whole(form: str, text: str, finish: str, **asked: object) -> Read:
    """What is read in a text; in the same that was cut short, nothing."""
    found = read(form, text, finish, **asked)
    assert not something(found) or not something(read(form, text, "length", **asked)), text
    return found


def with_the_mark(form: str, chance: random.Random, finish: str) -> tuple[Read, str]:
    text = spoiled(stated(form, chance).text, chance)
    found = whole(form, text, finish)
    assert not something(found) or MARK in public(text).lower(), text
    return found, text


def without_one(form: str, chance: random.Random, finish: str) -> tuple[Read, str]:
    text = spoiled(stated(form, chance, "").text, chance, "")
    assert not something(read(form, text, finish)), text
    return whole(form, text, finish, mark=""), text


def at_last(form: str, chance: random.Random, finish: str) -> tuple[Read, str]:
    """Spoiled less often, as all of it is the answer; one in ten says something besides, which cannot count."""
    text = spoiled(stated(form, chance, "", alone=chance.random() < 0.9).text, chance, "", often=(1, 1, 1, 2))
    assert not something(read(form, text, finish)), text
    found = whole(form, text, finish, last=True, shown=SHOWN)
    if something(found):
        assert "unmarked" in found.cautions, text
        assert not something(read(form, text, finish, last=True, shown=f"{SHOWN}\n{text}")), text
    return found, text


@pytest.mark.parametrize("form", FORMS)
def test_another_seats_object_never_counts_wherever_it_is_quoted(form: str, chance: random.Random) -> None:
    kept = 0
    for _ in range(PAYLOADS // 4):
        own = stated(form, chance)
        peers = iter(lambda: stated(form, chance, chance.choice((PEER, PEER, ""))), None)
        peer = next(one for one in peers if not set(one.numbers) & set(own.numbers))
        at = chance.choice((0, len(own.text), chance.randrange(len(own.text) + 1)))
        quoted = chance.choice((peer.text, "\n> ".join(peer.text.splitlines()), peer.text.replace('"', '\\"')))
        found = read(form, f"{own.text[:at]}{quoted}{own.text[at:]}")

        assert numbers_of(found) in {(), own.numbers}, (at, own, peer, found)
        if found.ballot is not None and own.choice:
            assert found.ballot.choice in {own.choice, assessment.BALANCED}, (at, own, peer, found)
        kept += bool(numbers_of(found))
    assert kept >= PAYLOADS / 10


@pytest.mark.parametrize("form", FORMS)
def test_what_is_quoted_within_the_own_object_is_no_other_object(form: str, chance: random.Random) -> None:
    for _ in range(PAYLOADS // 20):
        own, peer = stated(form, chance), stated(form, chance, "")
        begin, object_ = peer.text.find("{"), own.text.rfind("}")
        inner = peer.text[begin : peer.text.rfind("}") + 1]
        if own.text.count("}") != 1 or set(own.numbers) & set(peer.numbers):
            continue
        found = read(form, f'{own.text[:object_]}, "quoted": {inner}{own.text[object_:]}'.replace(",,", ","))

        assert numbers_of(found) in {(), own.numbers}, (own, peer, found)


OBJECTS = {
    "argument": '{"claims": ["a b", "c"], "evidence": ["d"], "confidence": 0.5}',
    "assessment": '{"agreed": ["a"], "open": ["b"], "leaning": "for", "confidence": 0.5}',
    "judgement": '{"a_evidence": 0.5, "a_logic": 0.5, "b_evidence": 0.5, "b_logic": 0.5}',
    "finding": '{"outcome": "YES", "confidence": 0.5, "evidence": [{"url": "https://a.example", "quote": "b"}]}',
    "quantity": '{"outcome": "5", "confidence": 0.5, "evidence": [{"url": "a.example"}]}',
    "probability": '{"outcome": "0.5", "confidence": 0.5}',
    "ranking": '{"ranking": ["Kafka", ["Redis"]], "confidence": 0.5}',
    "approval": '{"approved": ["Kafka", "Redis"], "confidence": 0.5}',
    "estimate": '{"value": 12, "low": 10, "high": 15, "confidence": 0.5}',
}
SHAPES = (
    *("{", '"', "[", "[[", "{[", "\n", "<", "“", "```", "> ", "\\", "\ud800", MARK, "ARGUMENT ", "FINDING {"),
    *(
        '{"claims":[',
        '{"claims":["',
        '{"claims":["a",',
        '{"claims":[{',
        '{"claims":[{"claim":"a"},',
        '{"x":{"claims":1},',
    ),
    *('{"evidence":[{"url":"a"},', '{"outcome":"YES",', '{"confidence":', '{"outcome":[', '{"open":["', "{claims:[a "),
    *('{"ranking":[', '{"ranking":[[', '{"ranking":["a",["b"],', '{"ranking":{"1":'),
    *("object", "object\n> ", '"object"', '{"a":object,', "object<think>"),
)


def cost(form: str, text: str) -> float:
    begin = time.process_time()
    read(form, text)
    return time.process_time() - begin


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", FORMS)
def test_twice_the_text_takes_about_twice_the_time(form: str, shape: str) -> None:
    size = 1 << 19
    part = shape.replace("object", OBJECTS[form])
    whole = (part * (size // len(part) + 1))[:size]
    half = whole[: size // 2]
    fair = 0
    for _ in range(30):
        # A busy machine is not a slow reader, so the two are measured side by side: what slows one slows the other.
        once, both, again = cost(form, half), cost(form, whole), cost(form, half)
        fair += both < max(2.5 * (once + again) / 2, 0.02)
        if fair == 2:
            break

    assert fair == 2


def test_the_oracle_itself_tells_what_stands_there_from_what_does_not() -> None:
    case = f'{{"claims": ["{CLAIMS[0]}"], "confidence": 0.5}}'
    found = read("argument", case, mark="")

    assert stands("argument", found, case)
    for text in (case[:-1], case.replace("money", "time"), case.replace("0.5", "0.6"), case.replace("confid", "x")):
        assert not stands("argument", found, text), text
