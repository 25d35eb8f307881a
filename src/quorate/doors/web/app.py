"""The application: every route behind one gate, every error in one form, and the page's own files."""

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from quorate.doors.web.encoding import CODES, JsonResponse, error_body
from quorate.doors.web.operation import ApiCall, Operation, Service, openapi_document
from quorate.doors.web.security import Access, Gate
from quorate.errors import (
    LedgerBroken,
    LedgerError,
    LedgerMismatch,
    LedgerUnwritable,
    NotRecorded,
    NotTrusted,
    OtherVersion,
    OwnerLost,
    QuorateError,
    TookTooLong,
)
from quorate.service.process import limited_work

__all__ = ["PLAIN_ROUTES", "STATUS", "create_app", "operations"]

ROUTE_FILES: Final = ("record_routes", "memory_routes", "action_routes", "catalogue_routes", "chat")
PLAIN_ROUTES: Final = {
    "/": "the page",
    "/static/{path:path}": "the files of the page",
    "/healthz": "`ok` as long as the process answers",
    "/readyz": "`ready`, or 503 while the server starts or stops",
    "/metrics": "what was counted since the start, for Prometheus",
    "/openapi.json": "this API in OpenAPI 3.1",
}
"""Routes that are no part of the API's document."""
PAGE: Final = Path(__file__).parent / "page"
KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
FAULT: Final = 500
_NOTHING: Final[Mapping[str, ASGIApp]] = MappingProxyType({})
STATUS: Final[dict[type[QuorateError], int]] = {
    NotRecorded: 404,
    NotTrusted: 403,
    OwnerLost: 409,
    LedgerMismatch: 409,
    LedgerBroken: 409,
    OtherVersion: 409,
    LedgerUnwritable: 503,
    TookTooLong: 503,
    LedgerError: 409,
}
"""What an error of ours means here; all others are about what was sent."""


def operations() -> tuple[Operation, ...]:
    """Every route of the API, in the order of the document."""
    files = (import_module(f"quorate.doors.web.{name}") for name in ROUTE_FILES)
    return tuple(one for file in files for one in file.OPERATIONS)


def create_app(service: Service, access: Access, beside: Mapping[str, ASGIApp] = _NOTHING) -> Gate:
    """The whole application; `beside` it, behind the same gate, are other applications by the path each has."""
    plain = (_page_of("index.html"), _static, _plain("ok"), _ready(service), _metrics(service), _document)
    routes = [
        *(Route(path, endpoint) for path, endpoint in zip(PLAIN_ROUTES, plain, strict=True)),
        *(Route(one.path, _endpoint(one, service), methods=[one.method]) for one in operations()),
    ]
    on_error = {HTTPException: _refused, QuorateError: _failed, Exception: _crashed(service)}
    app = Starlette(routes=_joined(routes), exception_handlers=on_error)  # type: ignore[arg-type]
    app.router.redirect_slashes = False
    return Gate(app, access, service.counts, beside)


Endpoint = Callable[[Request], Awaitable[Response]]


