"""Earlier decisions over real HTTP: found, compared, and shown to a panel when a request asks for it."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from quorate.ledger import open_ledger
from tests.decisions import STAGING, decide_on
from tests.servers import Endpoint
from tests.web.client import Caller


@pytest.fixture
async def changed(tmp_path: Path, api: Caller) -> AsyncIterator[list[str]]:
    """Two decisions on one question in the ledger of the server, the later one otherwise."""
    ledger = open_ledger(tmp_path / "ledger.db")
    yield [(await decide_on(ledger, STAGING, choice)).id for choice in ("ACT", "REFUSE")]
    await ledger.close()


async def test_a_deliberation_is_shown_with_what_was_decided_before(api: Caller, changed: list[str]) -> None:
    first, last = changed

    found = (await api.get(f"/api/deliberations/{last}/memory")).json

    assert [(one["id"], one["same_question"], one["replaced_by"]) for one in found["similar"]] == [(first, True, last)]
    assert [(one["id"], one["changed"]) for one in found["timeline"]] == [(first, False), (last, True)]
    assert [one["supersedes"] for one in found["contradictions"]] == [True]
    assert found["changes"] == 1


async def test_a_search_takes_a_question_or_words_and_never_fails(api: Caller, changed: list[str]) -> None:
    for words in ("May we delete the staging database?", "staging"):
        found = (await api.get(f"/api/memory/similar?{urlencode({'question': words})}")).json
        assert {one["id"] for one in found["similar"]} == {*changed}
    for odd in ('"', "' OR 1=1", "*", "\u202e", "", "NEAR("):
        told = await api.get(f"/api/memory/similar?{urlencode({'question': odd})}")
        assert (told.status, told.json["similar"]) == (200, [])


async def test_every_contradiction_is_listed(api: Caller, changed: list[str]) -> None:
    (pair,) = (await api.get("/api/memory/contradictions?limit=1")).json["contradictions"]

    assert [pair["earlier"]["id"], pair["later"]["id"]] == changed


async def test_what_has_no_verdict_has_no_memory(api: Caller) -> None:
    told = await api.get(f"/api/deliberations/{'0' * 26}/memory")

    assert (told.status, told.code) == (404, "not_recorded")


async def test_a_request_may_ask_for_precedent(api: Caller, changed: list[str], endpoint: Endpoint) -> None:
    asked = {"question": STAGING, "memory": "on"}
    begun = await api.post("/api/deliberations", asked)
    found = await api.ended(begun.json["id"])

    assert any("2 earlier decisions shown to the seats as precedent" in note["text"] for note in begun.json["notes"])
    assert {one["id"] for one in found["precedents"]} == {*changed}
    assert all("precedent, which binds nobody" in str(seen.body) for seen in endpoint.seen)
    assert found["check"]["state"] == "holds"
