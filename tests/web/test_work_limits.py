"""P12: work that grows with the ledger has a time limit, and ends when its caller leaves; so lists check little."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import pytest
from mcp import Client

from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.server import mcp_server
from quorate.doors.web.connection import ServerLimits
from quorate.engine.work_limit import check_work, limited_work
from quorate.errors import TookTooLong
from quorate.ledger import Entry, Row, open_ledger
from quorate.ledger.sqlite.ledger import SqliteLedger
from quorate.similarity.question_index import QuestionIndex
from tests.reviewing import kept, tribunal
from tests.web.client import QUESTION, TOKEN, Caller, serving

pytestmark = pytest.mark.promise

RECORDS = 60
SLOW = 0.02
"""Seconds that a slow disk takes for one record."""


class SlowDisk(SqliteLedger):
    """A ledger on a disk that takes its time, and how many records were taken from it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.reads = 0
        self.checks = 0

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        self.reads += 1
        await asyncio.sleep(SLOW)
        return await super().read(id_, after=after)

    async def rows(self, id_: str) -> Sequence[Row]:
        self.checks += 1
        await asyncio.sleep(SLOW)
        return await super().rows(id_)

    @property
    def taken(self) -> int:
        return self.reads + self.checks


@pytest.fixture(scope="module")
def ledger_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many decisions on one question, which contradict each other."""
    place = tmp_path_factory.mktemp("work") / "ledger.db"

    async def fill() -> None:
        ledger = open_ledger(place)
        for number in range(RECORDS):
            outcome = "ACT" if number % 2 else "REFUSE"
            await kept(ledger, tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), outcome)))
        await ledger.close()

    asyncio.run(fill())
    return place


def serving_slowly(home: Path, file: Path, seconds: float) -> tuple[Any, SlowDisk]:
    disk = SlowDisk(file)
    return serving(home, more={"ledger": disk, "limits": ServerLimits(work_time=seconds)}), disk


async def settled(disk: SlowDisk) -> int:
    """How many records were taken, once no more are."""
    before = -1
    while before != disk.taken:
        before = disk.taken
        await asyncio.sleep(SLOW * 10)
    return before


ROUTES = {
    "/api/deliberations?search=nobody+said+this": "since",
    "/api/deliberations?search=nobody+said+this&state=decided&limit=1": "since",
    "/api/deliberations?limit=100": "limit",
    "/api/report": "since=7d",
    "/api/memory/similar?question=Should+we+delete+the+staging+database%3F&limit=50": "words",
    "/api/memory/contradictions?limit=50": "limit",
    "/api/deliberations/last/memory?limit=50": "limit",
}
"""Requests whose work grows with the ledger, and a word of what to narrow."""


@pytest.mark.parametrize("path", list(ROUTES))
async def test_a_request_that_takes_too_long_is_answered_and_its_work_stops(
    tmp_path: Path, ledger_file: Path, path: str
) -> None:
    server, disk = serving_slowly(tmp_path, ledger_file, SLOW * 5)
    async with server as api:
        told = await api.get(path)
        after = disk.taken

        assert (told.status, told.code) == (503, "took_too_long"), told.body
        assert ROUTES[path] in told.json["error"]["message"]
        assert await settled(disk) <= after + 1 < RECORDS


@pytest.mark.parametrize("path", list(ROUTES))
async def test_work_stops_when_the_caller_leaves(tmp_path: Path, ledger_file: Path, path: str) -> None:
    server, disk = serving_slowly(tmp_path, ledger_file, 600.0)
    async with server as api:
        _, writer = await asyncio.open_connection("127.0.0.1", api.server.port)
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{api.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        writer.write(head.encode())
        while disk.taken < 3:  # noqa: ASYNC110 - only a count tells
            await asyncio.sleep(SLOW)
        writer.close()
        await writer.wait_closed()

        assert await settled(disk) < RECORDS
        assert (await api.get("/healthz")).status == 200


@pytest.mark.parametrize("route", ["/api/deliberations", "/v1/chat/completions", "/api/forecast"])
async def test_what_a_start_looks_up_in_the_ledger_has_the_same_limit(
    tmp_path: Path, ledger_file: Path, route: str
) -> None:
    asked = {"memory": "4000"} if "forecast" in route else {"act_error": "2.5%"}
    chat = {"model": "quorate:tribunal", "messages": [{"role": "user", "content": QUESTION["question"]}]}
    body = {**chat, "quorate": asked} if "chat" in route else {**QUESTION, **asked}
    server, disk = serving_slowly(tmp_path, ledger_file, SLOW * 5)
    async with server as api:
        told = await api.post(route, body)
        after = disk.taken

        assert (told.status, told.code) == (503, "took_too_long"), told.body
        assert await settled(disk) <= after + 1 < RECORDS
        assert api.server.service.counts.begun == 0


async def listed(api: Caller, disk: SlowDisk, query: str) -> tuple[int, int]:
    """How many lines a list has, and how many records were checked for it."""
    before = disk.checks
    found = (await api.get(f"/api/deliberations?{query}")).json["items"]
    assert all(one["check"] == "holds" for one in found)
    return len(found), disk.checks - before


async def test_a_list_checks_what_it_shows_and_no_more(tmp_path: Path, ledger_file: Path) -> None:
    server, disk = serving_slowly(tmp_path, ledger_file, 600.0)
    async with server as api:
        assert await listed(api, disk, "limit=5") == (5, 5)
        assert await listed(api, disk, "limit=5&state=decided") == (5, 5)
        assert await listed(api, disk, "limit=5&state=waiting") == (0, 0)
        assert await listed(api, disk, "limit=5&state=halted") == (0, 0)
        assert await listed(api, disk, "limit=5&protocol=debate") == (0, 0)
        assert await listed(api, disk, "limit=5&search=nobody+said+this") == (0, 0)
        page = (await api.get("/api/deliberations?limit=5")).json
        assert await listed(api, disk, f"limit=3&before={page['next']}") == (3, 3)


async def test_an_open_record_is_listed_by_what_its_entries_say(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "ledger.db")
    open_ = await kept(ledger, tribunal()[:4])
    await kept(ledger, tribunal())
    await ledger.close()
    async with serving(tmp_path) as api:
        for state, ids in (("halted", [open_]), ("waiting", [])):
            found = (await api.get(f"/api/deliberations?state={state}")).json["items"]
            assert [one["id"] for one in found] == ids


async def test_a_search_over_mcp_has_a_limit(
    tmp_path: Path, ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("QUORATE_LEDGER", str(ledger_file))
    async with Client(mcp_server(Deliberations(answer_within=0.0))) as client:
        for operation in ("search_similar", "find_contradictions", "trace_evolution"):
            told = await client.call_tool("query_decisions", {"operation": operation, "query_text": "delete it"})
            assert told.is_error
            assert "smaller limit" in str(told.content)


async def test_a_thread_that_indexes_questions_stops_too() -> None:
    ended = ThreadEvent()

    def endless() -> Iterator[str]:
        try:
            for number in count():
                yield f"Should we delete database {number}?"
        finally:
            ended.set()

    with pytest.raises(TookTooLong, match="ask for less"):
        async with limited_work(0.05, "ask for less"):
            await asyncio.to_thread(QuestionIndex, endless(), check_work)
    assert await asyncio.to_thread(ended.wait, 20)


async def test_a_thread_that_compares_every_pair_stops_too() -> None:
    index, ended = QuestionIndex(["Should we delete the database?"] * 4000, check_work), ThreadEvent()

    def compare() -> None:
        try:
            for _ in index.pairs(0.9):
                pass
        finally:
            ended.set()

    with pytest.raises(TookTooLong):
        async with limited_work(0.05, "ask for less"):
            await asyncio.to_thread(compare)
    assert await asyncio.to_thread(ended.wait, 20)


async def test_work_on_the_loop_itself_stops_and_nothing_outlives_the_limit() -> None:
    async def work() -> None:
        async with limited_work(0.01, "ask for less"):
            while True:
                check_work()

    with pytest.raises(TookTooLong):
        await work()
    check_work()
