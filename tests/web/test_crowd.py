"""P9: a thousand watch one deliberation and fifty stop reading; all others see everything, and nobody waits."""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.web.client import QUESTION, Caller, provider, serving

ROOT = Path(__file__).parents[2]
MEMORY = 200
"""Mebibytes that the process of the server may hold more at its end than before the crowd came."""


async def watched(api: Caller, id_: str, healthy: int, stalled: int) -> dict[str, Any]:
    crowd = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.web.crowd", api.server.address, id_, str(healthy), str(stalled)),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, _ = await crowd.communicate()
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


async def crowded(home: Path, healthy: int, stalled: int) -> None:
    """Nobody answers before the whole crowd is there; then the deliberation goes on under its eyes."""
    gate, peak = asyncio.Event(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with provider(latency=0.5, gate=gate) as endpoint, serving(home, endpoint.url) as api:
        id_ = await api.start({**QUESTION, "context": "word " * 4000})
        crowd = asyncio.create_task(watched(api, id_, healthy, stalled))
        while api.server.service.counts.viewers < healthy + stalled:  # noqa: ASYNC110 - only a count tells
            await asyncio.sleep(0.05)
        gate.set()
        beside = await timed(api, id_)
        found, entries = await crowd, len(await api.entries(id_))
        alone = await timed(api, await api.start())
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024

    print(f"{found} alone {alone:.2f} s, beside {beside:.2f} s, {grown:.0f} MiB more")  # noqa: T201
    assert (found["viewers"], found["counts"], found["wrong"]) == (healthy, [entries], [])
    assert grown < MEMORY


async def timed(api: Caller, id_: str) -> float:
    began = time.monotonic()
    await api.ended(id_)
    return time.monotonic() - began


async def test_a_hundred_watch_and_five_stop_reading(tmp_path: Path) -> None:
    await crowded(tmp_path, 100, 5)


@pytest.mark.promise
@pytest.mark.timeout(300)
async def test_a_thousand_watch_and_fifty_stop_reading(tmp_path: Path) -> None:
    await crowded(tmp_path, 1000, 50)
