"""The real server with a provider on loopback behind it, in a thread of its own, beside the browser."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import ClientSession

from quorate import catalogue
from quorate.doors.web.server import RunningServer, ServerSettings, running_server
from quorate.model.ask import AnswerTerms
from quorate.service.host import Host
from quorate.service.policy import POLICIES
from quorate.testing import obey
from tests.servers import Endpoint, Seen, said

TOKEN = "test-token-of-thirty-two-characters"
PAGE_TOKEN = "page-token-of-thirty-two-characters"
NOWHERE = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM")}
T = TypeVar("T")


FORMS = {'"approved"': "approval", '"ranking"': "ranking", '"value"': "estimate", '"outcome"': "finding"}
"""By what stands in a prompt, forms that nobody obeys of himself."""
_MARK = re.compile(r'"mark": "([0-9a-f]{12})"')


async def obedient(writer: asyncio.StreamWriter, seen: Seen) -> bool:
    """Answers any prompt in the form it asks for."""
    prompt = seen.body["messages"][-1]["content"]
    form, marks = next((form for word, form in FORMS.items() if word in prompt), ""), _MARK.findall(prompt)
    sample = catalogue.form(form).sample(AnswerTerms(mark=marks[-1], options=("1", "2"))) if form and marks else ""
    return await said(f"Let me think.\n\n{sample}" if sample else obey(prompt))(writer, seen)


@dataclass
class Served:
    """A server that can be stopped and started again on the same ledger, and a provider that can be held up."""

    home: Path
    loop: asyncio.AbstractEventLoop
    endpoint: Endpoint = field(default_factory=lambda: Endpoint(otherwise=obedient))
    port: int = 0
    held: asyncio.Event = field(default_factory=asyncio.Event)
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _server: RunningServer | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def page(self, path: str = "") -> str:
        """The address as it is printed, then a place on the page."""
        return f"{self.address}#token={PAGE_TOKEN}/{path}" if path else f"{self.address}#token={PAGE_TOKEN}"

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def start(self, **body: object) -> str:
        """Start a deliberation through the API and give its id."""
        return self.run(self._start(body))

    async def _start(self, body: Mapping[str, object]) -> str:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            ClientSession(headers=headers) as session,
            session.post(f"{self.address}api/deliberations", json=body) as answer,
        ):
            told = await answer.json()
            assert answer.status == 202, told
            return str(told["id"])

    def up(self) -> None:
        self.run(self._up())

    async def _up(self) -> None:
        if not self.endpoint.port:
            self.endpoint.otherwise = self._answer
            await self.endpoint.__aenter__()
        model = {"model": (f"openai:mock@{self.endpoint.url}",)}
        env = {"HOME": str(self.home), "PATH": "/nowhere", **NOWHERE}
        operator = Host(env=env, home=self.home, policy=POLICIES["HTTP"], defaults={**model, **self.said})
        settings = ServerSettings(
            operator=operator,
            token=TOKEN,
            page_token=PAGE_TOKEN,
            ledger=str(self.home / "ledger.db"),
            port=self.port,
        )
        self._server = await self._stack.enter_async_context(running_server(settings))
        self.port = self._server.port

    async def _answer(self, writer: asyncio.StreamWriter, seen: Seen) -> bool:
        await self.held.wait()
        return await obedient(writer, seen)

    def down(self) -> None:
        self.run(self._down())

    async def _down(self) -> None:
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()

    def let_answer(self, *, go: bool = True) -> None:
        """Let the models answer, or make them wait."""
        self.loop.call_soon_threadsafe(self.held.set if go else self.held.clear)


@contextmanager
def serving(home: Path, **said_: object) -> Iterator[Served]:
    """A server that is up inside of this."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    served = Served(home, loop, said=said_)
    try:
        served.up()
        yield served
    finally:
        served.let_answer()
        served.down()
        served.run(served.endpoint.__aexit__(None, None, None))
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
