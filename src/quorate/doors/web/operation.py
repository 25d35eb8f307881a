"""A route as it is declared: what it takes and gives, and who answers; router and API document are made of it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from quorate.doors.web.encoding import decode
from quorate.doors.web.ledger_host import LedgerHost
from quorate.doors.web.metrics import Counts
from quorate.doors.web.schema import read_object, read_query
from quorate.engine.discovery import Answerer
from quorate.errors import NotRecorded

__all__ = ["ApiCall", "Operation", "Service"]

T = TypeVar("T")
_ID: Final = re.compile(r"[0-9a-z]{26}")


def _ignore(client: tuple[str, int]) -> None:
    """There is nothing to break off."""


@dataclass(slots=True, kw_only=True)
class Service:
    """All that the server has: everybody's workspace by name, and what is counted."""

    workspaces: Mapping[str, LedgerHost]
    counts: Counts = field(default_factory=Counts)
    ready: bool = False
    abort: Callable[[tuple[str, int]], None] = _ignore
    """Breaks off the connection of a client that reads no more: what is left of it would wait for ever."""
    models: "tuple[float, tuple[Answerer, ...]] | None" = None
    """What could answer here, and when that was looked for."""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One request: its workspace, and what it says, read by its types."""

    request: Request
    service: Service
    workspace: LedgerHost
    raw: bytes = b""

    async def id(self) -> str:
        """The deliberation that the address names: a whole id, or `last`.

        Raises:
            NotRecorded: it names none.
        """
        return await self.whole_id(str(self.request.path_params["id"]))

    async def whole_id(self, named: str) -> str:
        """A deliberation by its whole id, or `last`; no beginning will do here, for ids are not to be guessed.

        Raises:
            NotRecorded: there is none.
        """
        if named != "last" and not _ID.fullmatch(named):
            raise NotRecorded(f"{named[:40]!r} is not the id of a deliberation; ids are 26 characters of 0-9 and a-z")
        return await self.workspace.ledger.find(named)

    def body(self, kind: type[T]) -> T:
        """What the body says.

        Raises:
            HTTPException: it is not what is expected here.
        """
        return read_object(kind, decode(self.raw) if self.raw.strip() else {})

    def query(self, kind: type[T]) -> T:
        """What stands after the question mark.

        Raises:
            HTTPException: it is not what is expected here.
        """
        return read_query(kind, dict(self.request.query_params))


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One route. `returns` is the type of what it gives as JSON, or a media type of something else."""

    method: str
    path: str
    about: str
    answer: Callable[[ApiCall], Awaitable[Response]]
    returns: Any
    body: type | None = None
    query: type | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    status: int = 200
    errors: tuple[int, ...] = ()
    also: tuple[str, ...] = ()
    """Media types that it may give instead."""

    @property
    def name(self) -> str:
        """What it is called in the document."""
        return self.answer.__name__.strip("_")
