"""Every route does what the reference says, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate.doors.web.user_tokens import new_token
from quorate.ledger import open_ledger
from quorate.model import Spoken
from quorate.views import VIEWS
from tests.servers import Endpoint
from tests.web.client import QUESTION, Caller, provider, serving, until

BALLOT = "Decision: WARN\nConfidence: 80\nRisk: 30\nReasoning: nobody tried the way back"


async def test_a_start_answers_with_the_id_once_the_question_is_on_record(tmp_path: Path) -> None:
    async with provider(gate=asyncio.Event()) as endpoint, serving(tmp_path, endpoint.url) as api:
        begun = await api.post("/api/deliberations", QUESTION)
        entries = await api.entries(begun.json["id"])

    assert begun.status == 202
    assert begun.json["state"] == "running"
    assert begun.headers["Location"] == begun.json["url"] == f"/api/deliberations/{begun.json['id']}"
    assert entries[0]["floor"]["question"] == QUESTION["question"]


async def test_it_ends_with_the_document_of_ask_json(api: Caller, endpoint: Endpoint) -> None:
    found = await api.ended(await api.start())

    assert found["state"] == "decided"
    assert found["check"]["state"] == "holds"
    assert (found["running"], found["trouble"]) == (False, None)
    assert found["verdict"]["outcome"] == "WARN"
    assert found["cost"]["calls"] == len(endpoint.seen) == 12


async def test_the_same_key_starts_nothing_twice(api: Caller, endpoint: Endpoint) -> None:
    ids = await asyncio.gather(*(api.start(QUESTION, Idempotency_Key="k1") for _ in range(5)))
    await api.ended(ids[0])
    again = await api.start(QUESTION, Idempotency_Key="k1")
    other = await api.post("/api/deliberations", {"question": "Should we not?"}, Idempotency_Key="k1")

    assert {*ids, again} == {ids[0]}
    assert len(endpoint.seen) == 12
    assert (other.status, other.code) == (409, "conflict")


async def test_what_has_ended_is_not_said_to_be_running(api: Caller) -> None:
    id_ = await api.start(QUESTION, Idempotency_Key="k1")
    await api.ended(id_)
    again = await api.post("/api/deliberations", QUESTION, Idempotency_Key="k1")
    resumed = await api.post(f"/api/deliberations/{id_}/resume")

    assert (again.json["id"], again.json["state"]) == (id_, "decided")
    assert resumed.json["state"] == "decided"


async def test_a_panel_that_is_not_offered_is_answered_with_those_that_are(api: Caller) -> None:
    told = await api.post("/api/deliberations", {"question": "May we?", "panel": "dmo"})

    assert "; did you mean 'demo'?" in told.json["error"]["message"]
    assert "--" not in told.json["error"]["message"]


async def test_a_number_below_nought_is_a_number(api: Caller) -> None:
    assert (await api.get("/api/deliberations?limit=-1")).status == 200
    assert "limit must be an integer" in (await api.get("/api/deliberations?limit=--1")).json["error"]["message"]


async def test_the_list_has_pages_filters_and_search(api: Caller) -> None:
    ids = [await api.start({"question": f"Should we, number {number}?"}) for number in range(3)]
    for id_ in ids:
        await api.ended(id_)

    first = (await api.get("/api/deliberations?limit=2")).json
    rest = (await api.get(f"/api/deliberations?limit=2&before={first['next']}")).json
    found = (await api.get("/api/deliberations?search=NUMBER%201&state=decided&protocol=tribunal&since=1d")).json
    none = (await api.get("/api/deliberations?awaits=true")).json

    assert [one["id"] for one in (*first["items"], *rest["items"])] == ids[::-1]
    assert rest["next"] is None
    assert [one["id"] for one in found["items"]] == [ids[1]]
    assert found["items"][0]["check"] == "holds"
    assert none["items"] == []


@pytest.mark.parametrize(
    "search", ["", "%00", "'", '"', "%22 OR 1=1", "NEAR(", "*", "%F0%9F%92%A9", "%ED%A0%80", "a" * 5000]
)
async def test_no_search_term_can_raise(api: Caller, search: str) -> None:
    await api.ended(await api.start())

    assert (await api.get(f"/api/deliberations?search={search}")).status == 200


@pytest.mark.parametrize("form", sorted(VIEWS))
async def test_it_is_shown_in_every_form_that_fits(api: Caller, form: str) -> None:
    id_ = await api.start()
    await api.ended(id_)

    shown = await api.get(f"/api/deliberations/{id_}?as={form}")

    assert shown.status == (200 if VIEWS[form].fits("tribunal") else 400)
    assert shown.body


@pytest.mark.parametrize("named", ["..%2f..", "%00", "x", "A" * 26, "0" * 26, "0" * 25, "aq", "last%2f", "LAST"])
async def test_only_a_whole_id_or_last_names_a_deliberation(api: Caller, named: str) -> None:
    await api.start()
    for more in ("", "/entries", "/events", "/asks", "/verify", "/export"):
        assert (await api.get(f"/api/deliberations/{named}{more}")).status == 404


async def test_last_is_what_was_begun_last(api: Caller) -> None:
    id_ = await api.start()

    assert (await api.get("/api/deliberations/last")).json["id"] == id_


async def test_entries_come_from_any_number_on(api: Caller) -> None:
    id_ = await api.start()
    await api.ended(id_)
    entries = await api.entries(id_)

    assert [entry["number"] for entry in entries] == list(range(1, len(entries) + 1))
    assert {"convened", "asked", "spoke", "decided"} <= {entry["floor"]["kind"] for entry in entries}
    for after in (0, 1, len(entries) - 1, len(entries), 10**9):
        assert await api.entries(id_, after) == entries[after:]
    assert (await api.get(f"/api/deliberations/{id_}/entries")).json["ended"] is True


async def test_a_record_is_verified_exported_compared_and_reported(api: Caller) -> None:
    ids = [await api.start(), await api.start({"question": "Should we not?"})]
    for id_ in ids:
        await api.ended(id_)

    verified = (await api.get(f"/api/deliberations/{ids[0]}/verify")).json
    exported = (await api.get(f"/api/deliberations/{ids[0]}/export")).body
    compared = (await api.get(f"/api/compare?a={ids[0]}&b=last")).json
    report = (await api.get("/api/report?since=1d")).json

    assert verified["holds"] is True
    assert len(exported.splitlines()) == verified["entries"] + 1
    assert compared["ids"] == ids
    assert "question" in {row["field"] for row in compared["differences"]}
    assert report["deliberations"] == 2


async def test_what_if_counts_again_and_writes_nothing(api: Caller) -> None:
    id_ = await api.start()
    await api.ended(id_)
    path, before = f"/api/deliberations/{id_}/replay", await api.entries(id_)

    strict = (await api.post(path, {"rulebook": "strict"})).json
    fewer = (await api.post(path, {"without": ["Safety"]})).json
    higher = (await api.post(path, {"settings": {"supermajority.at_least": "3/4"}})).json
    nobody = await api.post(path, {"without": ["Utility", "Accuracy", "Safety"]})

    assert strict["verdict"]["outcome"] == "WARN"
    assert fewer["verdict"]["participation"]["eligible"] == 2
    assert (fewer["changed"], higher["changed"]) == (False, False)
    assert (nobody.status, nobody.code) == (400, "bad_setting")
    assert await api.entries(id_) == before


async def test_a_forecast_asks_nobody(api: Caller, endpoint: Endpoint) -> None:
    told = (await api.post("/api/forecast", QUESTION)).json

    assert told["calls"] == 12
    assert [seat["seat"] for seat in told["seats"]] == ["Utility", "Accuracy", "Safety"]
    assert "3 seats" in told["withstands"]["sentence"]
    assert endpoint.seen == []


@pytest.fixture
async def page(tmp_path: Path, endpoint: Endpoint) -> AsyncIterator[Caller]:
    """The owner's page: it has a token of its own, and a browser says where its requests come from."""
    token = new_token()
    async with serving(tmp_path, endpoint.url, more={"page_token": token}) as api:
        yield Caller(api.session, api.server, token, {"Origin": api.server.address})


