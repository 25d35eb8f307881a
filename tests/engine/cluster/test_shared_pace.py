"""One bucket for a provider and key, whoever asks: no minute sees more than the limit, and the database sees no key."""

import asyncio
from itertools import pairwise

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.engine.hosts.cluster.queue_tables import Database
from quorate.engine.hosts.cluster.shared_pace import Bucket, SharedPace, SharedPaces
from quorate.engine.hosts.cluster.work_queue import WorkQueue
from quorate.middleware.provider_limits import Rate
from quorate.middleware.rate_limit import MINUTE

KEY = "sk-very-secret"
HERE = "https://api.example/v1"


@given(st.integers(1, 500), st.lists(st.floats(0, 5), min_size=1, max_size=80))
def test_no_minute_sees_more_requests_than_the_limit(limit: int, gaps: list[float]) -> None:
    """The bucket's own arithmetic, on a clock of its own: asks come at any time and go when they may."""
    bucket, level, at, clock = Bucket.of(limit, 1), 0.0, 0.0, 0.0
    level = bucket.size
    sent: list[float] = []
    for gap in gaps:
        clock += gap
        level = min(bucket.size, level + bucket.flow * (clock - at)) - 1
        at = clock
        sent.append(clock + bucket.wait(level))

    for first in sent:
        assert sum(first <= other < first + MINUTE - 1e-6 for other in sent) <= limit


@given(st.integers(2, 100_000), st.lists(st.tuples(st.floats(0, 5), st.integers(1, 5000)), min_size=1, max_size=60))
def test_no_minute_sees_more_tokens_than_the_limit(limit: int, asks: list[tuple[float, int]]) -> None:
    bucket, at, clock = Bucket.of(limit, 0), 0.0, 0.0
    level = float(bucket.size)
    sent: list[tuple[float, int]] = []
    for gap, wanted in asks:
        tokens, clock = min(wanted, limit), clock + gap
        level = min(bucket.size, level + bucket.flow * (clock - at)) - tokens - bucket.debt(tokens)
        at = clock
        sent.append((clock + bucket.wait(level + bucket.debt(tokens)), tokens))

    for first, _ in sent:
        assert sum(tokens for other, tokens in sent if first <= other < first + MINUTE - 1e-6) <= limit + 1e-6


async def waits(pace: SharedPace, tokens: int = 0) -> float:
    return await pace._take(tokens)  # noqa: SLF001  the wait itself, so that nobody waits for it


@pytest.mark.promise
async def test_two_workers_share_one_bucket(queue: WorkQueue, ledger_url: str) -> None:
    other = Database(ledger_url)
    here = (await SharedPaces.of(queue.database))(HERE, KEY, Rate(requests=10))
    there = (await SharedPaces.of(other))(HERE, KEY, Rate(requests=10))

    told = [await waits(pace) for pace in (here, there, here, there, here, there, here, there)]
    await other.close()

    assert told[:5] == [0.0] * 5  # half of ten, and no more at once
    assert all(later > sooner for sooner, later in pairwise(told[5:]))
    assert told[5] == pytest.approx(MINUTE / 6, abs=1)


@pytest.mark.promise
async def test_another_key_or_address_has_a_bucket_of_its_own(queue: WorkQueue) -> None:
    paces = await SharedPaces.of(queue.database)
    rate = Rate(requests=2)
    lines = [paces(HERE, KEY, rate), paces(HERE, "sk-other", rate), paces("https://other.example/v1", KEY, rate)]

    assert [await waits(line) for line in lines] == [0.0] * 3


@pytest.mark.promise
async def test_of_a_key_only_a_salted_hash_is_stored(queue: WorkQueue, ledger_url: str) -> None:
    await (await SharedPaces.of(queue.database))(HERE, KEY, Rate(requests=60)).turn(5)
    connection = await asyncpg.connect(ledger_url)
    rows = await connection.fetch("SELECT paces::text AS line FROM quorate_queue.paces")
    await connection.close()

    assert len(rows) == 1
    assert KEY not in rows[0]["line"]
    assert KEY.encode().hex() not in rows[0]["line"]


@pytest.mark.promise
async def test_what_was_reserved_and_not_used_goes_back(queue: WorkQueue) -> None:
    pace = (await SharedPaces.of(queue.database))(HERE, KEY, Rate(tokens=1000))
    turn = await pace.turn(500)

    pace.took(turn, 100)

    assert await waits(pace, 400) == 0.0
    assert await waits(pace, 1) > 0.0


@pytest.mark.promise
async def test_a_turn_that_is_broken_off_is_given_back(queue: WorkQueue) -> None:
    pace = (await SharedPaces.of(queue.database))(HERE, KEY, Rate(requests=2))
    await pace.turn(0)
    waiting = asyncio.create_task(pace.turn(0))
    async with queue.database.connection() as connection:
        while await connection.fetchval("SELECT requests > -0.5 FROM paces"):  # noqa: ASYNC110  reserved, then it waits
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    waiting.cancel()
    await asyncio.wait((waiting,))

    assert await waits(pace) == pytest.approx(MINUTE / 2, abs=5)
