"""One HTTP client for all panelists: connections, proxies, certificates, what endpoints declined, how much may come."""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import field
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from quorate.errors import BadSetting, PanelistError
from quorate.frozen import dataclass, fast_init
from quorate.panelists.alarms import Alarms
from quorate.panelists.http.file_shortage import is_short, most_connections, pause

if TYPE_CHECKING:
    import aiohttp
import json
import os
import time
from pathlib import Path
from typing import Any

__all__ = ["DAY", "LOOPBACK", "OK", "Declines", "Http", "HttpResponse", "Route"]

Place = tuple[str, str]
"""The address that requests go to, and the model."""

DAY: Final = 86_400.0
"""Seconds that a decline is believed: servers are updated, and then take what they declined."""
LARGEST: Final = 1024 * 1024
MOST: Final = 1000
"""Declines kept at most; the oldest go first."""


class Declines:
    """Declined parts of requests by place, in memory and, if a file is named, in it for other processes.

    The file holds addresses, models and times, and neither keys nor words. One that cannot be read or written costs a
    declined request and nothing else.
    """

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        self._known: dict[Place, frozenset[str]] | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Kept in the XDG cache folder; a relative one is to be ignored, and without a home nothing is kept."""
        given, home = environ.get("XDG_CACHE_HOME", ""), environ.get("HOME", "")
        base = Path(given) if given.startswith("/") else Path(home) / ".cache" if home.startswith("/") else None
        return cls(base / "quorate" / "declines.json" if base else None)

    def at(self, place: Place) -> frozenset[str]:
        """What was declined there."""
        if self._known is None:
            self._known = {}
            for url, model, name, _ in self._read():
                self._known[url, model] = self._known.get((url, model), frozenset()) | {name}
        return self._known.get(place, frozenset())

    def add(self, place: Place, name: str) -> None:
        """Remember what is declined there, and keep it, beside what other processes have kept meanwhile."""
        before = self.at(place)
        if self._known is None or name in before:
            return
        self._known[place] = before | {name}
        if self._file is not None:
            others = [row for row in self._read() if row[:3] != (*place, name)]
            with suppress(OSError):
                self._write([*others, (*place, name, self._clock())][-MOST:])

    def _read(self) -> list[tuple[str, str, str, float]]:
        """The rows of the file that make sense and are less than a day old."""
        try:
            with open(self._file or os.devnull, encoding="utf-8") as file:  # noqa: PTH123 - a plain read
                said: Any = json.loads(file.read(LARGEST))
        except (OSError, ValueError, RecursionError):
            return []
        now, rows = self._clock(), said if isinstance(said, list) else []
        return [row for row in map(_row, rows) if row is not None and 0 <= now - row[3] < DAY]

    def _write(self, rows: list[tuple[str, str, str, float]]) -> None:
        """Under its name only once it is whole: others may be reading."""
        assert self._file is not None  # noqa: S101 - for the type checker
        self._file.parent.mkdir(parents=True, exist_ok=True)
        begun = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with os.fdopen(os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(rows, file)
        begun.replace(self._file)


def _row(said: object) -> tuple[str, str, str, float] | None:
    match said:
        case [str() as url, str() as model, str() as name, (int() | float()) as when]:
            return url, model, name, float(when)
        case _:
            return None


LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "quorate",
    }
)
"""What every request bears: given once to the session, they are not put together anew for each."""
MIB: Final = 1024 * 1024
MOMENT: Final = 0.1
OK: Final = 200


_Kinds = tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where requests go. `who` names model and host in messages; `advice` says what to do about a refused key.

    `headers` are sent there beside those of every request: the key, and what its format wants.
    `most` is how many bytes a reply that comes at once may have, if that is less than we take from anybody.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    who: str
    advice: str = ""
    proxy: str | None = field(default=None, repr=False)
    most: int = 0


@fast_init
@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What came back, whole; the body is empty if it went line by line to whoever listened."""

    status: int
    body: bytes
    retry_after: str = ""
    streamed: bool = False


class _Short(Exception):
    """No connection could be opened, because no file could: nothing was sent."""

    def __init__(self, failure: PanelistError) -> None:
        super().__init__()
        self.failure = failure


