"""The API's own description, in OpenAPI 3.1: made of the routes' declarations, so it cannot say anything else."""

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from importlib.metadata import version
from typing import Any, Final, cast, get_type_hints

from quorate.doors.web.encoding import CODES
from quorate.doors.web.operation import Operation
from quorate.doors.web.schema import Json, schema_of

__all__ = ["openapi_document"]

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
ALWAYS: Final = (401, 403, 404, 405, 413, 415, 421, 503)
"""What any route may answer, whatever it is for."""


def openapi_document(operations: Iterable[Operation]) -> Json:
    """The whole document."""
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
