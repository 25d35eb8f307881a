"""P18: two resumers, one debate."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quorate.errors import OwnerLost
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.ledger import export as records
from tests.ledger.child import Child, child

pytestmark = pytest.mark.promise

RACES, CONTENDERS, ENTRIES, TTL = {"sqlite": 200, "postgres": 60}, 8, 5, 1.0


@pytest.fixture(params=RACES)
def kind(request: pytest.FixtureRequest) -> str:
    """What keeps the ledger."""
    return str(request.param)


@pytest.fixture
def path(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db") if kind == "sqlite" else str(request.getfixturevalue("postgres_ledger"))


@pytest.fixture
async def ledger(path: str) -> AsyncIterator[Ledger]:
    ledger = open_ledger(path, ttl=TTL)
    yield ledger
    await ledger.close()


async def race(contenders: list[Child], id_: str) -> list[str]:
    """Let all reach for it at once; whoever gets it writes and lets go. What each of them was told."""
    for contender in contenders:
        contender.order(f"own {id_}")
    answers = [await contender.answer() for contender in contenders]
    for contender, answer in zip(contenders, answers, strict=True):
        if answer.startswith("ok"):
            await contender.tell(f"write {ENTRIES}")
            await contender.tell("leave")
    return sorted(answer.partition(" ")[0] for answer in answers)


async def test_of_eight_that_reach_for_it_one_owns_it_and_nothing_is_lost_or_doubled(
    kind: str, path: str, ledger: Ledger
) -> None:
    ids = [new_id() for _ in range(RACES[kind] // 2)]
    async with AsyncExitStack() as started:
        contenders = [await started.enter_async_context(child(path)) for _ in range(CONTENDERS)]

        told = [await race(contenders, id_) for id_ in (*ids, *ids)]

    assert told == [["OwnerLost"] * (CONTENDERS - 1) + ["ok"]] * RACES[kind]
    assert [(await records.verify(ledger, id_)).entries for id_ in ids] == [2 * ENTRIES] * len(ids)


async def taken_over(ledger: Ledger, id_: str) -> float:
    """How long it takes until somebody else owns it and has written."""
    began = time.monotonic()
    while True:
        try:
            async with ledger.own(id_) as book:
                book.write(book.entries[0].event)
                await book.committed()
                return time.monotonic() - began
        except OwnerLost:
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("end", ["kill", "stop"])
async def test_an_owner_that_is_gone_is_followed_within_its_lease_and_a_second(
    path: str, ledger: Ledger, end: str
) -> None:
    id_ = new_id()
    async with child(path, ttl=TTL) as owner:
        await owner.tell(f"own {id_}")
        await owner.tell("write 3")
        if end == "kill":
            await owner.kill()
        else:
            owner.stop()

        assert await taken_over(ledger, id_) < (TTL + 1 if end == "stop" else 1)

        if end == "stop":
            owner.go_on()
            assert (await owner.tell("write 1")).startswith("OwnerLost")
    assert (await records.verify(ledger, id_)).entries == 4
