"""A real LangGraph program, killed between its steps and gone on with: what is on record is not bought again."""

import asyncio
import json
import re
import signal
import sys
from pathlib import Path

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_SINGLE_ARG

from quorate.ledger import open_ledger
from quorate.ledger.export import verify
from quorate.model import Asked, Event, Origin, Reviewed, Spoken
from tests.servers import Act, Endpoint, Seen, said

ROUND = ["proponent", "opponent", "moderator"]
REVIEW = {"outcome": "OPPOSE", "by": "Ann", "because": "nobody has tried the backup"}
ENV = {"PATH": "/usr/bin:/bin", "LANGGRAPH_STRICT_MSGPACK": "true"}


def answered(seen: Seen) -> str:
    """Both sides argue equally well, so that nothing is decided and a person is asked."""
    prompt = str(seen.body["messages"][0]["content"])
    mark = re.findall(r'"mark": "([0-9a-f]+)"', prompt)[-1]
    if "You moderate" in prompt:
        return f"So far.\n\nASSESSMENT {json.dumps({'mark': mark, 'leaning': 'balanced', 'confidence': 0.5})}"
    claims = ["Nobody has opened it since spring, and 12 % of the budget goes there."]
    return f"Well.\n\nARGUMENT {json.dumps({'mark': mark, 'claims': claims, 'evidence': ['a log'], 'confidence': 0.7})}"


def provider() -> Endpoint:
    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        return await said(answered(seen))(writer, seen)

    acts: Act = act
    return Endpoint(otherwise=acts, latency=0.05)


async def lived(folder: Path, words: list[str], *, until: str = "") -> list[str]:
    """What one life of the program printed; it is killed when it has printed a certain node."""
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.doors.graph_program", str(folder), *words,
        stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2], env={**ENV, "HOME": str(folder)},
    )  # fmt: skip
    assert program.stdout is not None
    printed: list[str] = []
    async for line in program.stdout:
        printed.append(line.decode().strip())
        if printed[-1] == until:
            program.send_signal(signal.SIGKILL)
            break
    assert await program.wait() == (-signal.SIGKILL if until else 0)
    return printed


async def recorded(folder: Path) -> list[Event]:
    ledger = open_ledger(folder / "ledger.db")
    try:
        async with ledger.own(await ledger.find("last")) as book:
            return [entry.event for entry in book.entries]
    finally:
        await ledger.close()


def prompts(seen: list[Seen]) -> set[str]:
    return {str(one.body["messages"][0]["content"]) for one in seen}


def answered_asks(events: list[Event]) -> set[str]:
    """The prompts whose replies are on record."""
    heard = {event.key for event in events if isinstance(event, Spoken)}
    return {event.prompt for event in events if isinstance(event, Asked) and event.key in heard}


@pytest.mark.promise
@pytest.mark.parametrize(
    ("durability", "ends"),
    [
        ("async", ["opponent", "moderator", "opponent"]),
        # Nothing is in the checkpointer until the end, so every life begins anew, and the record is all there is.
        ("exit", ["proponent", "moderator"]),
    ],
)
async def test_killed_between_steps_it_goes_on_and_buys_nothing_twice(
    tmp_path: Path, durability: str, ends: list[str]
) -> None:
    async with provider() as endpoint:
        words = [endpoint.url, durability]
        for until in ends:
            before, had = len(endpoint.seen), await recorded(tmp_path) if endpoint.seen else []
            await lived(tmp_path, words, until=until)
            assert not answered_asks(had) & {
                str(seen.body["messages"][0]["content"]) for seen in endpoint.seen[before:]
            }
        before, had = len(endpoint.seen), await recorded(tmp_path)
        printed = await lived(tmp_path, words)
        assert not answered_asks(had) & prompts(endpoint.seen[before:])
        assert printed[-3:] == ["conclude", "__interrupt__", "null"]
        calls = len(endpoint.seen)
        printed = await lived(tmp_path, [*words, json.dumps(REVIEW)])

    assert printed == ["person", "debate", "act", '"OPPOSE, says Ann"']
    assert len(endpoint.seen) == calls <= 6 + len(ends)
    await check_record(tmp_path)


async def check_record(folder: Path) -> None:
    events = await recorded(folder)
    spoken = [event.key for event in events if isinstance(event, Spoken)]
    ledger = open_ledger(folder / "ledger.db")

    assert len(spoken) == len(set(spoken)) == 6
    assert [event for event in events if isinstance(event, Reviewed)] == [
        Reviewed(**REVIEW, origin=Origin(interface="langgraph"))
    ]
    assert len([one async for one in ledger.list()]) == 1
    await verify(ledger, "last")


@pytest.mark.promise
async def test_undisturbed_its_nodes_are_streamed_in_order(tmp_path: Path) -> None:
    async with provider() as endpoint:
        printed = await lived(tmp_path, [endpoint.url, "sync"])

    assert printed == ["prepare", "convene", *ROUND, *ROUND, "conclude", "__interrupt__", "null"]
    assert len(endpoint.seen) == 6


@pytest.mark.promise
async def test_a_checkpoint_that_names_a_class_imports_and_calls_nothing(tmp_path: Path) -> None:
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\nclass Trap: ...\n")
    named = ormsgpack.packb(("trap", "Trap", "x"))
    (tmp_path / "stored").write_bytes(ormsgpack.packb(ormsgpack.Ext(EXT_CONSTRUCTOR_SINGLE_ARG, named)))
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, '.')\n"
        "from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer\n"
        "JsonPlusSerializer().loads_typed(('msgpack', Path('stored').read_bytes()))"
    )
    for strict, sprung in (("true", False), ("false", True)):
        ran = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-c", program, cwd=tmp_path,
            env={**ENV, "LANGGRAPH_STRICT_MSGPACK": strict}, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        assert await ran.wait() == 0
        assert (tmp_path / "sprung").exists() is sprung
