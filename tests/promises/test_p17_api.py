"""P17: the API survives hostile input, and shows nobody what is somebody else's."""

import asyncio
import os
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.failures import Failure, FailureGroup

from quorate.doors.web.security import token_hash
from quorate.doors.web.user_tokens import User, new_token
from tests.figures import Figure
from tests.servers import Endpoint, http, sends
from tests.web.client import Caller, provider, serving
from tests.web.test_schema import CHECKS, ROUTES, SCHEMA

REQUESTS = int(os.environ.get("QUORATE_REQUESTS", "50000"))
"""Requests of the long size."""
CANARY = "canary4711"
"""Stands in everything that is Ann's, and in nothing that is Ben's."""


@dataclass(slots=True)
class Place:
    """A server with two users: Ann's deliberations are there, and Ben sends whatever there is to send."""

    address: str
    ann: str
    ben: str
    ids: list[str]
    before: list[Any]
    """Ann's entries."""
    loop: asyncio.AbstractEventLoop
    stop: asyncio.Event
    after: "Future[list[Any]]" = field(default_factory=Future)

    def by(self, token: str) -> "Target":
        """Where one of them sends what he sends: at Ann's ids."""
        return Target(self.address, token, self.ids)

    def ends(self) -> list[Any]:
        """Stop the server, and give Ann's entries as they are then."""
        self.loop.call_soon_threadsafe(self.stop.set)
        return self.after.result(60)


async def served(home: Path, ready: "Future[Place]") -> None:
    tokens = {name: new_token() for name in ("ann", "ben")}
    users = tuple(
        User(name=name, token=token_hash(token), ledger=str(home / f"{name}.db")) for name, token in tokens.items()
    )
    async with provider() as endpoint, serving(home, endpoint.url, more={"users": users}) as api:
        ann = Caller(api.session, api.server, tokens["ann"])
        asked = {"question": f"Should we sell {CANARY}?", "context": f"{CANARY} is ours."}
        ids = [await ann.start(asked) for _ in range(2)]
        for id_ in ids:
            await ann.ended(id_)
        place = Place(
            address=api.server.address,
            ids=ids,
            before=[await ann.entries(id_) for id_ in ids],
            loop=asyncio.get_running_loop(),
            stop=asyncio.Event(),
            ann=tokens["ann"],
            ben=tokens["ben"],
        )
        ready.set_result(place)
        await place.stop.wait()
        place.after.set_result([await ann.entries(id_) for id_ in ids])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    ready: Future[Place] = Future()
    thread = Thread(target=lambda: asyncio.run(served(tmp_path, ready)), daemon=True)
    thread.start()
    place = ready.result(60)
    yield place
    place.ends()
    thread.join(60)


