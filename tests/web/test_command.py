"""`quorate serve` and `quorate ask --open` as commands: what they print, and how they leave."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import ClientSession
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult

from quorate.ledger import open_ledger
from quorate.model import Convened
from tests.web.client import provider

ROOT = Path(__file__).parents[2]
MAIN = "from quorate.doors.cli import main; main()"
BROWSER = "#!/bin/sh\nprintf '%s' \"$1\" > {}\n"

pytestmark = pytest.mark.slow


@asynccontextmanager
async def command(home: Path, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    (home / "browser").write_text(BROWSER.format(home / "opened"))
    (home / "browser").chmod(0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "BROWSER": f"{home / 'browser'} %s"},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def line_of(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    return (await stream.readline()).decode().strip()


async def line_with(words: str, stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    async for line in stream:
        if words in line.decode():
            return line.decode().strip()
    raise AssertionError(f"{words!r} was never printed")


def text_of(file: Path) -> str:
    return file.read_text() if file.exists() else ""


async def written_to(file: Path) -> str:
    """What a browser was given: it is a process of its own, and nobody tells when it has begun."""
    while not text_of(file):  # noqa: ASYNC110 - another process cannot set an event
        await asyncio.sleep(0.02)
    return text_of(file)


async def test_serve_prints_its_address_and_how_to_stop_and_leaves_on_a_signal(tmp_path: Path) -> None:
    async with command(tmp_path, "serve", "--port", "0", "--panel", "demo", "--open") as process:
        address, told = await line_of(process.stdout), await line_of(process.stderr)
        async with ClientSession() as session, session.get(address.partition("#")[0] + "healthz") as response:
            assert response.status == 200
        opened = await written_to(tmp_path / "opened")
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
        assert process.stderr is not None
        left = (await process.stderr.read()).decode()

    assert address.startswith("http://127.0.0.1:")
    assert address.partition("#token=")[2] == (tmp_path / ".local/state/quorate/page-token").read_text().strip()
    assert "Stop with Ctrl-C" in told
    assert "resumed when the server starts again" in left
    assert opened == address


async def test_ask_open_shows_the_running_deliberation_and_stays_after_the_verdict(tmp_path: Path) -> None:
    async with command(tmp_path, "ask", "Should we?", "--panel", "demo", "--open", "--quiet") as process:
        told = await line_with("watch it at", process.stderr)
        address = told.rpartition(" ")[2]
        base, _, fragment = address.partition("/#token=")
        token, _, id_ = fragment.partition("/d/")
        named = {"Authorization": f"Bearer {token}"}
        async with (
            ClientSession(base, headers=named) as session,
            session.get(f"/api/deliberations/{id_}/events") as response,
        ):
            assert (await response.read()).rstrip().endswith(b'data: {"state":"decided"}')
        verdict = await line_of(process.stdout)
        await line_with("until you press Ctrl-C", process.stderr)
        process.send_signal(signal.SIGINT)
        code = await process.wait()

    assert token == (tmp_path / ".local/state/quorate/page-token").read_text().strip()
    assert verdict.startswith("WARN")
    assert verdict.endswith(id_)
    assert code == 0


async def test_a_port_in_use_and_a_new_token(tmp_path: Path) -> None:
    async with command(tmp_path, "serve", "--port", "0", "--panel", "demo") as first:
        port = (await line_of(first.stdout)).partition("/#")[0].rpartition(":")[2]
        async with command(tmp_path, "serve", "--port", port, "--panel", "demo") as second:
            assert await second.wait() == 1
            told = await line_of(second.stderr)
            assert f"port {port}: it is in use, perhaps by another quorate serve; give another with --port" in told
    async with command(tmp_path, "serve", "--new-token") as printed:
        assert (await line_of(printed.stdout)).startswith("token  ")
        assert (await line_of(printed.stdout)).startswith("hash   ")


async def test_mcp_is_served_beside_the_page_to_whoever_has_the_token(tmp_path: Path) -> None:
    async with command(tmp_path, "serve", "--port", "0", "--panel", "demo", "--mcp") as process:
        address, _, token = (await line_of(process.stdout)).partition("#token=")
        named = {"Authorization": f"Bearer {token}"}
        async with (
            create_mcp_http_client(headers=named) as http,
            Client(streamable_http_client(f"{address}mcp", http_client=http)) as client,
        ):
            held = await client.call_tool("deliberate", {"question": "Should we delete it?", "panel": "demo"})
        async with ClientSession() as session:
            async with session.get(f"{address}api/deliberations", headers=named) as found:
                listed = await found.json()
            async with session.post(f"{address}mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}) as refused:
                pass
            evil = {**named, "Origin": "http://evil.example"}
            async with session.post(f"{address}mcp", json={}, headers=evil) as foreign:
                pass
            rebound = {**named, "Host": "evil.example"}
            async with session.post(f"{address}mcp", json={}, headers=rebound) as misdirected:
                pass

    assert isinstance(held, CallToolResult)
    assert isinstance(held.structured_content, dict)
    assert held.structured_content["verdict"]["outcome"] == "WARN"
    assert [one["question"] for one in listed["items"]] == ["Should we delete it?"]
    assert (refused.status, foreign.status, misdirected.status) == (401, 403, 421)


async def test_mcp_callers_get_the_models_and_limits_that_http_callers_get(tmp_path: Path) -> None:
    async with provider() as usual, provider() as other:
        # What the home names is not what the server was started with: the flags win for everybody.
        (tmp_path / ".config/quorate").mkdir(parents=True)
        (tmp_path / ".config/quorate/config.yaml").write_text(f'model: "openai:other@{other.url}"\n')
        flags = ("--model", f"openai:usual@{usual.url}", "--seat", f"Safety=openai:safe@{usual.url}")
        words = (
            "serve",
            "--port",
            "0",
            "--mcp",
            *kept(tmp_path),
            *flags,
            "--budget",
            "33 calls",
            "--set",
            "debate=when_split",
        )
        async with command(tmp_path, *words) as process:
            address, _, token = (await line_of(process.stdout)).partition("#token=")
            named = {"Authorization": f"Bearer {token}"}
            async with (
                ClientSession(headers=named) as session,
                create_mcp_http_client(headers=named) as http,
                Client(streamable_http_client(f"{address}mcp", http_client=http)) as client,
            ):
                async with session.post(f"{address}api/deliberations", json=ASKED) as begun:
                    over_http = (await begun.json())["id"]
                held = [await client.call_tool(tool, ASKED) for tool in ("deliberate", "start")]
                over_mcp = [(one.structured_content or {})["id"] for one in held]
        panels = await openings(tmp_path, over_http, *over_mcp)

    assert [sat.model for sat in panels[0].seated].count(f"openai:usual@{usual.url}") == 2
    assert panels[0].limits.calls == 33
    assert panels[1:] == [panels[0], panels[0]]
    assert other.seen == []


def kept(home: Path) -> tuple[str, str]:
    return "--ledger", str(home / "ledger.db")


ASKED = {"question": "Should we delete the staging database?"}


async def openings(home: Path, *ids: str) -> list[Convened]:
    """Who sits under which limits and settings, by the first entry of each record; ids and seeds are its own."""
    ledger = open_ledger(home / "ledger.db")
    try:
        events = [(await ledger.read(id_))[0].event for id_ in ids]
    finally:
        await ledger.close()
    return [replace(event, seed="") for event in events if isinstance(event, Convened)]


async def test_mcp_participants_and_budgets_go_over_what_the_server_is_set_to(tmp_path: Path) -> None:
    async with provider() as usual:
        flags = ("--model", f"openai:usual@{usual.url}", "--budget", "33 calls", "--protocol", "tribunal")
        async with command(tmp_path, "serve", "--port", "0", "--mcp", *kept(tmp_path), *flags) as process:
            address, _, token = (await line_of(process.stdout)).partition("#token=")
            named = {"Authorization": f"Bearer {token}"}
            async with (
                create_mcp_http_client(headers=named) as http,
                Client(streamable_http_client(f"{address}mcp", http_client=http)) as client,
            ):
                people = [{"model": "demo:scripted"}, {"model": "demo:scripted"}]
                asked = {**ASKED, "participants": people, "budget": "44 calls"}
                held = await client.call_tool("deliberate", asked)
                assert isinstance(held, CallToolResult)
                assert isinstance(held.structured_content, dict), held.content
        (panel,) = await openings(tmp_path, held.structured_content["id"])

    assert panel.protocol == "conference"
    assert {sat.model for sat in panel.seated} == {"demo:scripted"}
    assert panel.limits.calls == 44
    assert usual.seen == []


async def test_one_mcp_server_cannot_serve_several_people(tmp_path: Path) -> None:
    async with command(tmp_path, "serve", "--port", "0", "--users", "users.yaml", "--mcp") as process:
        _, told = await process.communicate()

    assert process.returncode == 2
    assert b"--mcp serves one ledger" in told