class Http:
    """One session for everyone: `async with Http.of(environ) as http`. Who finds no connection free waits for one."""

    def __init__(
        self, *, proxies: Mapping[str, str] | None = None, ca: str = "", patience: float = 600.0, most: int = 8 * MIB
    ) -> None:
        """`proxies` by scheme, with `no` for hosts that need none; `ca` is a file or folder of trusted certificates."""
        self._proxies = dict(proxies or {})
        self._ca = ca
        self._patience = patience
        self._most = most
        self._session: aiohttp.ClientSession | None = None
        self._alarms = Alarms()
        self._wrongs: _Kinds = (TimeoutError, OSError)
        self._stack = AsyncExitStack()
        self.declines = Declines()
        """What endpoints have said they do not take: asked once, remembered for all seats."""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Proxies, certificates and the cache folder as the environment says; lower-case names win, as in curl."""
        ca = environ.get("SSL_CERT_FILE") or environ.get("REQUESTS_CA_BUNDLE") or ""
        named = {name.casefold(): environ.get(name.casefold()) or environ[name] for name in environ}
        wanted = {scheme: named.get(f"{scheme}_proxy", "") for scheme in ("http", "https", "all", "no")}
        made = cls(proxies={scheme: value for scheme, value in wanted.items() if value}, ca=ca)
        made.declines = Declines.of(environ)
        return made

    async def __aenter__(self) -> Self:
        """Open the session.

        Raises:
            BadSetting: the certificates cannot be read.
        """
        import aiohttp  # noqa: PLC0415  takes half a second, and most commands ask nobody

        self._wrongs = (aiohttp.ClientError, TimeoutError, OSError)
        trusted = _trust(self._ca) if self._ca else True
        connector = aiohttp.TCPConnector(limit=most_connections(), ssl=trusted, keepalive_timeout=30, ttl_dns_cache=300)
        self._session = await self._stack.enter_async_context(
            aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
                headers=HEADERS,
            )
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        await self._stack.aclose()

    def __repr__(self) -> str:
        return f"Http({'open' if self._session else 'closed'})"

    def proxy(self, url: str) -> str | None:
        """The proxy on the way to an address; this machine is always reached directly.

        Raises:
            BadSetting: the proxy is of a kind that we do not speak.
        """
        to = urlsplit(url)
        found = self._proxies.get(to.scheme) or self._proxies.get("all")
        host = to.hostname or ""
        if not found or host in LOOPBACK or _direct(host, to.port, self._proxies.get("no", "")):
            return None
        by = urlsplit(found if "://" in found else f"http://{found}")
        if by.scheme not in {"http", "https"}:
            raise BadSetting(f"the proxy for {host} is a {by.scheme} proxy; only http and https proxies are spoken")
        return by.geturl()

    async def post(self, route: Route, body: bytes, line: Callable[[bytes], bool] | None = None) -> HttpResponse:
        """Send bytes and read what comes back, whole, or line by line while `line` returns true.

        Raises:
            PanelistError: nothing came back, or too much.
        """
        try:
            return await self._sent(route, body, line)
        except _Short as short:
            failure = short.failure
        until = asyncio.get_running_loop().time() + self._patience
        while asyncio.get_running_loop().time() <= until:
            await pause()
            try:
                return await self._sent(route, body, line)
            except _Short as short:
                failure = short.failure
        raise failure

    async def _sent(self, route: Route, body: bytes, line: Callable[[bytes], bool] | None) -> HttpResponse:
        if self._session is None:
            raise PanelistError("unreachable", "the HTTP client is not open; use it inside `async with`")
        asked = self._session.post(
            route.url, data=body, headers=route.headers, proxy=route.proxy, allow_redirects=False
        )
        try:
            clock = asyncio.get_running_loop().time
            with self._alarms.until(clock() + self._patience) as limit:
                async with asked as came:
                    if line is not None and came.status == OK and came.content_type == "text/event-stream":

                        def take(event: bytes) -> bool:
                            # A comment only keeps the connection open; events are the model at work.
                            if event.startswith(b"data:"):
                                limit.ends = clock() + self._patience
                            return line(event)

                        await _by_line(self._pieces(came, route, self._most), take)
                        await _drained(came.content)
                        return HttpResponse(OK, b"", streamed=True)
                    whole = await self._whole(came, route, min(route.most or self._most, self._most))
                    return HttpResponse(came.status, whole, came.headers.get("Retry-After", ""))
        except self._wrongs as wrong:
            # Raised below, outside: what aiohttp raises holds our headers, and must not hang on as the context.
            failure = _failure(wrong, route)
            short = not failure.billed and is_short(wrong)
        raise _Short(failure) if short else failure

    async def _whole(self, came: "aiohttp.ClientResponse", route: Route, most: int) -> bytes:
        """All of the body, up to the limit."""
        if "Content-Encoding" in came.headers:
            return b"".join([piece async for piece in self._pieces(came, route, most)])
        whole = piece = await came.content.readany()
        if piece and not came.content.at_eof():
            pieces, left = [piece], most - len(piece)
            while left >= 0 and (piece := await came.content.readany()):
                pieces.append(piece)
                left -= len(piece)
            whole = b"".join(pieces)
        if len(whole) > most:
            raise _beyond(route, most)
        return whole

    async def _pieces(self, came: "aiohttp.ClientResponse", route: Route, most: int) -> AsyncIterator[bytes]:
        """The body as it comes, unpacked, up to the limit."""
        unpack = _Unpacking(came.headers.get("Content-Encoding", ""), route)
        left = most
        while piece := await came.content.readany():
            plain = unpack(piece, left + 1)
            left -= len(plain)
            if left < 0:
                raise _beyond(route, most)
            yield plain


def _beyond(route: Route, most: int) -> PanelistError:
    return PanelistError("bad_reply", f"{route.who} sent more than {most // 1024} KiB", billed=True)


class _Unpacking:
    """Undoes a Content-Encoding, making no more of it than asked for. We want none; some send one anyway."""

    def __init__(self, encoding: str, route: Route) -> None:
        self._who = route.who
        packed = encoding.strip().casefold() not in {"", "identity"}
        self._zip = zlib.decompressobj(wbits=47) if packed else None

    def __call__(self, piece: bytes, most: int) -> bytes:
        if self._zip is None:
            return piece
        try:
            return self._zip.decompress(piece, most)
        except zlib.error:
            raise PanelistError("bad_reply", f"{self._who} sent what cannot be unpacked", billed=True) from None


async def _by_line(pieces: AsyncIterator[bytes], line: Callable[[bytes], bool]) -> None:
    """Cut a stream into lines, in linear time even if a line never ends."""
    rest = bytearray()
    async for piece in pieces:
        seen = len(rest)
        rest += piece
        if rest.find(b"\n", seen) < 0:
            continue
        *whole, last = rest.split(b"\n")
        rest = last
        if not all(line(bytes(one)) for one in whole):
            return
    if rest:
        line(bytes(rest))


async def _drained(content: "aiohttp.StreamReader") -> None:
    """Give the end of a stream a moment to arrive: only then can its connection serve again."""
    if not content.at_eof():
        with suppress(TimeoutError):
            async with asyncio.timeout(MOMENT):
                await content.readany()


def _trust(ca: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except IsADirectoryError:
        return ssl.create_default_context(capath=ca)
    except OSError:
        raise BadSetting(f"no certificates can be read from {ca!r}; see SSL_CERT_FILE or REQUESTS_CA_BUNDLE") from None


def _direct(host: str, port: int | None, without: str) -> bool:
    """Whether a list of hosts, as NO_PROXY gives it, says that this one is reached directly."""
    names = [name.strip().removeprefix("*").removeprefix(".").casefold() for name in without.split(",") if name.strip()]
    return any(not name or name in {host, f"{host}:{port}"} or host.endswith(f".{name}") for name in names)


def _failure(wrong: Exception, route: Route) -> PanelistError:
    """What aiohttp met, in our words; the first row that fits."""
    import aiohttp as io  # noqa: PLC0415  loaded by now

    untrusted = "shows a certificate that nobody here trusts; set SSL_CERT_FILE to the one that signed it"
    unreachable = (io.ClientConnectorError, io.ConnectionTimeoutError)
    proxy = (io.ClientProxyConnectionError, io.ClientHttpProxyError)
    rows: tuple[tuple[_Kinds, str, str, bool, bool], ...] = (
        ((io.ClientSSLError, ssl.SSLError), "unreachable", untrusted, False, False),
        (proxy, "unreachable", "is behind a proxy that does not let us through", True, False),
        (unreachable, "unreachable", "cannot be reached; does it run, is the address right?", True, False),
        ((TimeoutError,), "timeout", "took too long", False, True),
        ((io.ClientPayloadError,), "bad_reply", "broke off in the middle of its reply", True, True),
        ((io.ClientResponseError,), "bad_reply", "answered with something that is not HTTP", False, True),
        ((io.InvalidURL,), "bad_request", "has an address that is none", False, False),
        ((Exception,), "unreachable", "closed the connection without a reply", True, True),
    )
    why, what, again, billed = next(row[1:] for row in rows if isinstance(wrong, row[0]))
    return PanelistError(why, f"{route.who} {what}", again=again, billed=billed)
