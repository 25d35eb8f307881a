"""The bare loop to measure beside: the same requests in the same order of dependence, with aiohttp and nothing else."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

__all__ = ["Bodies", "Place", "bare_conference", "bare_session", "bare_tribunal"]

Place = tuple[str, str, str]
"""Round, seat, about."""

Bodies = Mapping[Place, Mapping[str, object]]
"""What a deliberation sends, as recorded from one, by its place."""


@asynccontextmanager
async def bare_session() -> AsyncGenerator[aiohttp.ClientSession]:
    """A session set up as ours is, so that only what is around it differs."""
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=600, sock_connect=10),
        headers={"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "bare"},
    ) as session:
        yield session


async def bare_tribunal(session: aiohttp.ClientSession, url: str, bodies: Bodies) -> Sequence[str]:
    """Three, then six, then three, each as soon as its ingredients are there; gives the last three texts."""
    seats = [seat for round_, seat, _ in bodies if round_ == "analysis"]

    async def call(*place: str) -> str:
        return await _call(session, url, bodies[place[0], place[1], place[2]])

    async def challenge(seat: str, other: str) -> str:
        await openings[seat]
        await openings[other]
        return await call("challenge", seat, other)

    async def revise(seat: str) -> str:
        for opening in openings.values():
            await opening
        for other in seats:
            if other != seat:
                await challenges[other, seat]
        return await call("revision", seat, "")

    async with asyncio.TaskGroup() as group:
        openings = {seat: group.create_task(call("analysis", seat, "")) for seat in seats}
        pairs = [(seat, other) for seat in seats for other in seats if other != seat]
        challenges = {pair: group.create_task(challenge(*pair)) for pair in pairs}
        revisions = [group.create_task(revise(seat)) for seat in seats]
    return [revision.result() for revision in revisions]


async def bare_conference(session: aiohttp.ClientSession, url: str, bodies: Bodies) -> Sequence[str]:
    """Round after round, everyone at once; gives the texts of the last."""
    said: Sequence[str] = ()
    for number in dict.fromkeys(round_ for round_, _, _ in bodies):
        async with asyncio.TaskGroup() as group:
            sent = [
                group.create_task(_call(session, url, body)) for place, body in bodies.items() if place[0] == number
            ]
        said = [task.result() for task in sent]
    return said


async def _call(session: aiohttp.ClientSession, url: str, sent: Mapping[str, object]) -> str:
    body = json.dumps(sent, separators=(",", ":")).encode()
    async with session.post(f"{url}/chat/completions", data=body) as came:
        said: dict[str, Any] = json.loads(await came.read())
        text: str = said["choices"][0]["message"]["content"]
        return text
