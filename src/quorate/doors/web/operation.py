"""A route as it is declared: what it takes and gives, and who answers; router and API document are made of it."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import MISSING, field, fields
from importlib.metadata import version
from typing import Any, Final, TypeVar, cast, get_type_hints

from starlette.requests import Request
from starlette.responses import Response

from quorate.doors.web.connection import ServerLimits
from quorate.doors.web.encoding import CODES, decode
from quorate.doors.web.ledger_host import LedgerHost
from quorate.doors.web.metrics import Counts
from quorate.doors.web.schema import Json, read_object, read_query, schema_of
from quorate.errors import NotRecorded
from quorate.frozen import dataclass
from quorate.model import Origin
from quorate.service.available_models import Answerer

__all__ = ["ApiCall", "Operation", "Service", "openapi_document"]

T = TypeVar("T")
_ID: Final = re.compile(r"[0-9a-z]{26}")


def _ignore(client: tuple[str, int]) -> None:
    """There is nothing to break off."""


@dataclass(slots=True, kw_only=True)
class Service:
    """All that the server has: everybody's workspace by name, and what is counted."""

    workspaces: Mapping[str, LedgerHost]
    counts: Counts = field(default_factory=Counts)
    limits: ServerLimits = ServerLimits()
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

    @property
    def origin(self) -> Origin:
        """By which interface a review or a label comes, and from whom: by how it got in, not by what its body says."""
        known = self.request.state
        return Origin(
            interface="page" if known.owners_page else "api",
            caller=known.user or "owner",
            trusted=self.workspace.operator.trust_labels,
        )

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
    narrow: str = ""
    """How to ask for less, where the work grows with the ledger: then it has a time limit, and ends with its client."""

    @property
    def name(self) -> str:
        """What it is called in the document."""
        return self.answer.__name__.strip("_")


ERROR: Final[Json] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
ALWAYS: Final = (401, 403, 404, 405, 408, 413, 415, 421, 431, 503)
"""What any route may answer, whatever it is for."""


def openapi_document(operations: Iterable[Operation]) -> Json:
    """The API's own description, in OpenAPI 3.1: made of the declarations, so it cannot say anything else."""
    paths: dict[str, Json] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "quorate",
            "version": version("quorate"),
            "description": "Put a question to a panel of language models, follow how it argues, and get one verdict.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": ERROR},
        },
    }


def _operation(one: Operation) -> Json:
    return {
        "operationId": one.name,
        "summary": one.about,
        "parameters": [*_path_parameters(one), *_query_parameters(one), *_header_parameters(one)],
        **({"requestBody": _body(one)} if one.body is not None else {}),
        "responses": {str(one.status): _success(one), **_errors(one)},
    }


def _body(one: Operation) -> Json:
    return {"required": True, "content": {"application/json": {"schema": schema_of(one.body)}}}


def _success(one: Operation) -> Json:
    own = not isinstance(one.returns, str)
    content: Json = {"application/json": {"schema": schema_of(one.returns)}} if own else {}
    for kind in one.also if own else (one.returns,):
        # What an event holds depends on its name, which a schema of this kind cannot say.
        content[kind] = {"schema": {} if kind == "text/event-stream" else {"type": "string"}}
    return {"description": "It is here.", "content": content}


def _errors(one: Operation) -> Json:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        str(status): {"description": CODES[status].replace("_", " "), "content": content}
        for status in sorted({*one.errors, *ALWAYS})
    }


def _path_parameters(one: Operation) -> list[Json]:
    about = "The id of a deliberation, or `last`."
    schema = {"type": "string", "pattern": "^([0-9a-z]{26}|last)$"}
    return [
        {"name": name, "in": "path", "required": True, "description": about, "schema": schema}
        for name in re.findall(r"\{(\w+)\}", one.path)
    ]


def _query_parameters(one: Operation) -> list[Json]:
    if one.query is None:
        return []
    hints = get_type_hints(one.query, include_extras=True)
    return [
        {
            "name": known.name.removesuffix("_"),
            "in": "query",
            "required": known.default is MISSING,
            "schema": _without_null(schema_of(hints[known.name])),
        }
        for known in fields(cast("Any", one.query))
    ]


def _without_null(schema: Json) -> Json:
    """In an address nothing can be null: it is left out."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **kinds[0]}


def _header_parameters(one: Operation) -> list[Json]:
    return [
        {"name": name, "in": "header", "required": False, "description": about, "schema": {"type": "string"}}
        for name, about in one.headers.items()
    ]
