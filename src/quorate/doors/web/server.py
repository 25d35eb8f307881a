"""The server: it listens, goes on with what it had begun, serves until it is stopped, and leaves the rest resumable."""

import asyncio
import errno
import logging
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import field
from functools import partial
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
from threading import Thread
from typing import Final, NamedTuple, Self

import uvicorn
from starlette.applications import Starlette

from quorate.doors.web.app import create_app
from quorate.doors.web.connection import HttpConnection, ServerLimits
from quorate.doors.web.ledger_host import LedgerHost
from quorate.doors.web.metrics import Counts
from quorate.doors.web.operation import Service
from quorate.doors.web.queued_work import QueuedWork
from quorate.doors.web.security import Access, Gate, token_hash
from quorate.doors.web.user_tokens import User
from quorate.errors import BadSetting, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.address import is_address
from quorate.service.host import Host

__all__ = ["LivePage", "RunningServer", "ServerSettings", "application", "running_server"]

GRACE: Final = 3
"""Seconds that open requests have when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where it listens, for whom, and on which ledgers."""

    operator: Host
    token: str = field(repr=False)
    page_token: str = field(default="", repr=False)
    """The token that only the link of the owner's page carries: a review that comes with it may open a gate."""
    ledger: str | Ledger = ""
    host: str = "127.0.0.1"
    port: int = 8420
    names: tuple[str, ...] = ()
    """Other names that it answers to."""
    users: tuple[User, ...] = ()
    beside: Mapping[str, Starlette] = field(default_factory=dict[str, Starlette])
    """Other applications behind the same gate, by the path each has."""
    resumes: bool = True
    """Whether it goes on with what a server had begun; one that only shows something does not."""
    limits: ServerLimits = field(default_factory=lambda: ServerLimits().within(_file_limit()))


def _file_limit() -> int:
    """How many files this process may open; a million where there is no limit."""
    most = getrlimit(RLIMIT_NOFILE)[0]
    return 1_000_000 if most == RLIM_INFINITY else most


class RunningServer(NamedTuple):
    """A server that answers."""

    address: str
    port: int
    service: Service
    resumed: tuple[str, ...]
    task: "asyncio.Task[None]"

    @property
    def workspace(self) -> LedgerHost:
        """The one workspace of a server that is one person's."""
        return self.service.workspaces[""]


class _Uvicorn(uvicorn.Server):
    """Signals are the command's: it cancels what is under way, and we let go in order."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answers.set()

    def abort(self, client: tuple[str, int]) -> None:
        """Break a connection off, with whatever it still holds to be sent."""
        for connection in tuple(self.server_state.connections):
            if isinstance(connection, HttpConnection) and connection.client == client:
                connection.transport.abort()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def running_server(settings: ServerSettings) -> AsyncIterator[RunningServer]:
    """Serve inside of this; at its end nothing more is taken, and what is not finished can be resumed.

    Raises:
        BadSetting: nothing can listen there.
        LedgerError: a ledger cannot be read.
    """
    listening = _listen(settings.host, settings.port)
    port = int(listening.getsockname()[1])
    service = _service(settings)
    server = _Uvicorn(_config(create_app(service, _access(settings, port), settings.beside), settings.limits))
    service.abort = server.abort
    resumed = [id_ for one in service.workspaces.values() for id_ in await one.open(resumes=settings.resumes)]
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        async with AsyncExitStack() as others:
            for app in settings.beside.values():
                await others.enter_async_context(app.router.lifespan_context(app))
            await server.answers.wait()
            service.ready = True
            yield RunningServer(_address(settings.host, port), port, service, tuple(resumed), task)
    finally:
        service.ready, server.should_exit = False, True
        for workspace in service.workspaces.values():
            workspace.stop_streams()
        await asyncio.wait((task,))
        for workspace in service.workspaces.values():
            await workspace.close()


def application(settings: ServerSettings, port: int) -> Gate:
    """The application alone, for a server of somebody else's that listens at this port."""
    return create_app(_service(settings), _access(settings, port))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as wrong:
        taken = isinstance(wrong, OSError) and wrong.errno == errno.EADDRINUSE
        why = "it is in use, perhaps by another quorate serve" if taken else wrong
        raise BadSetting(f"cannot listen at {host} port {port}: {why}; give another with --port or --host") from wrong
    listening.settimeout(0)
    return listening


def _access(settings: ServerSettings, port: int) -> Access:
    tokens = {user.token: user.name for user in settings.users} or {token_hash(settings.token): ""}
    page = token_hash(settings.page_token) if settings.page_token and not settings.users else ""
    if page:
        tokens[page] = ""
    return Access.of((settings.host, *settings.names), port, tokens, page)


def _service(settings: ServerSettings) -> Service:
    counts = Counts()
    places: dict[str, str | Ledger] = {user.name: user.ledger for user in settings.users} or {"": settings.ledger}
    workspaces = {name: _workspace(settings.operator, counts, name, place) for name, place in places.items()}
    for workspace in workspaces.values():
        workspace.work_time = settings.limits.work_time
    return Service(workspaces=workspaces, counts=counts, limits=settings.limits)


def _workspace(operator: Host, counts: Counts, user: str, place: str | Ledger) -> LedgerHost:
    if not isinstance(place, str):
        return LedgerHost(ledger=place, operator=operator, counts=counts)
    ledger = open_ledger(place)
    if not is_address(place):
        return LedgerHost(ledger=ledger, place=place, operator=operator, counts=counts)
    queue = QueuedWork.of(ledger, place, user, operator.settings())
    return LedgerHost(ledger=ledger, operator=operator, counts=counts, queue=queue)


def _config(app: object, limits: ServerLimits) -> uvicorn.Config:
    # What goes wrong is answered and counted; of a viewer that was dropped there is nothing to tell.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        http=partial(HttpConnection, limits=limits),  # type: ignore[arg-type]  # it is called as the class would be
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=1 + 2 * int(limits.idle_time),  # ours comes first
        timeout_graceful_shutdown=GRACE,
    )


def _address(host: str, port: int) -> str:
    """Where it is reached from here, also if it listens everywhere."""
    here = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing is bound here
    return f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"


class LivePage:
    """A server in a thread with a loop of its own, for a command that works meanwhile: it only follows the ledger."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._ready: Future[tuple[str, Callable[[], None]]] = Future()
        self._thread = Thread(target=self._run, name="quorate page", daemon=True)
        self.address = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self.address, self._stop = self._ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._thread.join()

    def show(self, id_: str) -> str:
        """Open the page on a deliberation, and give its address; a browser may take its time to start."""
        address = f"{self.address}/#token={self._settings.page_token}/d/{id_}"
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        return address

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except (QuorateError, OSError) as wrong:
            if not self._ready.done():
                self._ready.set_exception(wrong)

    async def _serve(self) -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def end() -> None:
            loop.call_soon_threadsafe(stop.set)

        async with running_server(self._settings) as server:
            self._ready.set_result((server.address, end))
            await stop.wait()
