"""The queue: each deliberation once, by priority, and turn by turn for every tenant."""

import asyncio

import asyncpg
import pytest

from quorate.engine.hosts.cluster.submission import work_queue
from quorate.engine.hosts.cluster.work_queue import PRIORITIES, QueuePlace, WorkQueue
from quorate.errors import LedgerUnwritable, NoWorker, UnknownName
from tests.engine.cluster.conftest import address

pytestmark = pytest.mark.promise

TAKEN = (
    "UPDATE quorate_dbos.workflow_status SET status = 'PENDING', executor_id = 'w' WHERE deduplication_id = ANY ($1)"
)
LINES = """
SELECT deduplication_id FROM quorate_dbos.workflow_status WHERE status = 'ENQUEUED' ORDER BY priority, created_at
"""


async def order(url: str) -> list[str]:
    """What DBOS would hand out, in its order."""
    connection = await asyncpg.connect(url)
    try:
        return [row["deduplication_id"] for row in await connection.fetch(LINES)]
    finally:
        await connection.close()


async def take(url: str, many: int) -> list[str]:
    """As DBOS does: the first lines are a worker's now."""
    first = (await order(url))[:many]
    connection = await asyncpg.connect(url)
    await connection.execute(TAKEN, first)
    await connection.close()
    return first


async def test_one_tenants_hundred_do_not_keep_anothers_one_waiting(queue: WorkQueue, ledger_url: str) -> None:
    for number in range(100):
        await queue.put(f"big{number}", tenant="big")
    await take(ledger_url, 30)
    await queue.put("small", tenant="small")

    assert (await order(ledger_url)).index("small") <= 1
    assert await queue.place("small") in {QueuePlace(ahead=0), QueuePlace(ahead=1)}


async def test_tenants_alternate_however_many_each_has(queue: WorkQueue, ledger_url: str) -> None:
    for tenant, many in (("a", 6), ("b", 3), ("c", 2)):
        for number in range(many):
            await queue.put(f"{tenant}{number}", tenant=tenant)

    found = await order(ledger_url)

    rounds = [{id_[0] for id_ in found[:3]}, {id_[0] for id_ in found[3:6]}, {id_[0] for id_ in found[6:8]}]
    assert rounds == [{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b"}]
    assert found[8:] == ["a3", "a4", "a5"]


async def test_who_had_much_before_is_not_made_to_wait_for_it(queue: WorkQueue, ledger_url: str) -> None:
    for number in range(20):
        await queue.put(f"old{number}", tenant="a")
    await take(ledger_url, 20)
    for number in range(5):
        await queue.put(f"b{number}", tenant="b")
    await queue.put("new", tenant="a")

    assert (await order(ledger_url)).index("new") <= 1


async def test_what_is_high_goes_before_all_that_is_normal_and_low(queue: WorkQueue, ledger_url: str) -> None:
    for priority in reversed(PRIORITIES):
        for number in range(3):
            await queue.put(f"{priority}{number}", priority=priority)

    assert [id_.rstrip("012") for id_ in await order(ledger_url)] == ["high"] * 3 + ["normal"] * 3 + ["low"] * 3


async def test_what_is_queued_or_with_a_worker_is_not_queued_again(queue: WorkQueue, ledger_url: str) -> None:
    await asyncio.gather(*(queue.put("one") for _ in range(5)))
    assert await order(ledger_url) == ["one"]
    await take(ledger_url, 1)

    await queue.put("one")

    assert await order(ledger_url) == []
    assert await queue.place("one") == QueuePlace(worker="w")


async def test_what_was_cancelled_is_gone_and_may_be_queued_again(queue: WorkQueue, ledger_url: str) -> None:
    await queue.put("one")
    await queue.cancel("one")
    assert await queue.place("one") is None

    await queue.put("one")

    assert await order(ledger_url) == ["one"]


async def test_a_ledger_without_a_worker_ever_has_no_queue(postgres: str, template: str) -> None:
    with pytest.raises(NoWorker, match="no worker has run on this ledger yet; start one with: quorate worker"):
        async with work_queue(postgres) as queue:
            await queue.put("one")


async def test_ledgers_of_one_database_have_queues_of_their_own(queue: WorkQueue, ledger_url: str) -> None:
    with pytest.raises(NoWorker):
        async with work_queue(f"{ledger_url}&schema=other") as other:
            await other.put("one")


async def test_a_server_that_is_away_is_said_so() -> None:
    with pytest.raises(LedgerUnwritable, match="PostgreSQL cannot be reached, so nothing can be queued"):
        async with work_queue("postgresql://nobody@127.0.0.1:1/none") as queue:
            await queue.put("one")


async def test_there_are_three_priorities(queue: WorkQueue) -> None:
    with pytest.raises(UnknownName, match="no priority 'urgent'; there are high, low, normal"):
        await queue.put("one", priority="urgent")


async def test_nobody_is_alive_before_a_worker_says_so(queue: WorkQueue) -> None:
    assert await queue.alive() == ()


def test_addresses_are_told_apart() -> None:
    assert address("postgresql://p@/postgres?host=/x", "y") == "postgresql://p@/y?host=/x"