async def test_a_person_answers_for_a_seat_until_there_is_a_verdict(page: Caller) -> None:
    id_ = await page.start({**QUESTION, "seats": {"Safety": "person:ann"}})
    refused = 0
    for _ in range(20):
        if (await page.ended(id_))["state"] != "waiting":
            break
        [ask, *_] = (await page.get(f"/api/deliberations/{id_}/asks")).json
        assert (ask["seat"], QUESTION["question"] in ask["prompt"]) == ("Safety", True)
        bad = await page.post(f"/api/deliberations/{id_}/answer", {"seat": "Safety", "text": "\n"})
        refused += bad.status == 400
        text = "I doubt it." if ask["about"] else BALLOT
        assert (await page.post(f"/api/deliberations/{id_}/answer", {"seat": "Safety", "text": text})).status == 200

    assert (await page.ended(id_))["verdict"]["participation"]["received"] == 3
    assert refused > 0


async def test_a_person_may_answer_while_others_are_at_work(tmp_path: Path) -> None:
    async with provider(latency=1.5) as endpoint, serving(tmp_path, endpoint.url, allowed_models=("person:*",)) as api:
        id_ = await api.start({**QUESTION, "seats": {"Safety": "person:ann"}})
        await until(api, f"/api/deliberations/{id_}/asks", bool)
        told = await api.post(f"/api/deliberations/{id_}/answer", {"seat": "Safety", "text": BALLOT})

        assert told.status == 200
        spoke = [entry["floor"]["seat"] for entry in await api.entries(id_) if entry["floor"]["kind"] == "spoke"]
        assert spoke == ["Safety"]
        await api.post(f"/api/deliberations/{id_}/cancel")


