"""Your keys stay out of everything we write: records, spools, output, errors, arguments and children's environments.

A server that speaks every wire format gives back the key it was sent, wherever an answer has room for words.
"""

import asyncio
import json
import os
import random
import re
import string
import sys
from asyncio.subprocess import PIPE
from base64 import b64encode
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from quorate.ledger import export as records
from quorate.ledger import open_ledger
from quorate.panelists.registry import PROVIDERS
from tests import servers
from tests.doors.test_cli_live import on_a_screen
from tests.panelists.fakes import NOTING, tool
from tests.panelists.formats import FORMATS, Format
from tests.panelists.test_command_line import ANSWERS
from tests.servers import Act, Seen, event, http, sends

pytestmark = [pytest.mark.promise, pytest.mark.timeout(400)]

SHAPES = {
    "OPENAI_API_KEY": "sk-proj-{}",
    "ANTHROPIC_API_KEY": "sk-ant-api03-{}",
    "OPENROUTER_API_KEY": "sk-or-v1-{}",
    "DEEPSEEK_API_KEY": "sk-{}",
    "GROQ_API_KEY": "gsk_{}",
    "XAI_API_KEY": "xai-{}",
    "GEMINI_API_KEY": "AIzaSy{}",
    "MISTRAL_API_KEY": "{}",
    "TOGETHER_API_KEY": "tgp_v1_{}",
    "NEBIUS_API_KEY": "eyJhbGciOiJIUzI1NiJ9.{}.x",
    "OLLAMA_API_KEY": "{}.ollama",
    "LLAMA_API_KEY": "llama:{}",
    "LMSTUDIO_API_KEY": "lm/{}==",
    "VLLM_API_KEY": "token-{}",
    "HTTPS_PROXY": "http://user:{}@127.0.0.1:9",
}
"""Twelve formats of keys and more; a proxy's password is one too."""

HEADS = ("authorization", "x-api-key", "x-goog-api-key")
MANNERS = ("401", "400", "404", "413", "429", "500", "model", "aloud", "html", "nonsense", "redirect")
STREAMED = ("model", "broken", "aloud")
"""Of these the words are streamed, because somebody watches on a terminal."""
_MODEL = re.compile(rb'("model(?:Version)?": )"[^"]*"')


def canaries(chance: random.Random) -> dict[str, str]:
    letters = string.ascii_letters + string.digits
    return {name: shape.format("".join(chance.choices(letters, k=40))) for name, shape in SHAPES.items()}


def said_aloud(key: str) -> str:
    """A key as a model might give it back: whole, in pieces, in capitals, and written in other ways."""
    half = len(key) // 2
    forms = {
        "whole": key,
        "in pieces": " ".join(key[at : at + 4] for at in range(0, len(key), 4)),
        "in lines": "\n".join(key[at : at + 7] for at in range(0, len(key), 7)),
        "with hyphens": "-".join(key),
        "with nothing that shows": "\u200b".join(key),
        "in capitals": key.upper(),
        "in base64": b64encode(key.encode()).decode(),
        "in base64 with its scheme": b64encode(f"Bearer {key}".encode()).decode(),
        "as in an address": quote(key, safe=""),
        "as in any address": "".join(f"%{octet:02X}" for octet in key.encode()),
        "in hexadecimal": key.encode().hex(),
        "by halves": f"{key[:half]}, and then {key[half:]}",
    }
    return "\n".join(f"The key {manner} is: {written}; so much for that." for manner, written in forms.items())


