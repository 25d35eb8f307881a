"""How a worker is, for whoever watches machines: /healthz, /readyz and /metrics, and nothing else."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Final

from quorate.errors import BadSetting
from quorate.service.workers import Worker
from quorate.views.prometheus import metric_lines

__all__ = ["PATHS", "serve_status", "worker_metrics"]

PATHS: Final = ("/healthz", "/readyz", "/metrics")

HEAD: Final = 8 * 1024
"""Bytes of a request's head at most."""
PATIENCE: Final = 5.0
"""Seconds in which it must have come."""


@asynccontextmanager
async def serve_status(worker: Worker, host: str, port: int) -> AsyncGenerator[str]:
    """Answer there meanwhile; gives the address.

    Raises:
        BadSetting: nothing can listen there.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(worker, head))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    try:
        server = await asyncio.start_server(answer, host, port, limit=HEAD)
    except OSError as wrong:
        raise BadSetting(f"cannot listen at {host} port {port}: {wrong}; give another with --port or --host") from wrong
    async with server:
        bound: int = server.sockets[0].getsockname()[1]
        yield f"http://[{host}]:{bound}" if ":" in host else f"http://{host}:{bound}"


def _response(worker: Worker, head: bytes) -> bytes:
    method, _, rest = head.partition(b"\r\n")[0].partition(b" ")
    status, body = _page(worker, rest.partition(b" ")[0].partition(b"?")[0])
    if method not in {b"GET", b"HEAD"}:
        status, body = HTTPStatus.METHOD_NOT_ALLOWED, "GET or HEAD\n"
    content = body.encode()
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(content)}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode() + (b"" if method == b"HEAD" else content)


def _page(worker: Worker, path: bytes) -> tuple[HTTPStatus, str]:
    """Alive as long as it answers; ready while it takes deliberations and its database can be reached."""
    if path == b"/healthz":
        return HTTPStatus.OK, "ok\n"
    if path == b"/metrics":
        return HTTPStatus.OK, "\n".join((*worker_metrics(worker), ""))
    if path != b"/readyz":
        return HTTPStatus.NOT_FOUND, f"there are {', '.join(PATHS)}\n"
    if worker.is_draining:
        return HTTPStatus.SERVICE_UNAVAILABLE, "draining: it takes no more deliberations\n"
    if not worker.counts.is_reachable:
        return HTTPStatus.SERVICE_UNAVAILABLE, "its database cannot be reached\n"
    return HTTPStatus.OK, "ok\n"


def worker_metrics(worker: Worker) -> Iterator[str]:
    """Everything that is counted, a line each, with what each is."""
    counts = worker.counts
    ended = {f'{{state="{state}"}}': many for state, many in sorted(counts.ended.items())}
    yield from metric_lines("worker_deliberations_taken_total", "Deliberations taken from the queue.", counts.started)
    yield from metric_lines("worker_deliberations_ended_total", "Deliberations ended, by how they stand.", ended)
    yield from metric_lines(
        "worker_taken_over_total", "Deliberations queued again for dead workers.", counts.taken_over
    )
    yield from metric_lines("worker_deliberations_running", "Deliberations held now.", counts.running)
    yield from metric_lines("worker_entries_total", "Entries written to the ledger.", counts.entries)
    yield from metric_lines("worker_calls_total", "Calls to models.", counts.calls)
    yield from metric_lines("worker_tokens_total", "Tokens asked and answered, as far as models tell.", counts.tokens)
    yield from metric_lines("worker_draining", "1 while it takes no more.", int(worker.is_draining))
    yield from metric_lines("worker_database_reachable", "1 while its database answers.", int(counts.is_reachable))
    yield from metric_lines("queue_waiting", "Deliberations that wait for any worker.", counts.waiting)
    yield from metric_lines("queue_workers", "Workers alive on this queue.", counts.workers)
