"""Our wheel in a clean environment, and the official MCP SDK as its client."""

import asyncio
import json
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.clients.hooks import provider_settings
from tests.clients.installed import BIN, SCRATCH, as_user, environment, make_home, run
from tests.clients.model import LoopbackModel
from tests.doors.test_hooks import ballot
from tests.servers import Endpoint, said

__all__ = ["check_codex_mcp", "check_inspector", "check_mcp", "check_wheel"]

CALL: Final = """
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

async def main():
    address, token, *command = sys.argv[1:]
    if address:
        transport = streamable_http_client(
            address, http_client=create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        )
    else:
        import os
        transport = stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ)))
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        result = await session.call_tool("deliberate", {"question": "May we restart staging?", "panel": "tribunal"})
        print(result.content[0].text)

asyncio.run(main())
"""
_ADDRESS: Final = re.compile(r"(http://127\.0\.0\.1:\d+)/\S*?token=([\w.~-]+)")


async def check_wheel() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong."""
    home = make_home("wheel", {})
    done = await asyncio.to_thread(run, [SCRATCH / "clean" / "bin" / "quorate", "demo"], home)
    good = done.code == 0 and any(outcome in done.out for outcome in ("ACT", "WARN", "REFUSE"))
    yield "wheel", "pip install into a clean venv, quorate demo", "" if good else f"{done.code}, {done.err[-600:]!r}"


async def check_mcp() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong; `other` is a model that only the environment offers."""
    verdict = said(ballot("ACT"))
    for served in ("quorate mcp", "quorate serve --mcp --model X"):
        async with Endpoint(otherwise=verdict) as named, Endpoint(otherwise=verdict) as other:
            home, model = make_home("mcp", {}), f"openai:m@{named.url}"
            env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": other.url}
            client: list[str | Path] = [SCRATCH / "sdk" / "bin" / "python", "-c", CALL]
            if served == "quorate mcp":
                words = [*client, "", "", BIN / "quorate", "mcp"]
                done = await asyncio.to_thread(run, words, home, {**env, "QUORATE_MODEL": model})
            else:
                async with _serving(home, env, model) as (address, token):
                    done = await asyncio.to_thread(run, [*client, f"{address}/mcp", token], home)
            good = "ACT" in done.out and named.seen and not other.seen
            wrong = f"{len(named.seen)} and {len(other.seen)} calls; {done.out[-300:]!r}, {done.err[-600:]!r}"
            yield "mcp SDK", f"{served}: only the model named is asked", "" if good else wrong


async def check_inspector() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong."""
    async with Endpoint(otherwise=said(ballot("ACT"))) as panel:
        home = make_home("inspector", {})
        words: list[str | Path] = [
            "mcp-inspector",
            "--cli",
            "-e",
            f"QUORATE_MODEL=openai:m@{panel.url}",
            BIN / "quorate",
            "mcp",
        ]
        call = ["--tool-name", "deliberate", "--tool-arg", "question=May we restart staging?", "panel=tribunal"]
        listed = await asyncio.to_thread(run, [*words, "--method", "tools/list"], home)
        done = await asyncio.to_thread(run, [*words, "--method", "tools/call", *call], home)
        good = '"deliberate"' in listed.out and "ACT" in done.out and bool(panel.seen)
        wrong = f"{listed.err[-300:]!r}, {done.out[-300:]!r}, {done.err[-300:]!r}"
        yield "inspector", "lists our tools and calls one", "" if good else wrong


async def check_codex_mcp() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong."""
    for approval, what in (
        ("", "seen: codex exec refuses our MCP tool without approval"),
        ('default_tools_approval_mode = "approve"', "our MCP tool is called with default_tools_approval_mode"),
    ):
        async with Endpoint(otherwise=said(ballot("ACT"))) as panel:
            with LoopbackModel("Done.") as model:
                server = (
                    f'[mcp_servers.quorate]\ncommand = "{BIN}/quorate"\nargs = ["mcp"]\nrequired = true\n{approval}\n'
                )
                server += f'env = {{ QUORATE_MODEL = "openai:m@{panel.url}" }}\n'
                home = make_home("codex-mcp", {".codex/config.toml": provider_settings(model.url) + server})
                asked = json.dumps({"question": "May we restart staging?", "panel": "tribunal"})
                script = f"text(JSON.stringify(await tools.mcp__quorate__deliberate({asked})))"
                model.calls = [("functions.exec", script)]
                done = await asyncio.to_thread(
                    run, ["codex", "exec", "--skip-git-repo-check", "hi"], home, {"KEY": "k"}
                )
                good = bool(panel.seen) if approval else "requires approval" in done.out + done.err + model.heard
                yield "codex", what, "" if good else f"{len(panel.seen)}; {done.err[-600:]!r}, {model.heard[-600:]!r}"


@asynccontextmanager
async def _serving(home: Path, env: dict[str, str], model: str) -> AsyncIterator[tuple[str, str]]:
    """A server of ours with MCP, its address and token."""
    words = as_user([BIN / "quorate", "serve", "--mcp", "--port", "0", "--model", model])
    process = await asyncio.create_subprocess_exec(
        *words, cwd=home / "project", env=environment(home, env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            while not (found := _ADDRESS.search((line := await process.stdout.readline()).decode())):
                if not line:
                    raise RuntimeError("quorate serve ended")
        yield found[1], found[2]
    finally:
        process.terminate()
        await process.wait()
