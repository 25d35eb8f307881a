"""`quorate worker` as a process of its own, on a real PostgreSQL: what doors queue it holds, and it leaves in order."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from quorate.engine.hosts.cluster.submission import Submission
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.model import Decided
from tests.promises import provider
from tests.promises.worker_killing import Findings, compare
from tests.promises.worker_lives import convened

pytestmark = pytest.mark.promise

QUORATE = [sys.executable, "-c", "from quorate.doors.cli import main; main()"]
QUESTION = "Should we delete the staging database?"


class Cluster:
    """A ledger in PostgreSQL, commands on it, and workers for it."""

    def __init__(self, url: str, home: Path) -> None:
        self.url = f"{url}&spool={home / 'spool'}"
        self._home = home
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        self.env = {**kept, "HOME": str(home), "QUORATE_LEDGER": self.url, "QUORATE_ALLOW_KEYS": "openai@127.0.0.1"}

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*QUORATE, *words], env=self.env, capture_output=True, text=True, check=False, cwd=self._home
        )

    @contextmanager
    def worker(self, *words: str, **env: str) -> Iterator["RunningWorker"]:
        command = [*QUORATE, "worker", "--port", "0", *words]
        with subprocess.Popen(command, env={**self.env, **env}, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            started = "".join(next(process.stderr) for _ in range(2))
            found = re.search(r"metrics at (http://127\.0\.0\.1:\d+)\n", started)
            assert found, started
            try:
                yield RunningWorker(process, found[1])
            finally:
                process.kill()


class RunningWorker:
    def __init__(self, process: "subprocess.Popen[str]", at: str) -> None:
        self.process = process
        self._at = at

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urlopen(f"{self._at}{path}") as reply:  # noqa: S310  our own
                return reply.status, reply.read().decode()
        except HTTPError as refused:
            return refused.code, refused.read().decode()

    def stop(self) -> str:
        """What it says when it is told to stop."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=60)
        return said


@pytest.fixture
def cluster(ledger_url: str, tmp_path: Path) -> Cluster:
    return Cluster(ledger_url, tmp_path)


@pytest.fixture
def port() -> Iterator[int]:
    """A provider that keeps a bill."""
    pid, port = provider.start()
    yield port
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_what_is_queued_is_held_and_ends_as_it_would_without_workers(cluster: Cluster) -> None:
    with cluster.worker() as worker:
        id_ = cluster.run("ask", QUESTION, "--panel", "demo", "--detach", "-q").stdout.strip()
        waited = cluster.run("wait", id_, "--json")
        metrics = worker.get("/metrics")[1]
        said = worker.stop()
    here = json.loads(cluster.run("ask", QUESTION, "--panel", "demo", "--json").stdout)
    there: dict[str, Any] = json.loads(waited.stdout)

    assert there["id"] == id_
    assert there["verdict"] == here["verdict"]
    assert [entry["event"] for entry in there.get("events", [])] == [entry["event"] for entry in here.get("events", [])]
    assert 'quorate_worker_deliberations_ended_total{state="decided"} 1' in metrics
    assert worker.process.returncode == 0
    assert "the worker has stopped; 0 of its deliberations went back to the queue" in said


def test_without_a_worker_whoever_asks_and_waits_is_told(cluster: Cluster) -> None:
    asked = cluster.run("ask", QUESTION, "--panel", "demo", "--detach")
    waited = cluster.run("wait", asked.stdout.strip())

    assert "no worker is running, so it waits in the queue; start one with: quorate worker" in asked.stderr
    assert "it goes on without you" not in asked.stderr
    assert waited.returncode == 1
    assert "waits in the queue and no worker is running; start one with: quorate worker" in waited.stderr


def test_health_says_what_it_is_and_knows_no_other_path(cluster: Cluster) -> None:
    with cluster.worker() as worker:
        found = {path: worker.get(path) for path in ("/healthz", "/readyz", "/anything")}

    assert found == {
        "/healthz": (200, "ok\n"),
        "/readyz": (200, "ok\n"),
        "/anything": (404, "there are /healthz, /readyz, /metrics\n"),
    }


async def bring(cluster: Cluster, queue: WorkQueue, port: int, name: str, tenant: str = "") -> str:
    ledger = open_ledger(cluster.url)
    id_ = new_id()
    await Submission(ledger, queue, tenant=tenant).submit(id_, convened(name, port))
    await ledger.close()
    return id_


async def decided(ledger: Ledger, ids: list[str]) -> list[str]:
    """The ids in the order of their verdicts."""
    ends: dict[str, str] = {}
    for id_ in ids:
        [time] = [entry.time for entry in await ledger.read(id_) if isinstance(entry.event, Decided)]
        ends[id_] = time
    return sorted(ids, key=ends.__getitem__)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    while not await condition():  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0.05)


async def test_a_worker_takes_turns_between_tenants(cluster: Cluster, queue: WorkQueue, port: int) -> None:
    big = [await bring(cluster, queue, port, f"big{number}", "big") for number in range(12)]
    small = await bring(cluster, queue, port, "small", "small")
    ledger = open_ledger(cluster.url)

    async def all_gone() -> bool:
        return len(await queue.ended([*big, small])) == len(big) + 1

    with cluster.worker("--at-once", "1", "--allow-model", "openai:*", OPENAI_API_KEY="life-1"):
        await until(all_gone)
    order = await decided(ledger, [*big, small])
    await ledger.close()

    assert order.index(small) <= 2


async def test_what_a_worker_cannot_hold_is_given_back_with_its_own_sentence(
    cluster: Cluster, queue: WorkQueue, port: int
) -> None:
    id_ = await bring(cluster, queue, port, "closed")
    with cluster.worker(OPENAI_API_KEY="life-1"):
        waited = cluster.run("wait", id_)

    assert waited.returncode == 1
    assert f"a worker could not hold {id_}" in waited.stderr
    assert "127.0.0.1" in waited.stderr
    assert provider.billed(port, "closed") == []


async def test_a_worker_that_is_stopped_gives_back_and_nothing_is_bought_again(
    cluster: Cluster, queue: WorkQueue, port: int
) -> None:
    ids = [await bring(cluster, queue, port, f"run{number}") for number in range(30)]
    allowed = ("--allow-model", "openai:*", "--at-once", "30")

    async def under_way() -> bool:
        return sum(len(provider.billed(port, f"run{number}")) for number in range(30)) > 30

    async def all_gone() -> bool:
        return len(await queue.ended(ids)) == len(ids)

    with cluster.worker(*allowed, "--drain", "0.001s", OPENAI_API_KEY="life-1") as worker:
        await until(under_way)
        said = worker.stop()
    assert await queue.alive() == ()
    with cluster.worker(*allowed, OPENAI_API_KEY="life-2"):
        await until(all_gone)
    ledger, found = open_ledger(cluster.url), Findings(seed=0)
    order = await decided(ledger, ids)
    for number, id_ in enumerate(ids):
        events = [entry.event for entry in await ledger.read(id_)]
        compare(events, provider.billed(port, f"run{number}"), found)
    await ledger.close()

    assert worker.process.returncode == 0, said
    assert len(order) == 30
    assert found.answers > 300
    assert (found.bought_again, found.used_and_bought_again) == (0, 0)


def test_a_file_has_no_queue(tmp_path: Path, cluster: Cluster) -> None:
    refused = cluster.run("worker", "--ledger", str(tmp_path / "ledger.db"))

    assert refused.returncode == 1
    assert "a worker takes from the queue of a ledger in PostgreSQL, and" in refused.stderr