def _joined(routes: list[Route]) -> list[Route]:
    """One route for each path: with two, the wrong method would be answered by the first that has the path."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for route in routes:
        for method in (route.methods or set()) - {"HEAD"}:
            by_path.setdefault(route.path, {})[method] = route.endpoint
    return [Route(path, _by_method(found), methods=list(found)) for path, found in by_path.items()]


def _by_method(found: dict[str, Endpoint]) -> Endpoint:
    async def answered(request: Request) -> Response:
        return await found["GET" if request.method == "HEAD" else request.method](request)

    return answered


def _endpoint(operation: Operation, service: Service) -> Endpoint:
    async def answered(request: Request) -> Response:
        user = request.state.user
        workspace = service.workspaces[user]
        raw = await _body(request) if operation.method != "GET" else b""
        call = ApiCall(request, service, workspace, raw)
        if not operation.narrow:
            return await operation.answer(call)
        return await _while_connected(request, _limited(operation, call, service.limits.work_time))

    return answered


async def _limited(operation: Operation, call: ApiCall, seconds: float) -> Response:
    async with limited_work(seconds, operation.narrow):
        return await operation.answer(call)


async def _while_connected(request: Request, work: Coroutine[Any, Any, Response]) -> Response:
    """Do what is asked as long as somebody waits for it."""
    task, watch = asyncio.create_task(work), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    finally:
        for one in (task, watch):
            one.cancel()
        await asyncio.wait((task, watch))
    return Response(status_code=503)  # nobody is there to read it


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":  # noqa: ASYNC110 - no event, as receive waits
        await asyncio.sleep(0)  # where it doesn't wait, as in a test, others get their turn


async def _body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise HTTPException(400, "the body was cut off; send it again") from None


async def _refused(request: Request, refused: HTTPException) -> Response:
    code = CODES.get(refused.status_code, "bad_request")
    return _error(request, refused.status_code, code, refused.detail, refused.headers)


async def _failed(request: Request, failed: QuorateError) -> Response:
    status = next((status for kind, status in STATUS.items() if isinstance(failed, kind)), 400)
    suggestions = [suggestion._asdict() for suggestion in failed.suggestions]
    # Chat clients show nothing but the message.
    message = str(failed) if request.url.path.startswith("/v1/") else failed.reason
    return _error(request, status, _snake(type(failed).__name__), message, suggestions=suggestions)


def _error(  # noqa: PLR0913 - all that an error says
    request: Request,
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    suggestions: Sequence[Mapping[str, str]] = (),
) -> Response:
    body = error_body(code, message)
    if suggestions:
        body["error"]["suggestions"] = list(suggestions)
    if request.url.path.startswith("/v1/"):  # whoever talks to a model expects these two besides
        body["error"] |= {"type": "invalid_request_error" if status < FAULT else "server_error", "param": None}
    return JsonResponse(body, status, headers=headers)


def _crashed(service: Service) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def crashed(request: Request, crash: Exception) -> Response:
        service.counts.errors += 1
        told = f"this is a bug ({type(crash).__name__}); nothing recorded is lost. Please report it"
        return _error(request, 500, "internal", told)

    return crashed


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _plain(text: str) -> Endpoint:
    async def plain(_: Request) -> Response:
        return PlainTextResponse(f"{text}\n")

    return plain


def _ready(service: Service) -> Endpoint:
    async def ready(_: Request) -> Response:
        if not service.ready:
            raise HTTPException(503, "the server is starting or stopping; try again")
        return PlainTextResponse("ready\n")

    return ready


async def _document(_: Request) -> Response:
    return JsonResponse(openapi_document(operations()))


def _metrics(service: Service) -> Endpoint:
    async def metrics(_: Request) -> Response:
        return PlainTextResponse(service.counts.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return metrics


def _page_of(name: str) -> Endpoint:
    async def page(request: Request) -> Response:
        return await asyncio.to_thread(_file, name, request)

    return page


async def _static(request: Request) -> Response:
    return await asyncio.to_thread(_file, str(request.path_params["path"]), request)


@lru_cache(1)
def _page_files() -> Mapping[str, Path]:
    """The files of the page by name: what a caller writes is looked up here, and never made into a path."""
    return {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.suffix in KINDS}


@lru_cache(64)
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _file(name: str, request: Request) -> Response:
    """A file of the page; whoever has it as it is need not have it again."""
    path = _page_files().get(name)
    if path is None:
        raise HTTPException(404, f"there is no file {name[:60]!r} of the page here")
    content, kind = path.read_bytes(), KINDS[path.suffix]
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", "") and kind.startswith(
        ("text/", "application/json", "image/svg")
    ):
        content = _compressed(content)
        headers["Content-Encoding"] = "gzip"
    return Response(content, headers=headers, media_type=kind)
