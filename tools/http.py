"""The reference page of the HTTP API, from the routes' own declarations."""

import json
from collections.abc import Iterator
from typing import Any, cast

from quorate.doors.web.app import PLAIN_ROUTES, STATUS, operations
from quorate.doors.web.connection import ServerLimits
from quorate.doors.web.encoding import CODES
from quorate.doors.web.operation import openapi_document
from quorate.doors.web.security import LARGEST
from quorate.service.fields import MOST_NAMED
from quorate.settings.readers import MOST_FALLBACKS

__all__ = ["INTRO", "routes"]

INTRO = (
    "Every route of `quorate serve`. How to use it is in [Serve the page and the API](../how-to/serve.md); "
    "the same as OpenAPI 3.1 is at `/openapi.json`."
)
EVENTS = """## Events

`GET /api/deliberations/{id}/events` sends server-sent events:

| event | id | data |
|---|---|---|
| `entry` | the entry's number | one entry, as `/entries` lists it |
| `words` | none | `seat`, `round`, `about`, `text`: the end of what a seat is saying now; the next one replaces it |
| `end` | none | `state`: nothing more will come |

A line that begins with a colon means nothing; one comes every 15 seconds.
`Last-Event-ID`, or else `after`, says which entry is known already: exactly what follows it is sent.
A deliberation that another process holds is followed in the ledger; its words in flight are not seen here.
A viewer that does not read for 10 seconds is dropped, and can come again.

An entry has `number`, `time` and `floor`: what it shows, by its `kind`."""


def routes() -> Iterator[str]:
    document = openapi_document(operations())
    for one in operations():
        found = document["paths"][one.path][one.method.lower()]
        yield "\n".join((*_section(f"{one.method} {one.path}", one.about, found), ""))
    plain = "\n".join(f"| `GET {path}` | {about} |" for path, about in PLAIN_ROUTES.items())
    yield f"## Plain routes\n\n| route | what |\n|---|---|\n{plain}\n"
    yield f"{EVENTS}\n"
    yield "\n".join((*_limits(), ""))
    yield "\n".join((*_errors(), ""))


def _limits() -> Iterator[str]:
    most = ServerLimits()
    yield "## Limits"
    yield ""
    yield "| what | limit | beyond it |"
    yield "|---|---|---|"
    for what, limit, beyond in (
        ("the head of a request", f"{most.head_size // 1024} KB, within {most.head_time:g} seconds", "431, or 408"),
        ("its body", f"{LARGEST // 1024} KB, within {most.body_time:g} seconds", "413, or 408"),
        (
            "what a request lists",
            f"{MOST_NAMED} settings, {MOST_NAMED} seats, {MOST_NAMED} models, and {MOST_FALLBACKS} models for one seat",
            "400",
        ),
        ("`Content-Length` next to `Transfer-Encoding`", "never", "400"),
        ("reading what was sent", f"within {most.write_time:g} seconds", "the connection is closed"),
        ("connections", f"{most.connections}, or a quarter of the open files allowed", "an idle one is closed, or 503"),
        ("event streams", f"{most.streams}, or half of those files", "503"),
        ("work that grows with the ledger", f"{most.work_time:g} seconds, while the client waits", "503"),
    ):
        yield f"| {what} | {limit} | {beyond} |"
    yield ""
    narrowed = ", ".join(f"`{one.method} {one.path}`" for one in operations() if one.narrow)
    yield f"The last one holds for {narrowed}, and for what a start looks up for the settings `memory` and `act_error`."
    yield "Its message says what to narrow."


def _section(name: str, about: str, found: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}\n\n{about}"
    rows = [*map(_parameter, found["parameters"]), *_fields(found)]
    if rows:
        yield "\n| name | in | type | |\n|---|---|---|---|"
        yield from (f"| `{one}` | {where} | {kind} | {said} |" for one, where, kind, said in rows)
    success, *others = found["responses"].items()
    yield f"\nIt answers {success[0]} with {_reply(success[1])}; errors: {', '.join(status for status, _ in others)}."


def _parameter(one: dict[str, Any]) -> tuple[str, str, str, str]:
    schema = one["schema"]
    return one["name"], one["in"], _kind(schema), one.get("description", "") or schema.get("description", "")


def _fields(found: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    if "requestBody" not in found:
        return
    schema = found["requestBody"]["content"]["application/json"]["schema"]
    for name, kind in schema["properties"].items():
        needed = "" if name in schema["required"] else " (optional)"
        yield name, "body", f"{_kind(kind)}{needed}", kind.get("description", "")


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = [_kind(cast("dict[str, Any]", one)) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("type", "anything"))


def _reply(success: dict[str, Any]) -> str:
    content = dict(success["content"])
    schema = content.pop("application/json", {}).get("schema", {})
    inner = schema.get("items", schema)
    named = ", ".join(f"`{name}`" for name in inner.get("properties", ()))
    kind = "a list of objects" if schema.get("type") == "array" else "an object"
    told = [f"{kind} with {named}" if named else kind] if schema else []
    return " or ".join([*told, *(f"`{media}`" for media in content)])


def _errors() -> Iterator[str]:
    yield '## Errors\n\nAlways `{"error": {"code": …, "message": …}}`; the message says what is wrong and what to do.'
    yield "A code is the name of one of [quorate's errors](errors.md) in small letters, or one of these:\n"
    yield "| status | code |\n|---|---|"
    yield from (f"| {status} | `{code}` |" for status, code in CODES.items())
    yield "\nOf quorate's own errors these have a status of their own, and all others are 400:\n"
    yield "| error | status |\n|---|---|"
    yield from (f"| `{kind.__name__}` | {status} |" for kind, status in STATUS.items())
