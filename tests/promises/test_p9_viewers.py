"""P9: a thousand people can watch. How late they see it `make bench-page` measures; here, that nobody misses it."""

import asyncio
import resource
from pathlib import Path

import pytest

from benchmarks.server import serving
from benchmarks.viewers import serving_quorate, watch

VIEWERS = 1000
RUDE = 50
HEAVIEST = 200
"""Megabytes that the server may hold."""


@pytest.mark.promise
@pytest.mark.timeout(300)
def test_a_thousand_viewers_see_every_entry_in_order_beside_fifty_that_stop_reading(tmp_path: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with serving(1.0) as url, serving_quorate(f"openai:mock@{url}", tmp_path) as served:
        id_ = served.start()
        crowd = asyncio.run(watch(served, id_, viewers=VIEWERS, stalled=RUDE, slow=RUDE))
        held = served.peak

    late = crowd.percentile(0.99)
    print(f"{VIEWERS} viewers: the 99th of 100 entries came after {late:.3f} s, the server held {held:.0f} MB")  # noqa: T201
    entries = max(len(seen) for seen in crowd.seen)
    assert entries > 20
    assert all(seen == list(range(1, entries + 1)) for seen in crowd.seen)
    assert (len(crowd.seen), crowd.ended) == (VIEWERS, VIEWERS)
    assert held < HEAVIEST
