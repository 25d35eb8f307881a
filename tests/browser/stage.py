"""A small server of the page whose events come when a test says so: as slow, as torn and as closed as it likes."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from quorate import chair
from quorate.offline.html_report import html_report, page_files
from quorate.views import Record
from quorate.views.floor import floor

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def entries_of(record: Record) -> list[dict[str, Any]]:
    """Entries as the API hands them out."""
    found: list[dict[str, Any]] = []
    state: chair.State | None = None
    for at, event in enumerate(record.events):
        state = state.after(event) if state else chair.replay([event])
        found.append({"number": at + 1, "time": record.times[at], "floor": floor(event, state)})
    return found


@dataclass
class Stage:
    """What is shown so far, who asked for what, and what is to go wrong."""

    record: Record
    shown: int = 0
    words: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    token: str = ""
    down: bool = False
    breaks: int = 0
    port: int = 0
    after: list[str] = field(default_factory=list[str])
    replays: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    replay: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        self.entries = entries_of(self.record)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def show(self, number: int | None = None) -> None:
        """Let entries out up to this one; all of them without a number."""
        self.shown = len(self.entries) if number is None else number

    def tear(self) -> None:
        """Break every stream that is open."""
        self.breaks += 1

    def _may(self, request: Request) -> bool:
        return not self.token or request.headers.get("authorization") == f"Bearer {self.token}"

    async def events(self, request: Request) -> Response:
        if not self._may(request):
            return JSONResponse({"error": {"code": "unauthorized", "message": "say the token"}}, 401)
        if self.down:
            return JSONResponse({"error": {"code": "unavailable", "message": "not now"}}, 503)
        last = request.headers.get("last-event-id", "")
        self.after.append(last)
        return StreamingResponse(self._frames(int(last or 0)), media_type="text/event-stream")

    async def _frames(self, last: int) -> AsyncIterator[str]:
        breaks, said = self.breaks, 0
        while breaks == self.breaks:
            for entry in self.entries[last : self.shown]:
                yield f"id: {entry['number']}\nevent: entry\ndata: {json.dumps(entry)}\n\n"
            last = max(last, self.shown)
            for words in self.words[said:]:
                yield f"event: words\ndata: {json.dumps(words)}\n\n"
            said = len(self.words)
            if last == len(self.entries):
                yield 'event: end\ndata: {"state": "decided"}\n\n'
                return
            await asyncio.sleep(0.02)

    async def again(self, request: Request) -> Response:
        self.replays.append(await request.json())
        return JSONResponse(self.replay)

    async def protocols(self, _: Request) -> Response:
        return JSONResponse([{"name": "tribunal", "rulebooks": ["tribunal", "strict"], "settings": []}])

    async def verify(self, _: Request) -> Response:
        return JSONResponse({"id": self.record.id, "state": "holds", "holds": True, "because": None})

    async def one(self, _: Request) -> Response:
        return Response(html_report(self.record), media_type="text/html")

    def app(self) -> Starlette:
        files = page_files()

        async def file(request: Request) -> Response:
            name = request.path_params.get("path", "index.html")
            kind = KINDS[name.rpartition(".")[2]]
            return Response(files[name], media_type=kind, headers={"Content-Security-Policy": POLICY})

        of_one = "/api/deliberations/{id}"
        return Starlette(
            routes=[
                Route("/", file),
                Route("/static/{path:path}", file),
                Route(f"{of_one}/events", self.events),
                Route(f"{of_one}/replay", self.again, methods=["POST"]),
                Route(f"{of_one}/verify", self.verify),
                Route("/api/protocols", self.protocols),
                Route(of_one, self.one),
            ]
        )


@contextmanager
def staged(record: Record) -> Iterator[Stage]:
    """A stage that is up inside of this."""
    stage = Stage(record)
    server = uvicorn.Server(uvicorn.Config(stage.app(), port=0, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            threading.Event().wait(0.01)
        stage.port = server.servers[0].sockets[0].getsockname()[1]
        yield stage
    finally:
        stage.tear()
        server.should_exit = True
        thread.join()
