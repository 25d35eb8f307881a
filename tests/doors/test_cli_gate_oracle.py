"""What a gate may name when an oracle answers: YES and NO, an option, or why not a number."""

import asyncio
import json
from asyncio import StreamWriter
from pathlib import Path

import pytest

from tests import servers
from tests.doors.conftest import Quorate, Told

MONTHS = ("--set", "answers=options", "--option", "May", "--option", "June")


def finding(outcome: str) -> servers.Act:
    """The same finding from every researcher, under the mark that the prompt gives."""

    async def act(writer: StreamWriter, seen: servers.Seen) -> bool:
        schema = seen.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        mark = schema.get("properties", {}).get("mark", {}).get("const", "")
        said = {"mark": mark, "outcome": outcome, "confidence": 0.9, "sources": [], "reasoning": "It is said."}
        return await servers.said(json.dumps(said))(writer, seen)

    return act


def asked(quorate: Quorate, outcome: str, *words: str) -> tuple[Told, int]:
    async def ask() -> tuple[Told, int]:
        async with servers.Endpoint(otherwise=finding(outcome)) as endpoint:
            model = f"openai:m@{endpoint.url}"
            told = await asyncio.to_thread(quorate, "ask", "Which?", "--panel", "oracle", "--model", model, *words)
            return told, len(endpoint.seen)

    return asyncio.run(ask())


@pytest.mark.parametrize(("gate", "code"), [("May", 0), ("may", 0), ("June", 20), ("UNDETERMINED", 20)])
def test_an_option_is_named_as_it_was_given(quorate: Quorate, gate: str, code: int) -> None:
    told, _ = asked(quorate, "May", *MONTHS, "--set", "min_verified=0", "--gate", gate)

    assert told.code == code
    assert quorate("resume", "last", "--gate", gate).code == code


@pytest.mark.parametrize(
    ("words", "gate", "said"),
    [
        (MONTHS, "July", "there are May, June, UNDETERMINED, INVALID"),
        (MONTHS, "", "--gate May or --gate June"),
        (("--set", "answers=number"), "42", "compare verdict.outcome of --json; there are UNDETERMINED, INVALID"),
        (("--set", "answers=probability"), "0.7", "the side of 0.5"),
        ((), "May", "there are YES, UNDETERMINED, NO, INVALID"),
    ],
)
def test_what_cannot_be_named_is_refused_before_anybody_is_asked(
    quorate: Quorate, words: tuple[str, ...], gate: str, said: str
) -> None:
    told, calls = asked(quorate, "May", *words, *(("--gate", gate) if gate else ("--gate",)))

    assert (told.code, calls) == (1, 0)
    assert said in told.err


@pytest.mark.parametrize(("gate", "code"), [("may", 0), ("July", 20)])
def test_of_options_handed_over_any_may_be_named(quorate: Quorate, home: Path, gate: str, code: int) -> None:
    seats = [{"name": name, "model": "openai:m"} for name in "ABC"]
    panel = {"protocol": "oracle", "settings": {"answers": "options", "min_verified": "0"}, "seats": seats}
    (home / "panel.yaml").write_text(json.dumps(panel), encoding="utf-8")
    ballots = json.dumps([{"seat": name, "outcome": "May", "confidence": 0.9} for name in "ABC"])

    told = quorate("decide", "-", "--panel", str(home / "panel.yaml"), "--gate", gate, stdin=ballots)

    assert told.code == code, told.err
