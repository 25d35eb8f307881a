"""P3: garbage never becomes ACT. A reader that is always silent would fail here too."""

import os
import random
import time
from fractions import Fraction

import pytest

from quorate.model.ballot import Finish, Read
from quorate.reading import decision, speech
from tests.promises.garbage import MARK, holds_act, spoiled, valid

PAYLOADS = int(os.environ.get("QUORATE_PAYLOADS", "100_000"))
LONG = 10_000_000
FINISHES: tuple[Finish, ...] = ("stop", "stop", "stop", "other", "length")


@pytest.fixture
def chance(seed: int) -> random.Random:
    """Replays with QUORATE_SEED, or with the seed of the whole run."""
    chosen = os.environ.get("QUORATE_SEED", str(seed))
    print(f"QUORATE_SEED={chosen}")  # noqa: T201  shown when the test fails
    return random.Random(chosen)


def read(text: str, finish: Finish = "stop") -> Read:
    return decision.read(text, mark=MARK, finish=finish)


@pytest.mark.promise
def test_unspoiled_ballots_all_read_as_meant(chance: random.Random) -> None:
    for _ in range(min(PAYLOADS, 100_000) // 10):
        meant = valid(chance)

        ballot = read(meant.text).ballot

        assert ballot is not None, meant
        assert ("VETO" if ballot.veto else ballot.choice) == meant.word, meant
        assert ballot.confidence == Fraction(meant.confidence, 100), meant
        assert ballot.risk == Fraction(meant.risk, 100), meant


def fuzz(chance: random.Random, payloads: int) -> None:
    ballots = acts = 0
    for _ in range(payloads):
        text, finish = spoiled(valid(chance).text, chance), chance.choice(FINISHES)
        found = read(text, finish)
        assert (found.ballot is None) == bool(found.unreadable), text
        ballots += found.ballot is not None
        if found.ballot is not None and found.ballot.choice == "ACT":
            acts += 1
            assert finish != "length", text
            assert holds_act(text), text
    print(f"{payloads} spoiled replies: {ballots} ballots, {acts} of them ACT")  # noqa: T201  shown with -s
    assert ballots >= payloads / 5
    assert acts >= payloads / 50


@pytest.mark.promise
def test_garbage_never_becomes_act(chance: random.Random) -> None:
    fuzz(chance, PAYLOADS)


@pytest.mark.long
def test_garbage_never_becomes_act_in_the_long_run(chance: random.Random) -> None:
    fuzz(chance, LONG)


def test_the_oracle_itself_tells_act_from_garbage() -> None:
    ballot = '{"decision": "ACT", "confidence": 80, "risk": 20}'

    assert holds_act(ballot)
    assert holds_act(ballot.replace('"', "'"))
    assert holds_act("Decision: ACT\nConfidence: 80\nRisk: 20")
    for text in (ballot[:-1], ballot.replace("ACT", "ACTS"), ballot.replace("80", "800"), ballot.replace("risk", "r")):
        assert not holds_act(text), text


BALLOT = f'BALLOT {{"mark": "{MARK}", "decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "so"}}\n'
SHAPES = (
    *("{", "}", '"', "'", "\\", "[", ">", "`", "\n", " ", "-", "“", "\u200b", "é{", "\ud800"),
    *('{"a":', '{"a":"', '{"a":1,', '{"a":1}', '{"a":[', '{"a":"\\', '{"a":",“', "{'a':'x',", '{"a":"b" ', "{“", "{//"),
    *("VOTE:{", "{/*", "/*", "{#{\n", "{a:1 ", "**BALLOT ", "<think>", "</think>", "```\n{", '> {"decision":1}', MARK),
    *(
        "I cannot ",
        "Decision: ACT\n",
        "risk:1\nconfidence:1\n",
        '{"decision":"ACT","decision":',
        BALLOT,
        '{"a":"' + BALLOT,
    ),
)


def cost(form: object, text: str) -> float:
    begin = time.process_time()
    (speech if form == "speech" else decision).read(text, mark=MARK)
    return time.process_time() - begin


@pytest.mark.promise
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", ["decision", "speech"])
def test_twice_the_text_takes_about_twice_the_time(form: str, shape: str) -> None:
    mebibyte = 1 << 20
    whole = (shape * (mebibyte // len(shape) + 1))[:mebibyte]
    half = whole[: mebibyte // 2]
    fair, twice = 0, 1.0
    for _ in range(30):
        # A busy machine is not a slow reader, so the two are measured side by side: what slows one slows the other.
        once, both, again = cost(form, half), cost(form, whole), cost(form, half)
        twice = min(twice, both)
        fair += both < max(2.5 * (once + again) / 2, 0.02)
        if fair == 2:
            break

    assert fair == 2
    assert twice < 0.5
