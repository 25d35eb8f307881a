"""Every way to fail that we know of, spoken in the format of the provider that is asked."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.panelists.formats import Format
from tests.servers import STREAM_HEAD, Act, chunk, http, repeating, sends

STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529)


@dataclass(frozen=True, slots=True)
class Fault:
    """What a server does, and whether somebody listens while it does it."""

    act: Act
    streaming: bool = False


def faults(form: Format) -> Mapping[str, Fault]:
    """All of them, by name."""
    streamed = {name: Fault(act, streaming=True) for name, act in {**_mute(form), **_streams(form)}.items()}
    return {
        **{name: Fault(act) for name, act in {**_statuses(form), **_bodies(form), **_mute(form)}.items()},
        **{f"{name}, listening": fault for name, fault in streamed.items()},
    }


def _statuses(form: Format) -> dict[str, Act]:
    return {
        **{f"{status} with a reason": form.fails(status, "for a reason") for status in STATUSES},
        **{
            f"429, Retry-After: {written}": form.fails(429, "slow down", f"Retry-After: {written}")
            for written in ("0", "1", "99999999999", "-5", "soon", "Wed, 21 Oct 2015 07:28:00 GMT")
        },
        "502 in HTML": sends(http(b"<h1>502</h1>", 502, kind="text/html"), "keep"),
        "500 without a word": sends(http(b"", 500), "keep"),
        "a redirect": sends(http(b"", 307, "Location: http://192.0.2.1/"), "keep"),
    }


def _bodies(form: Format) -> dict[str, Act]:
    body = json.dumps(form.whole("Fine.")).encode()
    return {
        "half closed": sends(http(body)[:-20]),
        "wrong length": sends(http(body).replace(b"Content-Length: ", b"Content-Length: 9")),
        "truncated": sends(http(body[:-20]), "keep"),
        "empty": sends(http(b""), "keep"),
        "HTML": sends(http(b"<!doctype html><title>Log in</title>", kind="text/html"), "keep"),
        "JSON of another kind": sends(http(b'{"hello": [1, 2]}'), "keep"),
        "a list": sends(http(b"[]"), "keep"),
        "deep": sends(http(b'{"a":' * 100_000), "keep"),
        "gzip bomb": sends(http(gzip.compress(bytes(16 * 1024 * 1024)), 200, "Content-Encoding: gzip"), "keep"),
        "not gzip": sends(http(body, 200, "Content-Encoding: gzip"), "keep"),
        "an error in a success": sends(http(json.dumps(form.trouble(500, "upstream")).encode()), "keep"),
        "one byte a second": repeating(http(body)[: -len(body)], b" ", 1.0),
        "too much": repeating(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" " * 65536),
    }


def _mute(form: Format) -> dict[str, Act]:
    del form
    return {
        "no word": sends(b"", "hang"),
        "closed at once": sends(b""),
        "reset": sends(b"", "reset"),
        "half a head": sends(b"HTTP/1.1 200 OK\r\nContent-"),
        "no HTTP": sends(b"\x16\x03\x01 hello\r\n\r\n"),
        "a head without end": repeating(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 4096),
    }


def _streams(form: Format) -> dict[str, Act]:
    some = b"".join(form.events(["and ", "on ", "and ", "on "])[:2])
    broken = b"data: {{{\n\ndata: []\n\ndata: 3\n\nevent: x\n\nnonsense\n\n"
    return {
        "a stream of nothing": sends(STREAM_HEAD + chunk(b"")),
        "cut between events": sends(STREAM_HEAD + chunk(some) + chunk(b"")),
        "cut within an event": sends(STREAM_HEAD + chunk(some[:20]) + chunk(b"")),
        "cut within a chunk": sends(STREAM_HEAD + chunk(some)[:20]),
        "reset in the stream": sends(STREAM_HEAD + chunk(some), "reset"),
        "a line without end": repeating(STREAM_HEAD, chunk(b"data: " + b"x" * 65536)),
        "fallen silent": sends(STREAM_HEAD + chunk(some), "hang"),
        "a word a second": repeating(STREAM_HEAD, chunk(some), 1.0),
        "garbage": sends(STREAM_HEAD + chunk(broken) + chunk(b"")),
    }
