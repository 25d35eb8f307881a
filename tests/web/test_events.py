"""Server-sent events: exactly the gap, whoever holds the deliberation; nobody who stops reading costs the others."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from quorate.doors.web import broadcast
from quorate.doors.web.encoding import encode, frame
from quorate.ledger import open_ledger
from tests.servers import Endpoint
from tests.web.client import QUESTION, TOKEN, Caller, Frame, frames_of, provider, serving, until

KEY = {"Authorization": f"Bearer {TOKEN}"}


async def followed(api: Caller, id_: str, after: int = 0, **headers: str) -> list[Frame]:
    return [one async for one in api.frames(f"/api/deliberations/{id_}/events?after={after}", **headers)]


def numbers(frames: list[Frame]) -> list[int]:
    return [one.id for one in frames if one.event == "entry" and one.id is not None]


async def test_a_viewer_sees_every_entry_in_order_and_then_the_end(api: Caller) -> None:
    frames = await followed(api, await api.start())

    assert numbers(frames) == list(range(1, len(numbers(frames)) + 1))
    assert [one.data["number"] for one in frames if one.event == "entry"] == numbers(frames)
    assert (frames[-1].event, frames[-1].data) == ("end", {"state": "decided"})


async def test_from_any_entry_on_exactly_the_gap_is_sent(api: Caller) -> None:
    id_ = await api.start()
    everything = await followed(api, id_)
    last = len(numbers(everything))

    for after in range(last + 2):
        by_query, by_header = await followed(api, id_, after), await followed(api, id_, Last_Event_ID=str(after))
        assert numbers(by_query) == numbers(by_header) == list(range(after + 1, last + 1))
    assert numbers(await followed(api, id_, 3, Last_Event_ID="7")) == list(range(8, last + 1))


async def test_whoever_loses_the_connection_again_and_again_misses_nothing(tmp_path: Path) -> None:
    async with provider(latency=0.1) as endpoint, serving(tmp_path, endpoint.url) as api:
        id_, seen, ended = await api.start(), list[int](), False
        while not ended:
            frames = 0
            async for one in api.frames(f"/api/deliberations/{id_}/events?after={len(seen)}"):
                ended = one.event == "end"
                seen += [one.id] if one.id is not None else []
                frames += 1
                if frames == 3:
                    break

        assert seen == list(range(1, len(await api.entries(id_)) + 1))


async def test_words_in_flight_have_no_number_and_end_with_their_entry(tmp_path: Path) -> None:
    async with serving(tmp_path) as api:
        frames = await followed(api, await api.start())

    words = [one for one in frames if one.event == "words"]
    assert words
    assert all(one.id is None and one.data.keys() == {"seat", "round", "about", "text"} for one in words)


async def test_what_another_process_holds_is_followed_in_the_ledger(tmp_path: Path) -> None:
    async with (
        provider(latency=0.3) as endpoint,
        serving(tmp_path, endpoint.url) as one,
        serving(tmp_path, endpoint.url) as other,
    ):
        id_ = await one.start()
        here, there = await asyncio.gather(followed(one, id_), followed(other, id_))
        running = other.server.workspace.is_held(id_)

    assert not running
    assert numbers(there) == numbers(here)
    assert [frame.data for frame in there if frame.id] == [frame.data for frame in here if frame.id]
    assert there[-1].event == "end"
    assert not any(frame.event == "words" for frame in there)


async def test_two_servers_on_one_ledger_do_not_fight(tmp_path: Path) -> None:
    async with provider(latency=0.2) as endpoint, serving(tmp_path, endpoint.url) as one:
        id_ = await one.start(QUESTION, Idempotency_Key="k")
        async with serving(tmp_path, endpoint.url) as other:
            assert other.server.resumed == ()
            assert await other.start(QUESTION, Idempotency_Key="k") == id_
            taken = await other.post(f"/api/deliberations/{id_}/resume")
            assert (taken.status, taken.code) == (409, "owner_lost")
            assert (await other.get("/api/deliberations")).json["items"][0]["running"] is True
            assert (await other.ended(id_))["state"] == "decided"

    assert len(endpoint.seen) == 12


async def test_an_ended_one_is_sent_whole_and_closed(api: Caller) -> None:
    id_ = await api.start()
    await api.ended(id_)

    assert numbers(await followed(api, id_)) == [entry["number"] for entry in await api.entries(id_)]


async def test_a_quiet_stream_shows_that_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "HEARTBEAT", 0.05)
    async with provider(latency=30) as endpoint, serving(tmp_path, endpoint.url) as api:
        id_ = await api.start()
        async with api.session.get(f"/api/deliberations/{id_}/events", headers=KEY) as response:
            read = b""
            while read.count(b": still here") < 3:
                read += await response.content.readany()
        await api.post(f"/api/deliberations/{id_}/cancel")


async def test_a_viewer_that_stops_reading_is_dropped_and_the_others_see_all(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "STALLED", 0.3)
    async with serving(tmp_path, endpoint.url) as api:
        id_ = await api.start({**QUESTION, "context": "word " * 30_000})
        await api.ended(id_)
        stalled = stopped_reading(api, id_, 80)
        frames = await followed(api, id_)
        counts = api.server.service.counts
        await until_dropped(api)

        assert counts.viewers == 0
        assert frames[-1].event == "end"
    stalled.close()


def stopped_reading(api: Caller, id_: str, times: int) -> socket.socket:
    """Asks for a stream many times over on one connection, and never reads."""
    stalled = socket.create_connection(("127.0.0.1", api.server.port))
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    named = f"Host: 127.0.0.1:{api.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
    request = f"GET /api/deliberations/{id_}/events HTTP/1.1\r\n{named}\r\n"
    stalled.sendall(request.encode() * times)
    return stalled


async def until_dropped(api: Caller) -> None:
    for _ in range(500):
        if api.server.service.counts.dropped:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(api.server.service.counts)


async def test_a_server_that_stops_lets_viewers_go_and_keeps_nothing_from_them(tmp_path: Path) -> None:
    async with provider(latency=0.4) as endpoint:
        async with serving(tmp_path, endpoint.url) as api:
            id_ = await api.start()
            first = asyncio.create_task(alone(api.server.address, id_))
            await until(api, f"/api/deliberations/{id_}/entries", lambda found: len(found["entries"]) >= 6)
            waiting = asyncio.get_running_loop().time()
        stopped = asyncio.get_running_loop().time() - waiting
        before = await first
        async with serving(tmp_path, endpoint.url) as api:
            after = await followed(api, id_, len(numbers(before)))

    assert before[-1].event != "end"
    assert numbers(before) + numbers(after) == list(range(1, len(numbers(before)) + len(numbers(after)) + 1))
    assert after[-1].event == "end"
    assert stopped < 20


async def alone(address: str, id_: str) -> list[Frame]:
    """Whoever watches is no part of the server, and does not go when it does."""
    async with (
        ClientSession(address, headers=KEY) as session,
        session.get(f"/api/deliberations/{id_}/events") as response,
    ):
        return [one async for one in frames_of(response.content)]


ANY = st.text(st.characters(codec=None, categories=("L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Cs")))


async def lines(sent: bytes) -> AsyncIterator[bytes]:
    """As a connection gives them."""
    for line in sent.split(b"\n"):
        yield line + b"\n"


@given(ANY, ANY)
def test_any_text_comes_through_a_frame_whole(seat: str, text: str) -> None:
    sent = frame("words", {"seat": seat, "text": text}, 7)
    assert sent.count(b"\n") == 4

    async def read() -> list[Frame]:
        return [one async for one in frames_of(lines(sent))]

    [found] = asyncio.run(read())
    assert found == Frame("words", {"seat": seat, "text": text}, 7)
    assert json.loads(encode(text)) == text


async def test_the_ledger_is_asked_once_for_all_who_watch(tmp_path: Path) -> None:
    async with serving(tmp_path) as api:
        ledger = open_ledger(tmp_path / "ledger.db")
        id_ = await api.start({**QUESTION, "seats": {"Safety": "person:ann"}})
        await api.ended(id_)
        viewers = [asyncio.create_task(followed(api, id_)) for _ in range(20)]
        publishers = api.server.workspace._publishers  # noqa: SLF001 - one for all is the claim
        while sum(len(one.viewers) for one in publishers.values()) < len(viewers):  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(0.01)
        assert len(publishers) == 1
        assert (await api.post(f"/api/deliberations/{id_}/cancel")).status == 200
        found = await asyncio.gather(*viewers)
        await ledger.close()

    assert len({tuple(numbers(one)) for one in found}) == 1
    assert TOKEN not in str(found)