@dataclass(slots=True)
class Found:
    """What came of the requests."""

    requests: int = 0
    broken: list[str] = field(default_factory=list[str])
    """Replies that are a failure of ours, or not what the document says."""
    seen: list[str] = field(default_factory=list[str])
    """Replies that show what is somebody else's."""
    slowest: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.requests:,} requests on {len(ROUTES)} routes: {len(self.broken)} failures of ours or undeclared "
            f"replies, {len(self.seen)} reads of another user's words, {self.slowest:.1f} s the slowest"
        )


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go, by whom, and the ids that they are aimed at."""

    address: str
    token: str
    ids: list[str]


def send(target: Target, number: int, seed: int, routes: Sequence[tuple[str, str]] = ROUTES) -> Found:
    """So many requests for each route, as its schema allows and as it does not, half of them for ids that exist."""
    found, chance = Found(), random.Random(seed)
    target = replace(target, ids=[*target.ids, *(id_[:8] for id_ in target.ids), "last"])
    for path, method in routes:

        @settings(
            max_examples=number,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
            database=None,
        )
        @given(SCHEMA[path][method].as_strategy())
        def run(case: Any) -> None:  # noqa: ANN401 - schemathesis' own
            if chance.random() < 0.5 and case.path_parameters and "id" in case.path_parameters:
                case.path_parameters["id"] = chance.choice(target.ids)
            judge(found, case, target)

        run()
    return found


def judge(found: Found, case: Any, target: Target) -> None:  # noqa: ANN401 - schemathesis' own
    began = time.monotonic()
    response = case.call(base_url=target.address, headers={"Authorization": f"Bearer {target.token}"}, timeout=30)
    found.slowest = max(found.slowest, time.monotonic() - began)
    found.requests += 1
    where = f"{case.method} {case.formatted_path}: {response.status_code}"
    if CANARY.encode() in response.content:
        found.seen.append(where)
    try:
        case.validate_response(response, checks=CHECKS)
    except (Failure, FailureGroup) as wrong:
        found.broken.append(f"{where}: {wrong}")
    if response.status_code == 202 and "id" in response.json():
        # What was begun by one request is what later ones ask for.
        target.ids.append(str(response.json()["id"]))


def survives(place: Place, found: Found) -> None:
    assert found.broken == []
    assert found.seen == []
    assert place.ends() == place.before
    assert found.slowest < 5


@pytest.mark.promise
def test_whatever_one_user_sends_he_sees_nothing_of_another_and_breaks_nothing(
    place: Place, seed: int, figure: Figure
) -> None:
    found = send(place.by(place.ben), 8, seed)

    figure(str(found))
    survives(place, found)


@pytest.mark.promise
def test_the_same_requests_by_the_owner_show_that_the_words_can_be_seen(place: Place, seed: int) -> None:
    """Control: the harness notices what Ann may read."""
    found = send(place.by(place.ann), 8, seed, [("/api/deliberations/{id}", "GET")])

    assert found.seen


@pytest.mark.promise
async def test_a_server_that_fails_is_noticed(seed: int) -> None:
    """Control: a server that answers everything with 500."""
    async with Endpoint(otherwise=sends(http(b"{}", 500), "keep")) as failing:
        address = failing.url.removesuffix("/v1")
        found = await asyncio.to_thread(send, Target(address, "x", []), 2, seed, [("/api/protocols", "GET")])

    assert found.requests
    assert len(found.broken) == found.requests


@pytest.mark.long
def test_tens_of_thousands_of_requests_break_nothing_and_show_nothing(place: Place, seed: int, figure: Figure) -> None:
    found = send(place.by(place.ben), REQUESTS // len(ROUTES) + 1, seed)

    figure(str(found))
    survives(place, found)


MANY = 20_000
MANY_MODELS = [f"ollama:m{at}" for at in range(MANY)]
HOSTILE_REQUESTS: tuple[dict[str, object], ...] = (
    {"models": MANY_MODELS},
    {"models": [",".join(MANY_MODELS)]},
    {"seats": {"Safety": ",".join(MANY_MODELS)}},
    {"seats": {f"seat {at}": "demo:scripted" for at in range(MANY)}},
    {"settings": {f"setting {at}": 1 for at in range(MANY)}},
    {"settings": {"sources": "\0"}},
    {"settings": {"credibility": "a.json:\0"}},
)
"""What fits into a body and would keep the server busy for a minute, or names what no file can be called."""


@pytest.mark.parametrize("asked", HOSTILE_REQUESTS, ids=lambda asked: f"{len(str(asked))} characters")
@pytest.mark.parametrize("path", ["/api/forecast", "/api/deliberations"])
async def test_a_request_is_bounded_in_all_that_it_lists(tmp_path: Path, path: str, asked: dict[str, object]) -> None:
    async with serving(tmp_path) as api:
        for protocol in ("tribunal", "conference"):
            told = await api.post(path, {"question": "Should we?", "protocol": protocol, **asked})
            assert (told.status, told.code) in {(400, "bad_setting"), (400, "bad_panel")}, told.body


@pytest.mark.parametrize(
    "name", ["a" * 300 + ".js", "a/" * 5000 + ".js", "%00.js", "%ed%a0%80.js", "../app.py", "vendor"]
)
async def test_no_name_of_a_file_of_the_page_breaks_anything(tmp_path: Path, name: str) -> None:
    async with serving(tmp_path) as api:
        assert (await api.get(f"/static/{name}")).status == 404
        assert (await api.get("/static/vendor/preact.js")).status == 200


@pytest.mark.parametrize(("seats", "options"), [(3, 500), (25, 50)])
async def test_a_large_panel_keeps_nobody_waiting(tmp_path: Path, seats: int, options: int) -> None:
    """What a verdict hangs on is worked out on the event loop, for whoever watches."""
    asked = {
        "question": "Which one?",
        "protocol": "conference",
        "seats": {f"seat {at}": "demo:scripted" for at in range(seats)},
        "options": [f"option {at}" for at in range(options)],
    }
    async with serving(tmp_path) as api:
        found = await api.ended(await api.start(asked))
    assert found["state"] == "decided"
    assert found["verdict"]["participation"]["eligible"] == seats
