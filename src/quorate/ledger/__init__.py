"""Does I/O. Where events are kept: memory, SQLite, PostgreSQL; one codec, one contract."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from quorate.errors import BadPlugin, UnknownName
from quorate.frozen import dataclass, fast_init
from quorate.ledger.address import Address, scheme_of
from quorate.model import Event
from quorate.plugins import PartTable, blame_package

if TYPE_CHECKING:
    from quorate.ledger.lease import Owner

__all__ = [
    "LEDGERS",
    "Book",
    "Claim",
    "Entry",
    "Ledger",
    "LedgerOpener",
    "LedgerReader",
    "Row",
    "Summary",
    "new_id",
    "open_directly",
    "open_ledger",
    "run_directly",
]

T = TypeVar("T")


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event with what the ledger adds: its number from 1, the time in UTC (ISO 8601), the link to the one before."""

    number: int
    time: str
    event: Event
    before: str
    hash: str


class Row(NamedTuple):
    """An entry as it is stored: the hashed form in bytes, and apart from it the words that can be forgotten."""

    number: int
    time: str
    before: str
    hash: str
    public: bytes
    salt: str = ""
    words: bytes = b"{}"
    imported: bool = False
    """Whether it came with a record from elsewhere: the ledger knows that, the entry itself never says so."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A line of the list: enough to find a deliberation again. The question is cut after 300 characters.

    The state is open, decided, turned_away, failed or halted. The outcome is the panel's; `reviewed` is what a person
    said last, and a verdict that asks for a person `awaits` one until then. What was `imported` was held elsewhere.
    """

    id: str
    begun: str = ""
    protocol: str = ""
    question: str = ""
    state: str = "open"
    outcome: str | None = None
    entries: int = 0
    awaits: bool = False
    reviewed: str | None = None
    imported: bool = False
    turned_out: str | None = None
    """What turned out right; known only where the entries themselves were read."""


class Claim(NamedTuple):
    """Which deliberation a caller's key stands for, and the digest of what it was claimed for."""

    id: str
    digest: str


class Book(Protocol):
    """One deliberation in the hands of its one owner."""

    @property
    def id(self) -> str: ...

    @property
    def entries(self) -> Sequence[Entry]:
        """Everything written so far, the spooled tail of a crashed owner included."""
        ...

    def write(self, event: Event) -> Entry:
        """Number, link and spool an event; it is committed behind, in order.

        Raises:
            LedgerUnwritable: this or an earlier write failed.
            OwnerLost: another process has taken over.
        """
        ...

    async def committed(self, *, within: float = 0.0) -> None:
        """Wait until all that was written is durable and has been watched; who can wait so many seconds hurries nobody.

        Raises:
            LedgerUnwritable: it cannot be.
            OwnerLost: another process has taken over.
        """
        ...


class LedgerReader(Protocol):
    """What is committed, for whoever only reads it."""

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        """All committed entries of a deliberation; `last` or a unique beginning will do for the id.

        Whoever follows it has the first ones already, and reads those `after` them.

        Raises:
            NotRecorded: no such deliberation, or several begin so.
        """
        ...

    async def owner(self, id_: str) -> "Owner | None":
        """The process that holds a deliberation now; none if nobody does, or whoever did is gone.

        Raises:
            NotRecorded: no such deliberation, or several begin so.
        """
        ...

    async def find(self, id_: str) -> str:
        """The whole id behind `last` or a unique beginning.

        `last` is what was begun here last, whatever its id or a clock says; what was imported is never meant by it.

        Raises:
            NotRecorded: none, or several begin so.
        """
        ...

    def list(self) -> AsyncIterator[Summary]:
        """Every deliberation, the one that came into this ledger last first."""
        ...

    async def rows(self, id_: str) -> Sequence[Row]:
        """All committed entries as they are stored, for whoever checks or exports them.

        Raises:
            NotRecorded: no such deliberation.
        """
        ...


