"""Connections to the database: few, on one event loop in a thread of its own, and what their errors mean."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from threading import Lock, Thread
from typing import Any, Final, Protocol, TypeVar, cast

from quorate.errors import BadSetting, LedgerError, LedgerUnwritable
from quorate.ledger.address import Address

try:
    import asyncpg  # pyright: ignore[reportMissingTypeStubs]
except ImportError as missing:
    raise BadSetting(
        "a ledger in PostgreSQL needs a package that is not installed; type: pip install 'quorate[postgres]'"
    ) from missing

__all__ = ["Connection", "Connections", "LoopThread", "explain", "is_passing"]

T = TypeVar("T")

MOST: Final = 4
"""Connections for whatever is not the writing of entries; more would only wait inside the database."""
LONGEST_PAUSE: Final = 1.0
_errors: Final = cast("Any", asyncpg).exceptions
PASSING: Final[tuple[type[BaseException], ...]] = (
    OSError,
    EOFError,
    _errors.InterfaceError,
    _errors.InternalClientError,
    _errors.PostgresConnectionError,
    _errors.OperatorInterventionError,
    _errors.InsufficientResourcesError,
    _errors.TransactionRollbackError,
    _errors.ObjectInUseError,
    _errors.LockNotAvailableError,
    _errors.PostgresSystemError,
)
"""The database is away, being restarted, full or overloaded: what failed so may work later."""
_REFUSED: Final[tuple[type[BaseException], ...]] = (
    _errors.InsufficientPrivilegeError,
    _errors.InvalidAuthorizationSpecificationError,
    _errors.ReadOnlySQLTransactionError,
    _errors.InvalidCatalogNameError,
)
UNDEFINED: Final[tuple[type[BaseException], ...]] = (_errors.UndefinedTableError, _errors.InvalidSchemaNameError)
FOREIGN: Final[tuple[type[BaseException], ...]] = (_errors.UndefinedColumnError, _errors.WrongObjectTypeError)
ANY: Final[tuple[type[BaseException], ...]] = (*PASSING, _errors.PostgresError, ValueError)
"""Whatever the driver raises when the database says no or is not there."""


class Connection(Protocol):
    """What is used of the driver's."""

    async def fetch(self, query: str, *values: object) -> Sequence[Sequence[Any]]: ...

    async def execute(self, query: str, *values: object) -> str: ...

    def transaction(self) -> AbstractAsyncContextManager[None]: ...

    async def add_listener(self, channel: str, callback: Callable[..., None]) -> None: ...

    def add_termination_listener(self, callback: Callable[..., None]) -> None: ...

    async def close(self) -> None: ...

    def terminate(self) -> None: ...

    def is_closed(self) -> bool: ...


def is_passing(error: BaseException) -> bool:
    """Whether trying again later may help."""
    return isinstance(error, PASSING)


def explain(error: BaseException, address: Address) -> LedgerError:
    """What the database or the system says, as what the user can do; nothing of it holds a password."""
    if isinstance(error, LedgerError):
        return error
    said = "it does not answer in time" if isinstance(error, TimeoutError) else _said(error)
    if isinstance(error, _errors.InsufficientPrivilegeError):
        todo = "use a login that may write, or have its owner run: quorate ledger init --roles"
    elif isinstance(error, _REFUSED):
        todo = "correct the address, its user or password"
    else:
        todo = "start it, make room on its disk, or give another ledger"
    return LedgerUnwritable(
        f"cannot use the ledger {address.shown!r}: {said}; {todo}; what was acknowledged before is safe"
    )


def _said(error: BaseException) -> str:
    """Of a value that cannot be read nothing is repeated: it may be a part of a password."""
    if isinstance(error, ValueError):
        return "its address or a setting in it cannot be read"
    return str(error).partition("\n")[0] or type(error).__name__


class Connections:
    """The connections of one ledger; made when needed, kept while they work, used on one event loop only."""

    def __init__(self, address: Address, *, seconds: float) -> None:
        self.address = address
        self.seconds = seconds
        """For the database to do what it is asked; one that does not is taken for gone."""
        self._idle: list[Connection] = []
        self._free = asyncio.Semaphore(MOST)
        self._connected = False

    async def open(self) -> Connection:
        """A new one, for whoever keeps it."""
        settings = {"search_path": self.address.schema, "application_name": "quorate", "jit": "off"}
        async with asyncio.timeout(self.seconds):
            made = await cast("Any", asyncpg).connect(
                self.address.driver_address, server_settings=settings, timeout=self.seconds
            )
        self._connected = True
        return cast("Connection", made)

    async def call(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Have something done on any of them; where the database is away for a moment, once it is there again.

        What was done and not confirmed is done again, so it must bear that.

        Raises:
            LedgerError: it cannot be done, or not in time.
        """
        until, pause = time.monotonic() + self.seconds, 0.05
        while True:
            try:
                async with asyncio.timeout(self.seconds), self._any() as db:
                    return await work(db)
            except ANY as error:
                # Whoever was never connected has mistyped the address more often than not.
                if not is_passing(error) or not self._connected or time.monotonic() > until:
                    raise explain(error, self.address) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    @asynccontextmanager
    async def _any(self) -> AsyncGenerator[Connection]:
        async with self._free:
            db = self._idle.pop() if self._idle else await self.open()
            try:
                yield db
            except LedgerError:
                self._idle.append(db)
                raise
            except BaseException:
                db.terminate()  # what it was doing may still be under way
                raise
            self._idle.append(db)

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for db in idle:
            await close(db)


async def close(db: Connection) -> None:
    """Part from the database in good order, if it is there."""
    with suppress(*ANY):
        async with asyncio.timeout(1.0):
            await db.close()
    db.terminate()


class LoopThread:
    """An event loop in a thread of its own: the driver's connections live on one loop, their users on any."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._process = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop, while it runs; a forked child has none until it starts its own."""
        return self._loop if self._process == os.getpid() else None

    def submit(self, work: Coroutine[Any, Any, T]) -> "asyncio.Future[T]":
        """Have something done there; to cancel the future here is to cancel it there."""
        with self._lock:
            loop = self.loop or self._start()
            done = asyncio.run_coroutine_threadsafe(work, loop)
        return asyncio.wrap_future(done)

    def stop(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do a last thing there and end the thread; blocks."""
        with self._lock:
            loop, thread, self._loop, self._thread = self.loop, self._thread, None, None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(last(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        self._thread = Thread(target=loop.run_forever, name=self._name, daemon=True)
        self._loop, self._process = loop, os.getpid()
        self._thread.start()
        return loop