async def test_what_turned_out_right_is_recorded_and_the_stream_shows_it(api: Caller) -> None:
    id_ = await api.start()
    before = (await api.ended(id_))["verdict"]

    assert (await api.post(f"/api/deliberations/{id_}/outcome", {"value": "DANCE"})).status == 400
    assert (await api.post(f"/api/deliberations/{id_}/outcome", {"value": "refuse", "by": "Ann"})).status == 200

    after = await api.ended(id_)
    assert (after["turned_out"]["value"], after["turned_out"]["by"], after["verdict"]) == ("REFUSE", "Ann", before)
    assert (await api.entries(id_))[-1]["floor"]["kind"] == "turned_out"


async def test_a_request_may_ask_for_a_promise_that_the_labels_do_not_carry(api: Caller) -> None:
    told = await api.post("/api/deliberations", {"question": "Ship it?", "act_error": "2.5%"})

    assert told.status == 202
    assert "every verdict goes to a person: not enough labels to promise that: 91" in " ".join(
        note["text"] for note in told.json["notes"]
    )


async def test_a_verdict_is_reviewed_and_the_stream_shows_it(api: Caller) -> None:
    id_ = await api.start()
    await api.ended(id_)
    review = {"outcome": "REFUSE", "by": "Ann", "because": "the backup was never restored"}

    assert (await api.post(f"/api/deliberations/{id_}/review", {**review, "outcome": "DANCE"})).status == 400
    assert (await api.post(f"/api/deliberations/{id_}/review", review)).status == 200

    assert (await api.ended(id_))["review"]["outcome"] == "REFUSE"
    assert (await api.entries(id_))[-1]["floor"]["kind"] == "reviewed"


async def test_what_is_cancelled_is_given_up_for_good(tmp_path: Path) -> None:
    async with provider(latency=5) as endpoint, serving(tmp_path, endpoint.url) as api:
        id_ = await api.start()
        cancelled = await api.post(f"/api/deliberations/{id_}/cancel", {"because": "not needed any more"})
        again = await api.post(f"/api/deliberations/{id_}/cancel")

        assert cancelled.status == 200
        floor = (await api.entries(id_))[-1]["floor"]
        assert (floor["kind"], floor["why"]) == ("halted", "not needed any more")
        assert (again.status, again.code) == (400, "bad_setting")
        assert [frame.event for frame in [one async for one in api.frames(f"/api/deliberations/{id_}/events")]][
            -1
        ] == "end"


