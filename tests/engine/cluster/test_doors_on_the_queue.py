"""A program, the web server and an assistant, all on a ledger in PostgreSQL: a worker holds what they ask for."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.doors.test_mcp import called
from tests.engine.cluster.test_worker import QUESTION, QUORATE, Cluster, RunningWorker

pytestmark = pytest.mark.promise

PROGRAM = """
import asyncio, quorate
async def main():
    id_ = await quorate.start("Should we delete the staging database?", panel="demo")
    held = await quorate.wait(id_)
    print(held.id == id_, held.state, held.verdict.outcome)
asyncio.run(main())
"""
HELD = 'quorate_worker_deliberations_ended_total{state="decided"} 1'


@pytest.fixture
def cluster(ledger_url: str, tmp_path: Path) -> Cluster:
    return Cluster(ledger_url, tmp_path)


def held_by(worker: RunningWorker) -> str:
    return worker.get("/metrics")[1]


def test_a_program_starts_and_waits(cluster: Cluster) -> None:
    with cluster.worker() as worker:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM], env=cluster.env, capture_output=True, text=True, check=False
        )
        held = held_by(worker)

    assert (done.returncode, done.stdout, done.stderr) == (0, "True decided WARN\n", "")
    assert HELD in held


@asynccontextmanager
async def served(cluster: Cluster) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """The address of `quorate serve`, and what lets one in."""
    process = await asyncio.create_subprocess_exec(
        *(*QUORATE, "serve", "--port", "0", "--panel", "demo"), stdout=asyncio.subprocess.PIPE, env=cluster.env
    )
    try:
        assert process.stdout is not None
        base, _, token = (await process.stdout.readline()).decode().strip().partition("#token=")
        yield base.rstrip("/"), {"Authorization": f"Bearer {token}"}
    finally:
        process.kill()
        await process.wait()


async def test_the_server_queues_what_is_asked_and_shows_how_it_goes(cluster: Cluster) -> None:
    with cluster.worker() as worker:
        async with (
            served(cluster) as (base, headers),
            ClientSession(base, headers=headers, timeout=ClientTimeout(50)) as session,
        ):
            async with session.post("/api/deliberations", json={"question": QUESTION}) as begun:
                assert begun.status in {200, 201, 202}, await begun.text()
                id_ = (await begun.json())["id"]
            async with session.get(f"/api/deliberations/{id_}/events") as events:
                told = (await events.read()).decode()
            async with session.get(f"/api/deliberations/{id_}") as shown:
                document: dict[str, Any] = await shown.json()
        held = held_by(worker)

    assert told.rstrip().endswith('data: {"state":"decided"}')
    assert document["verdict"]["outcome"] == "WARN"
    assert HELD in held


async def test_an_assistant_starts_and_waits(cluster: Cluster) -> None:
    words = StdioServerParameters(command=sys.executable, args=[*QUORATE[1:], "mcp"], env={**os.environ, **cluster.env})
    with cluster.worker() as worker:
        async with Client(words, mode="auto") as client:
            begun = await called(client, "start", question=QUESTION, panel="demo")
            waited = await called(client, "wait", id=begun["id"])
        held = held_by(worker)

    assert (waited["state"], waited["verdict"]["outcome"]) == ("decided", "WARN")
    assert HELD in held


def test_what_one_door_began_another_shows(cluster: Cluster) -> None:
    with cluster.worker():
        id_ = cluster.run("ask", QUESTION, "--panel", "demo", "--detach", "-q").stdout.strip()
        cluster.run("wait", id_, "-q")
    program = f'import asyncio, quorate; print(asyncio.run(quorate.wait("{id_}")).verdict.outcome)'
    done = subprocess.run([sys.executable, "-c", program], env=cluster.env, capture_output=True, text=True, check=False)

    assert json.loads(cluster.run("show", id_, "--json").stdout)["verdict"]["outcome"] == done.stdout.strip() == "WARN"
