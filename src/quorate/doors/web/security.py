"""Who may come in: the names this server answers to, the pages that may call it, the token, and how much is taken.

A page of somebody else that is open in the same browser can reach a server on this machine, by its address or by a
name that leads here. So every request must name us as we are called, no foreign page may send one, and everything but
the page's own files and `/healthz` needs the token.
"""

import hmac
from collections.abc import Mapping
from dataclasses import field
from hashlib import sha256
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quorate.doors.web.encoding import CODES, JsonResponse, error_body
from quorate.doors.web.metrics import Counts
from quorate.frozen import dataclass

__all__ = ["CONTENT_POLICY", "Access", "Gate", "token_hash"]

LARGEST: Final = 1024 * 1024
"""Bytes of a body at most."""
SAFE: Final = frozenset({"GET", "HEAD"})
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS: Final = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def token_hash(token: str) -> str:
    """A token as a file of users holds it."""
    return sha256(token.encode(errors="surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who is let in. `tokens` are the hashes of the tokens and whose they are; one without a name is everybody's."""

    hosts: frozenset[str]
    tokens: Mapping[str, str] = field(repr=False)
    page: str = field(default="", repr=False)
    """The hash of the token that only the page's own link carries; none where no page is the owner's."""

    @classmethod
    def of(cls, names: tuple[str, ...], port: int, tokens: Mapping[str, str], page: str = "") -> "Access":
        """Let in whoever calls us by one of these names, or by a loopback name, with the port we listen at."""
        bare = {_bracketed(name) for name in (*names, *LOOPBACK) if name not in {"0.0.0.0", "::", ""}}  # noqa: S104 - nobody is called so
        ports = {f"{name}:{port}" for name in bare if not _has_port(name)}
        plain = {name for name in bare if _has_port(name) or port in {80, 443}}
        return cls(hosts=frozenset(map(str.lower, ports | plain)), tokens=tokens, page=page)

    def is_owners_page(self, headers: Headers) -> bool:
        """Whether the owner's page sent it: with the token of its link, which scripts aren't given, and an origin.

        A browser adds the origin to everything that a page sends to change something; that it is ours was checked.
        """
        kind, _, token = headers.get("authorization", "").partition(" ")
        known = bool(self.page) and hmac.compare_digest(self.page, token_hash(token.strip()))
        return known and kind.lower() == "bearer" and "origin" in headers

    def user(self, authorization: str) -> str | None:
        """Whose token it is, none if nobody's; every one is compared, and each in the same time."""
        kind, _, token = authorization.partition(" ")
        digest, user = token_hash(token.strip()), None
        for known, whose in self.tokens.items():
            if hmac.compare_digest(known, digest) and kind.lower() == "bearer":
                user = whose
        return user


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") and name.count(":") > 1 else name


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdecimal() and not name.endswith("]") and ":" in name


class Gate:
    """Lets requests in or answers why not; what goes out says what a browser may do with it."""

    def __init__(self, app: Starlette, access: Access, counts: Counts, beside: Mapping[str, ASGIApp]) -> None:
        self._app = app
        self._beside = beside
        self._access = access
        self._counts = counts
        self.routes = app.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts.requests[message["status"]] += 1
                headers = MutableHeaders(scope=message)
                # The connection is counted with the streams while this is sent.
                scope.setdefault("state", {})["streams"] = headers.get("content-type", "").startswith(
                    "text/event-stream"
                )
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            headers = Headers(scope=scope)
            scope.setdefault("state", {})["user"] = self._admitted(scope["method"], scope["path"], headers)
            scope["state"]["owners_page"] = self._access.is_owners_page(headers)
        except HTTPException as refused:
            await _refuse(refused)(scope, receive, shielded)
            return
        await self._beside.get(scope["path"], self._app)(scope, _limited(receive), shielded)

    def _admitted(self, method: str, path: str, headers: Headers) -> str:
        """Whose request it is.

        Raises:
            HTTPException: it may not come in.
        """
        self._check_names(method, path, headers)
        user = self._access.user(headers.get("authorization", ""))
        # Listening on loopback says nothing about who reads: a proxy, a tunnel, a published port or another account
        # of this machine gets there too. So reading needs the token wherever we listen.
        needs_token = method not in SAFE or not _is_open(path)
        if needs_token and user is None:
            how = "send the header Authorization: Bearer TOKEN with the token that quorate serve prints"
            raise HTTPException(401, f"this needs the token; {how}", {"WWW-Authenticate": "Bearer"})
        if method not in {*SAFE, "DELETE"}:  # what is deleted is named by its path
            _check_body(headers)
        return user or ""

    def _check_names(self, method: str, path: str, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].strip().lower() not in self._access.hosts:
            named = ", ".join(sorted(self._access.hosts))
            raise HTTPException(
                421, f"this server doesn't answer to that name, only to {named}; its owner can allow another name"
            )
        origins = [one.strip().lower().partition("://") for one in headers.getlist("origin")]
        if any(scheme not in {"http", "https"} or host not in self._access.hosts for scheme, _, host in origins):
            raise HTTPException(403, "another site's page may not call this server")
        entering = path == "/" and method in SAFE and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and not entering:
            raise HTTPException(403, "another site's page may not call this server")


def _is_open(path: str) -> bool:
    """Whether a path says nothing that is anybody's: the page's own files, and that the process answers."""
    return path in {"/", "/healthz"} or path.startswith("/static/")


def _check_body(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send the body as JSON, with the header Content-Type: application/json")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()):
        raise HTTPException(400, "the header Content-Length is no number")
    if int(length[:12]) > LARGEST:
        raise _too_large()


def _too_large() -> HTTPException:
    return HTTPException(413, f"the body is larger than {LARGEST} bytes; shorten it")


def _limited(receive: Receive) -> Receive:
    """Take no more of a body than is allowed, whatever its header says."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LARGEST:
            raise _too_large()
        return message

    return limited


def _refuse(refused: HTTPException) -> JsonResponse:
    body = error_body(CODES[refused.status_code], refused.detail)
    return JsonResponse(body, refused.status_code, headers=refused.headers)
