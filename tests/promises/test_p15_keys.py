"""Your keys stay out of everything we write: records, spools, output, errors, arguments and children's environments.

A server that speaks every wire format gives back the key it was sent, wherever an answer has room for words.
"""

import asyncio
import json
import os
import random
import string
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from quorate.panelists.models import PROVIDERS
from tests import servers
from tests.panelists.fakes import NOTING, tool
from tests.panelists.formats import FORMATS
from tests.panelists.test_cli import ANSWERS
from tests.servers import Act, Seen, http, sends

pytestmark = [pytest.mark.promise, pytest.mark.timeout(180)]

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

MANNERS = ("401", "400", "404", "413", "429", "500", "model", "html", "nonsense", "redirect")


def canaries(chance: random.Random) -> dict[str, str]:
    letters = string.ascii_letters + string.digits
    return {name: shape.format("".join(chance.choices(letters, k=40))) for name, shape in SHAPES.items()}


def echo(manner: str, seen: Seen) -> Act:
    """Answer so, with the key that came in the request's head in every sentence."""
    key = next(seen.headers[name] for name in ("authorization", "x-api-key", "x-goog-api-key") if name in seen.headers)
    bare = key.removeprefix("Bearer ")
    form = next(
        one for one in FORMATS.values() if seen.path.partition("?")[0].endswith(one.path.rpartition("/")[2][-9:])
    )
    if manner == "model":
        return form.says("I say nothing.", model=bare, modelVersion=bare)
    bodies = {
        "html": http(f"<h1>{key}</h1>".encode(), 200, kind="text/html"),
        "nonsense": http(json.dumps({"error": {"message": f"you sent {bare}", "code": bare}}).encode()),
        "redirect": http(b"", 302, f"Location: http://127.0.0.1:9/?key={bare}"),
    }
    if manner in bodies:
        return sends(bodies[manner], "keep")
    return form.fails(int(manner), f"Bad key {bare} (you sent '{key}'), {bare[:20]}...", "Retry-After: 0")


async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
    named = seen.body.get("model") or seen.path.rpartition("/")[2].partition(":")[0]
    return await echo(str(named), seen)(writer, seen)


def panel(folder: Path, manner: str, url: str) -> Path:
    """One seat a provider, all of which meet the same; two tools and pydantic-ai sit beside them."""
    seats = [f"  - {{name: {name}, model: '{name}:{manner}@{url}'}}" for name in PROVIDERS]
    seats += [f"  - {{name: {name} tool, model: 'cli:{name}'}}" for name in ("claude", "codex")]
    path = folder / f"{manner}.yaml"
    path.write_text("\n".join(("protocol: tribunal", "patience: 20s", "seats:", *seats, "")), encoding="utf-8")
    return path


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


async def test_no_key_is_in_anything_that_is_written(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    keys = canaries(random.Random(request.config.getoption("randomly_seed")))
    home, tools, panels = tmp_path / "home", tmp_path / "tools", tmp_path / "panels"
    home.mkdir()
    panels.mkdir()
    for name in ("claude", "codex"):
        tool(tools, name, NOTING + ("sys.exit('no')" if name == "codex" else ANSWERS[name]))
    env = {**keys, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(home)}
    arguments = []
    async with servers.Endpoint(otherwise=act) as endpoint:
        asked = [
            ran(env, "ask", "Shall we?", "--panel", str(panel(panels, manner, endpoint.url)), "--json")
            for manner in MANNERS
        ]
        running = [asyncio.create_task(one) for one in (*asked, ran(env, "config"))]
        while not all(task.done() for task in running):
            arguments.append(await asyncio.to_thread(cmdlines))
            await asyncio.sleep(0.2)
        shown = [task.result() for task in running]

    heads = ("authorization", "x-api-key", "x-goog-api-key")
    sent = {seen.headers[name] for seen in endpoint.seen for name in heads if name in seen.headers}
    files = written(tmp_path)
    assert len(sent) == 14, "the keys never reached the server, so nothing was tested"
    assert any(path.endswith("ledger.db") for path in files)
    assert any(b"QUORATE_ASK" in content for path, content in files.items() if path.endswith("notes.jsonl"))
    assert all(b'"outcome"' in one for one in shown[:-1]), b"\n".join(shown)[-2000:]
    sinks = {**files, "shown": b"".join(shown), "arguments": b"".join(arguments)}
    hits = [
        (name, sink)
        for name, key in keys.items()
        for sink, content in sinks.items()
        if key.encode() in content or key[len(key) // 2 - 8 : len(key) // 2 + 8].encode() in content
    ]
    assert hits == []