def traces(key: str) -> set[bytes]:
    """What no sink may hold among its letters and digits, without their case: the middle of every form."""
    octets = key.encode()
    written = (octets, octets.hex().encode(), *(b64encode(bytes(before) + octets) for before in range(3)))
    plain = (compact(form) for form in written)
    return {form[len(form) // 2 - 8 : len(form) // 2 + 8] for form in plain}


def compact(content: bytes) -> bytes:
    return re.sub(rb"[^0-9A-Za-z]+", b"", content).lower()


def is_streamed(seen: Seen) -> bool:
    return bool(seen.body.get("stream")) or "alt=sse" in seen.path


def echo(manner: str, seen: Seen) -> Act:
    """Answer so, with the key that came in the request's head in every sentence."""
    key = next(seen.headers[name] for name in HEADS if name in seen.headers)
    bare = key.removeprefix("Bearer ")
    form = next(
        one for one in FORMATS.values() if seen.path.partition("?")[0].endswith(one.path.rpartition("/")[2][-9:])
    )
    if is_streamed(seen):
        return streamed(manner, form, key, bare)
    if manner == "model":
        return form.says("I say nothing.", model=bare, modelVersion=bare)
    if manner == "aloud":
        return form.says(said_aloud(bare))
    bodies = {
        "html": http(f"<h1>{key}</h1>".encode(), 200, kind="text/html"),
        "nonsense": http(json.dumps({"error": {"message": f"you sent {bare}", "code": bare}}).encode()),
        "redirect": http(b"", 302, f"Location: http://127.0.0.1:9/?key={bare}"),
    }
    if manner in bodies:
        return sends(bodies[manner], "keep")
    return form.fails(int(manner), f"Bad key {bare} (you sent '{key}'), {bare[:20]}...", "Retry-After: 0")


def streamed(manner: str, form: Format, key: str, bare: str) -> Act:
    """The key as the name of the model in every piece of a stream, or in an error that breaks it off."""
    if manner == "aloud":
        aloud = said_aloud(bare)
        return form.streamed(*form.events([aloud[at : at + 5] for at in range(0, len(aloud), 5)]))
    pieces = [_MODEL.sub(rb'\1"' + bare.encode() + b'"', piece) for piece in form.events(["I", " say", " nothing."])]
    if manner == "model":
        return form.streamed(*pieces)
    return form.streamed(*pieces[:2], event({"type": "error", **form.trouble(500, f"you sent {key}, {bare}")}))


async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
    named = seen.body.get("model") or seen.path.rpartition("/")[2].partition(":")[0]
    return await echo(str(named), seen)(writer, seen)


def panel(folder: Path, manner: str, url: str) -> Path:
    """One seat a provider, all of which meet the same; two tools and pydantic-ai's own test model sit beside them."""
    seats = [f"  - {{name: {name}, model: '{name}:{manner}@{url}'}}" for name in PROVIDERS]
    seats += [f"  - {{name: {name} tool, model: 'cli:{name}'}}" for name in ("claude", "codex")]
    seats += ["  - {name: pydantic, model: 'pydantic:test'}"]
    path = folder / f"{manner}.yaml"
    path.write_text("\n".join(("protocol: tribunal", "patience: 20s", "seats:", *seats, "")), encoding="utf-8")
    return path


async def watched(env: dict[str, str], *words: str) -> bytes:
    """Everything that the command draws on a terminal."""
    return (await asyncio.to_thread(on_a_screen, *words, env=env))[1].encode()


async def ran(env: dict[str, str], *words: str) -> bytes:
    """Everything that the command writes."""
    command = (sys.executable, "-c", "from quorate.doors.cli import main; main()", *words)
    running = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=env)
    return b"\n".join(await running.communicate())


def cmdlines() -> bytes:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found.append((entry / "cmdline").read_bytes())
            except OSError:
                continue
    return b"".join(found)


def written(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def prepared(folder: Path, keys: dict[str, str]) -> dict[str, str]:
    """An environment that holds every key, with a home and two tools of its own."""
    home, tools = folder / "home", folder / "tools"
    home.mkdir()
    for name in ("claude", "codex"):
        tool(tools, name, NOTING + ("sys.exit('no')" if name == "codex" else ANSWERS[name]))
    return {**keys, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(home)}


def calls(env: dict[str, str], folder: Path, url: str) -> Iterator[Coroutine[Any, Any, bytes]]:
    """Every manner as a document, some of them watched, and the settings."""
    allowed = ("--trust", *(f"--allow-key={name}@127.0.0.1" for name in PROVIDERS))
    for manner in MANNERS:
        yield ran(env, "ask", "Shall we?", "--panel", str(panel(folder, manner, url)), "--json", *allowed)
    for manner in STREAMED:
        yield watched(env, "ask", "Shall we?", "--panel", str(panel(folder, manner, url)), *allowed)
    yield ran(env, "config")


async def test_no_key_is_in_anything_that_is_written(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    keys = canaries(random.Random(request.config.getoption("randomly_seed")))
    env = prepared(tmp_path, keys)
    arguments = []
    async with servers.Endpoint(otherwise=act) as endpoint:
        running = [asyncio.create_task(one) for one in calls(env, tmp_path, endpoint.url)]
        while not all(task.done() for task in running):
            arguments.append(await asyncio.to_thread(cmdlines))
            await asyncio.sleep(0.2)
        shown = [task.result() for task in running]

    sent = {seen.headers[name] for seen in endpoint.seen for name in HEADS if name in seen.headers}
    streamed = {name for seen in endpoint.seen if is_streamed(seen) for name in HEADS if name in seen.headers}
    files = written(tmp_path)
    assert len(sent) == 14, "the keys never reached the server, so nothing was tested"
    assert any(path.endswith("ledger.db") for path in files)
    assert any(b"QUORATE_ASK" in content for path, content in files.items() if path.endswith("notes.jsonl"))
    assert all(b'"outcome"' in one for one in shown[: len(MANNERS)]), b"\n".join(shown)[-2000:]
    assert all(b"R E F U S E" in one for one in shown[len(MANNERS) : -1]), b"\n".join(shown)[-2000:]
    assert streamed == set(HEADS), "some format was never streamed"
    left = await exported(next(path for path in files if path.endswith("ledger.db")))
    assert b"[key removed]" in left
    assert b"[key removed]" in b"".join(shown)
    sinks = {**files, "shown": b"".join(shown), "arguments": b"".join(arguments), "exported": left}
    assert hits(keys, sinks) == []


async def exported(where: str) -> bytes:
    """Every record of a ledger as it leaves."""
    ledger = open_ledger(where)
    ids = [summary.id async for summary in ledger.list()]
    lines = [line for id_ in ids for line in await records.export(ledger, id_)]
    await ledger.close()
    return b"".join(lines)


def hits(keys: dict[str, str], sinks: dict[str, bytes]) -> list[tuple[str, str]]:
    """Where a key, or enough of one, stands."""
    plain = {sink: compact(content) for sink, content in sinks.items()}
    return [
        (name, sink)
        for name, key in keys.items()
        for sink, content in plain.items()
        if any(trace in content for trace in traces(key))
    ]