class Ledger(LedgerReader, Protocol):
    """Append-only, hash-linked records of deliberations."""

    def own(
        self, id_: str, *, watch: Callable[[Entry], None] | None = None, fresh: bool = False
    ) -> AbstractAsyncContextManager[Book]:
        """Take a deliberation, new or old, as its one owner; `watch` sees each entry once it is durable.

        Nobody else can hold an id that is `fresh`, made by `new_id` for this and told to nobody: it may be taken
        together with its first entries, and whether it can be shows when they are committed. Letting go waits until
        all that was written is durable and has been watched.

        Raises:
            NotRecorded: that is no id.
            OwnerLost: somebody else holds it.
            LedgerBroken: the record so far does not hold, so nothing may be added to it.
            LedgerUnwritable: nothing can be added here.
        """
        ...

    async def adopt(self, id_: str, rows: Sequence[Row]) -> None:
        """Take in a record that was checked; `records.import_` is the way in.

        Raises:
            LedgerUnwritable: a deliberation of that id is here already, or nothing can be added.
        """
        ...

    async def forget(self, id_: str) -> None:
        """Remove every word and salt of a deliberation for good; its hashes stay.

        Raises:
            NotRecorded: no such deliberation.
            OwnerLost: somebody is at work on it.
        """
        ...

    async def claim(self, key: str, id_: str, digest: str = "") -> Claim:
        """Keep durably that a key stands for a deliberation; if it does already, that claim holds and is given back.

        Of the key only its hash is kept. Whoever asks again after a crash finds under it what was begun.

        Raises:
            LedgerUnwritable: nothing can be added here.
        """
        ...

    async def open_claims(self) -> Sequence[str]:
        """The deliberations that were begun under a key and have not ended, the oldest first."""
        ...

    async def version(self) -> int:
        """A number that is another one once anything was committed, by this process or any other: cheap to ask for."""
        ...

    async def wait(self, id_: str, *, after: int, seconds: float) -> None:
        """Wait until there are more entries of it than that, or other news, for so many seconds at most.

        It may return for nothing: whoever follows a deliberation looks again then.
        """
        ...

    async def close(self) -> None:
        """Commit what is left and let go."""
        ...


class LedgerOpener(Protocol):
    """Opens the ledger at an address; nothing is touched before it is used."""

    def __call__(self, address: str, /, *, spool: bool, ttl: float) -> Ledger:
        """Without a `spool` nothing need be kept beside it; `ttl` is how many seconds a lost owner's lease lasts."""
        ...


def new_id() -> str:
    """Make an id that sorts by time and cannot be guessed."""
    from quorate.ledger.ids import fresh  # noqa: PLC0415 - it uses what this file defines

    return fresh()


def open_ledger(where: str | Path, *, spool: bool = True, ttl: float = 10.0) -> Ledger:
    """Open the ledger at a path or an address such as postgresql://, or one in memory for `:memory:`.

    Nothing is touched before it is used.
    `ttl` is how many seconds an owner that is heard of no more keeps its deliberation.
    Without a spool, answers that were read but not yet committed are lost in a crash.

    Raises:
        UnknownName: no kind of ledger has such an address.
        BadPlugin: another package brings that kind, and it cannot be used.
    """
    if str(where) == ":memory:":
        from quorate.ledger.memory import MemoryLedger  # noqa: PLC0415 - it uses what this file defines

        return MemoryLedger(ttl=ttl)
    if scheme := scheme_of(where):
        if scheme not in LEDGERS:
            raise UnknownName("kind of ledger", scheme, LEDGERS)
        with blame_package(f"{LEDGERS.describe(scheme)} cannot be opened"):
            return LEDGERS[scheme](str(where), spool=spool, ttl=ttl)
    from quorate.ledger.sqlite.ledger import SqliteLedger  # noqa: PLC0415 - loads a library that reading code may not need

    return SqliteLedger(Path(where), spool=spool, ttl=ttl)


def _open_postgres(address: str, *, spool: bool, ttl: float) -> Ledger:
    from quorate.ledger.postgres.ledger import PostgresLedger  # noqa: PLC0415 - needs an extra

    return PostgresLedger(Address.of(address), spool=spool, ttl=ttl)


def _accept(_: str, found: object) -> LedgerOpener:
    if not callable(found):
        raise BadPlugin(f"it must be a function that takes an address, not {type(found).__name__}")
    return cast("LedgerOpener", found)


LEDGERS: Final = PartTable[LedgerOpener](
    "ledger",
    {"postgresql": _open_postgres, "postgres": _open_postgres},
    _accept,
    taken=("file", "http", "https", "memory", "sqlite"),
)
"""What opens a ledger, by how its address begins."""


def open_directly(where: str | Path) -> LedgerReader | None:
    """Open the ledger at a path to read it without an event loop, none where reading has to wait for others.

    No coroutine of it ever waits: `run_directly` runs them.
    """
    if str(where) == ":memory:" or scheme_of(where):
        return None
    from quorate.ledger.sqlite.reader import DirectReader  # noqa: PLC0415 - loads a library that reading code may not need

    return DirectReader(Path(where))


def run_directly(work: Coroutine[Any, Any, T]) -> T:
    """Run to its end what awaits nothing but what never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise AssertionError("it waits for something, and needs an event loop")
