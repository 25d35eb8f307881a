"""JSON and server-sent events as they go out: any text comes through whole, lone halves of characters included."""

import json

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import Response

__all__ = ["JsonResponse", "decode", "encode", "error_body", "frame"]

CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    421: "misdirected",
    431: "too_large",
    500: "internal",
    502: "provider_failed",
    503: "unavailable",
}
"""What an error is called if it is none of quorate's own."""


def encode(value: object) -> bytes:
    """One line of JSON. What UTF-8 cannot carry leaves as an escape, which every reader of JSON understands."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def decode(body: bytes) -> object:
    """What a request's body says.

    Raises:
        HTTPException: it is not JSON.
    """
    try:
        found: object = orjson.loads(body)
    except ValueError as wrong:
        raise HTTPException(400, f"the body is not JSON: {wrong}; send one object in UTF-8") from wrong
    return found


def frame(event: str, value: object, number: int | None = None) -> bytes:
    """One server-sent event. JSON has no line break of its own, so the data is one line."""
    named = b"" if number is None else b"id: %d\n" % number
    return b"%bevent: %b\ndata: %b\n\n" % (named, event.encode(), encode(value))


def error_body(code: str, message: str) -> dict[str, dict[str, object]]:
    """The one form of an error."""
    return {"error": {"code": code, "message": message}}


class JsonResponse(Response):
    """A reply in JSON."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return encode(content)