async def test_an_interrupted_one_is_resumed_and_nothing_is_bought_twice(tmp_path: Path) -> None:
    async with provider(latency=0.3) as endpoint:
        async with serving(tmp_path, endpoint.url) as api:
            id_ = await api.start()
            await until(api, f"/api/deliberations/{id_}/entries", lambda found: len(found["entries"]) >= 8)
        spoken, before = await answers(tmp_path, id_), len(endpoint.seen)
        async with serving(tmp_path, endpoint.url) as api:
            assert api.server.resumed == (id_,)
            assert (await api.post(f"/api/deliberations/{id_}/resume")).status == 202
            found = await api.ended(id_)

    assert found["state"] == "decided"
    assert len(endpoint.seen) - before == 12 - spoken


async def answers(home: Path, id_: str) -> int:
    """How many answers are on record."""
    ledger = open_ledger(home / "ledger.db")
    try:
        return sum(isinstance(entry.event, Spoken) for entry in await ledger.read(id_))
    finally:
        await ledger.close()


async def test_lists_of_what_there_is(api: Caller) -> None:
    protocols = {one["name"]: one for one in (await api.get("/api/protocols")).json}
    panels = {one["panel"] for one in (await api.get("/api/panels")).json}
    rulebooks = {one["name"] for one in (await api.get("/api/rulebooks")).json}
    settings = {one["name"]: one for one in (await api.get("/api/settings")).json}
    models = (await api.get("/api/models")).json["models"]

    assert protocols["tribunal"]["outcomes"] == ["ACT", "WARN", "REFUSE"]
    assert [seat["seat"] for seat in protocols["tribunal"]["seats"]] == ["Utility", "Accuracy", "Safety"]
    assert {"veto", "supermajority.at_least"} <= {one["name"] for one in protocols["tribunal"]["settings"]}
    assert {"demo", "tribunal", "conference"} <= panels
    assert "strict" in rulebooks
    assert (settings["budget"]["request"], settings["ledger"]["request"]) == (True, False)
    assert all(one["usable"] for one in models)


async def test_health_readiness_metrics_and_the_document(api: Caller) -> None:
    await api.ended(await api.start())

    assert (await api.get("/healthz")).body == b"ok\n"
    assert (await api.get("/readyz")).body == b"ready\n"
    metrics = (await api.get("/metrics")).body.decode()
    assert 'quorate_deliberations_ended_total{state="decided"} 1' in metrics
    assert "quorate_calls_total 12" in metrics
    assert 'quorate_http_requests_total{status="202"} 1' in metrics
    assert (await api.get("/openapi.json")).json["openapi"] == "3.1.0"


async def test_a_head_is_answered_at_once_whatever_follows(tmp_path: Path) -> None:
    async with provider(latency=30) as endpoint, serving(tmp_path, endpoint.url) as api:
        id_ = await api.start()
        for path in ("/healthz", "/api/deliberations", f"/api/deliberations/{id_}/events"):
            assert ((told := await api.send("HEAD", path, None, {})).status, told.body) == (200, b"")
        await api.post(f"/api/deliberations/{id_}/cancel")


async def test_a_budget_that_pays_for_no_pass_is_refused_before_anything_is_spent(
    api: Caller, endpoint: Endpoint
) -> None:
    told = await api.post("/api/deliberations", {**QUESTION, "budget": "2 calls"})

    assert (told.status, told.code) == (400, "bad_setting")
    assert [one["setting"] for one in told.json["error"]["suggestions"]] == ["allow_partial"]
    assert endpoint.seen == []


async def test_a_deliberation_of_another_process_is_not_taken_from_it(api: Caller, tmp_path: Path) -> None:
    id_ = await api.start()
    await api.ended(id_)
    ledger = open_ledger(tmp_path / "ledger.db")
    try:
        async with ledger.own(id_):
            told = await api.post(
                f"/api/deliberations/{id_}/review", {"outcome": "ACT", "by": "Ann", "because": "because"}
            )
    finally:
        await ledger.close()

    assert (told.status, told.code) == (409, "owner_lost")
