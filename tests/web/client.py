"""A real server on loopback and somebody who calls it; a provider on loopback answers for every seat."""

import asyncio
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout

from quorate.doors.web.server import RunningServer, ServerSettings, running_server
from quorate.service.host import Host
from quorate.service.policy import POLICIES
from tests.servers import Endpoint, Seen, said

TOKEN = "test-token-of-thirty-two-characters"
QUESTION = {"question": "Should we delete the staging database?"}
_MARK = re.compile(r'\\"mark\\": \\"([0-9a-f]{12})')


def provider(
    latency: float = 0.0,
    decision: str = "WARN",
    gate: asyncio.Event | None = None,
    reason: str = "nobody tried the way back",
) -> Endpoint:
    """Votes the same for every seat, under the mark it is asked to copy; once the gate is open, if there is one."""

    async def act(writer: asyncio.StreamWriter, seen: Seen) -> bool:
        if gate is not None:
            await gate.wait()
        marks = _MARK.findall(json.dumps(seen.body))
        paper = {"decision": decision, "confidence": 80, "risk": 30, "reasoning": reason}
        ballot = f"\n\nBALLOT {json.dumps({'mark': marks[-1], **paper})}" if marks else ""
        return await said(f"I looked at it.{ballot}")(writer, seen)

    return Endpoint(otherwise=act, latency=latency)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever it is
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """What the error is called."""
        return str(self.json["error"]["code"])


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event."""

    event: str
    data: Any
    id: int | None = None


@dataclass(slots=True)
class Caller:
    """Calls a server with its token."""

    session: ClientSession
    server: RunningServer
    token: str = TOKEN
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.send("GET", path, None, headers)

    async def post(self, path: str, body: object = None, **headers: str) -> Answer:
        return await self.send("POST", path, json.dumps({} if body is None else body).encode(), headers)

    async def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        usual = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else BytesIO(body)
        sent = {**usual, **self.headers, **named}
        async with self.session.request(method, path, data=data, headers=sent) as response:
            return Answer(response.status, response.headers, await response.read())

    async def start(self, body: Mapping[str, object] = QUESTION, **headers: str) -> str:
        """Start a deliberation and give its id."""
        begun = await self.post("/api/deliberations", body, **headers)
        assert begun.status == 202, begun.body
        return str(begun.json["id"])

    async def ended(self, id_: str) -> dict[str, Any]:
        """The document, once it has ended or waits for people."""
        found = await until(self, f"/api/deliberations/{id_}", lambda document: document.get("running") is False)
        assert isinstance(found, dict)
        return found

    async def frames(self, path: str, **headers: str) -> AsyncIterator[Frame]:
        """Follow a stream to its end."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.get(path, headers={"Authorization": f"Bearer {self.token}", **named}) as response:
            assert response.status == 200, await response.text()
            async for frame in frames_of(response.content):
                yield frame

    async def entries(self, id_: str, after: int = 0) -> list[Any]:
        return list((await self.get(f"/api/deliberations/{id_}/entries?after={after}")).json["entries"])


async def until(caller: Caller, path: str, is_so: Callable[[Any], bool]) -> Any:  # noqa: ANN401 - whatever is there
    """What is there once it is so: there is nothing to wait for but what the server says."""
    found = None
    for _ in range(3000):
        found = (await caller.get(path)).json
        if is_so(found):
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(found)


async def frames_of(lines: AsyncIterable[bytes]) -> AsyncIterator[Frame]:
    """Read events as the standard says; comments are skipped."""
    fields: dict[str, str] = {}
    async for raw in lines:
        line = raw.decode().rstrip("\n")
        if not line and fields:
            number = int(fields["id"]) if "id" in fields else None
            yield Frame(fields.get("event", "message"), json.loads(fields["data"]), number)
            fields = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


def operator(home: Path, url: str = "", **more: Any) -> Host:  # noqa: ANN401 - any of its fields
    """Whoever runs the server: one model for all seats, and an empty home."""
    said_: dict[str, Any] = {"model": (f"openai:mock@{url}",)} if url else {"panel": "demo"}
    nowhere = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM")}
    env = {"HOME": str(home), "PATH": "/nowhere", **nowhere, **more.pop("env", {})}
    return Host(env=env, home=home, policy=POLICIES["HTTP"], defaults={**said_, **more.pop("said", {})}, **more)


@asynccontextmanager
async def serving(
    home: Path,
    url: str = "",
    *,
    more: Mapping[str, Any] | None = None,
    **operated: Any,  # noqa: ANN401 - any of its fields
) -> AsyncIterator[Caller]:
    """A server on a free port, and a caller who knows its token."""
    settings: dict[str, Any] = {"token": TOKEN, "ledger": str(home / "ledger.db"), "port": 0, **(more or {})}
    async with (
        running_server(ServerSettings(operator=operator(home, url, **operated), **settings)) as server,
        ClientSession(server.address, timeout=ClientTimeout(total=50)) as session,
    ):
        yield Caller(session, server)
