"""Fetching a page without reaching what is not public: resolved once, checked, and connected to what was checked.

The name is resolved once per hop. Every address it has must be public, the connection goes to one of those that were
checked and to no other, and every redirect is a new hop with the same checks. A last check stands where the socket
is made, so that no way around the first ones reaches anything.
"""

import asyncio
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from quorate.evidence.document_reader import DocumentReader
from quorate.evidence.file_kinds import read_file
from quorate.evidence.source_document import Document, UnreadFile
from quorate.frozen import dataclass

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import ResolveResult
import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

__all__ = ["NAME", "AddressRefused", "Fetcher", "Resolve", "is_public", "target_of"]

PORTS: Final = frozenset({80, 443})
LONGEST: Final = 2_048

_NOT_PUBLIC: Final = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    )
)  # fmt: skip
"""Written out: which of them the library calls global differs between versions of Python."""
_UNICAST: Final = ip_network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    ip_network(text)
    # Teredo, benchmarks, ORCHID, documentation, 6to4, segment routing: all lead elsewhere than they say, or nowhere.
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48", "fd00:ec2::/32")
)
_NAT64: Final = ip_network("64:ff9b::/96")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))+")
_NUMBER: Final = re.compile(r"(?:0x[0-9a-f]*|\d+)")
_INNER: Final = (
    "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
    "test", "example", "invalid", "alt",
)  # fmt: skip


class AddressRefused(ValueError):
    """An address that is not fetched, and why; nothing was contacted."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart: `host` is a name in ASCII or a public IP address as text."""

    url: str
    host: str
    port: int


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public internet; whatever wraps another address is judged by that one."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return is_public(str(IPv4Address(int(address) & 0xFFFFFFFF)))
    return address in _UNICAST and not any(address in network for network in _NOT_PUBLIC_6)


_NEVER: Final = frozenset(' \\\t\r\n<>"{}|^`')
"""Signs that no address holds."""


def target_of(url: str, ports: frozenset[int] = PORTS) -> Target:
    """Take an address apart as strictly as can be: what two readers could read in two ways is refused.

    Raises:
        Refused: it is none that may be fetched.
    """
    if len(url) > LONGEST or not url.isprintable() or not _NEVER.isdisjoint(url):
        raise AddressRefused("it has characters that no address may have, or is too long")
    parts, port = _parts(url)
    if parts.scheme not in {"http", "https"}:
        raise AddressRefused(f"only http and https are fetched, not {parts.scheme[:20] or 'this'}")
    if "@" in parts.netloc or "%" in parts.netloc:
        raise AddressRefused("an address whose host part has a user name or a % is not fetched")
    wanted = port if port is not None else {"http": 80, "https": 443}[parts.scheme]
    if wanted not in ports or parts.netloc.endswith(":"):
        raise AddressRefused("only ports 80 and 443 are fetched")
    host = _host(parts)
    return Target(parts._replace(fragment="", netloc=_netloc(host, port)).geturl(), host, wanted)


def _parts(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("it is no address") from None
    return parts, port


def _netloc(host: str, port: int | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def _host(parts: SplitResult) -> str:
    """The host as it will be connected to; a name that could be read as a number is no name."""
    written = parts.hostname or ""
    if not written.isascii():
        try:
            written = written.encode("idna").decode("ascii").casefold()
        except UnicodeError:
            raise AddressRefused("its host's name cannot be read") from None
    if parts.netloc.startswith("["):
        return _literal(written)
    name = written.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]) or not labels[-1]:
        return _literal(name)
    if not _NAME.fullmatch(name) or labels[-1] in _INNER or len(name) > 253:  # noqa: PLR2004  as DNS has it
        raise AddressRefused("its host is not a name on the public internet")
    return name


def _literal(text: str) -> str:
    """An IP address in its one plain form; 127.1, 0177.0.0.1 and 2130706433 are others."""
    try:
        address: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        raise AddressRefused("its host is not a name on the public internet") from None
    return str(address)


Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""A name and a port into addresses."""

NAME: Final = "fetch 1"
HOPS: Final = 5
PATIENCE: Final = 20.0
LARGEST: Final = 4 * 2**20
OK: Final = 200
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KINDS: Final = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/pdf": ".pdf",
}


async def looked_up(name: str, port: int) -> tuple[str, ...]:
    """Ask the system for a name's addresses, once."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetcher:
    """What is fetched, from where, how much of it. `public`, `resolve` and `ports` are changed by tests alone."""

    ca: str = ""
    patience: float = PATIENCE
    most: int = LARGEST
    public: Callable[[str], bool] = is_public
    resolve: Resolve = looked_up
    ports: frozenset[int] = field(default=PORTS)

    async def fetch(self, url: str) -> Document:
        """The page at an address, under the address that was asked for.

        Raises:
            Refused: it, or where it leads, may not be fetched.
            OSError: it cannot be reached or does not answer well.
            TimeoutError: it takes too long.
            ValueError: it holds nothing that can be read.
        """
        async with asyncio.timeout(self.patience):
            at = url
            for _ in range(HOPS + 1):
                kind, content, onward = await self._hop(at)
                if not onward:
                    return await _document(url, kind, content)
                at = onward
        raise AddressRefused("it redirects too often")

    async def _hop(self, url: str) -> tuple[str, bytes, str]:
        """One request: the kind and bytes of what came, or the address that it leads to."""
        import aiohttp  # noqa: PLC0415  takes half a second

        target = target_of(url, self.ports)
        address = await self._address(target)
        try:
            async with (
                aiohttp.ClientSession(
                    connector=self._connector(target, address),
                    cookie_jar=aiohttp.DummyCookieJar(),
                    auto_decompress=False,
                    trust_env=False,
                    timeout=aiohttp.ClientTimeout(total=self.patience),
                ) as session,
                session.get(target.url, headers=_HEADERS, allow_redirects=False) as came,
            ):
                if came.status in REDIRECTS and "Location" in came.headers:
                    return "", b"", urljoin(target.url, came.headers["Location"])
                if came.status != OK:
                    raise OSError(f"it answered {came.status}")
                return came.content_type, await self._read(came), ""
        except aiohttp.ClientError as wrong:
            raise OSError(f"it cannot be fetched: {type(wrong).__name__}") from None

    async def _address(self, target: Target) -> str:
        """The one address that is connected to. All that the name has must be public: one that is not is a trick."""
        try:
            found = await self.resolve(target.host, target.port)
        except (OSError, UnicodeError):
            raise OSError("its host's name has no address") from None
        if not found:
            raise OSError("its host's name has no address")
        if not all(self.public(address) for address in found):
            raise AddressRefused("its host is not on the public internet")
        return found[0]

    def _connector(self, target: Target, address: str) -> "aiohttp.TCPConnector":
        import aiohttp  # noqa: PLC0415  loaded by now

        def made(about: Any) -> socket.socket:  # noqa: ANN401  as aiohttp hands it over
            family, kind, protocol, _, (to, *_rest) = about
            if to != address or not self.public(str(to)):
                raise AddressRefused("its host is not on the public internet")
            plain = socket.socket(family, kind, protocol)
            plain.setblocking(False)  # noqa: FBT003  as it is spelt
            return plain

        return aiohttp.TCPConnector(
            resolver=_Pinned.of(target, address),
            use_dns_cache=False,
            socket_factory=made,
            ssl=ssl.create_default_context(cafile=self.ca) if self.ca else True,
            force_close=True,
        )

    async def _read(self, came: "aiohttp.ClientResponse") -> bytes:
        """The body, unpacked, up to the limit."""
        packed = came.headers.get("Content-Encoding", "").strip().casefold()
        if packed not in {"", "identity", "gzip", "deflate"}:
            raise ValueError("it is compressed in a way that was not asked for")
        unpack = zlib.decompressobj(wbits=47) if packed in {"gzip", "deflate"} else None
        content = bytearray()
        async for piece in came.content.iter_any():
            try:
                content += unpack.decompress(piece, self.most + 1 - len(content)) if unpack else piece
            except zlib.error:
                raise ValueError("it cannot be unpacked") from None
            if len(content) > self.most:
                raise ValueError(f"it is larger than {self.most // 2**20} MB")
        return bytes(content)


class _Pinned:
    """A resolver that knows one name and the one address that was checked."""

    @classmethod
    def of(cls, target: Target, address: str) -> Any:  # noqa: ANN401  a class of aiohttp's, which is loaded late
        from aiohttp.abc import AbstractResolver  # noqa: PLC0415  loaded by now

        class Pinned(AbstractResolver):
            async def resolve(
                self,
                host: str,
                port: int = 0,
                family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002  what was checked has its own
            ) -> "list[ResolveResult]":
                if host.rstrip(".") != target.host:
                    raise OSError("another name than the one that was checked")
                kind = socket.AF_INET6 if ":" in address else socket.AF_INET
                flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
                return [{"hostname": host, "host": address, "port": port, "family": kind, "proto": 0, "flags": flags}]

            async def close(self) -> None: ...

        return Pinned()


async def _document(url: str, kind: str, content: bytes) -> Document:
    suffix = _KINDS.get(kind)
    if suffix is None:
        raise ValueError(f"it is {kind[:60] or 'of no kind'}, which is not read")
    reader = DocumentReader()

    def read() -> Document | UnreadFile:
        with reader:
            return read_file(content, f"page{suffix}", reader)

    try:
        found = await asyncio.to_thread(read)
    finally:
        reader.stop()
    if not isinstance(found, Document):
        raise ValueError(f"it is {found.why}")  # noqa: TRY004  a page that cannot be read is no mistake of ours
    # Whatever a page says its address is: it was found under this one.
    return Document(url=url, title=found.title, date=found.date, text=found.text)


_HEADERS: Final[Mapping[str, str]] = {
    "User-Agent": "quorate (fetches what a panel cites)",
    "Accept": "text/html, text/plain, text/markdown, application/pdf;q=0.9",
    "Accept-Encoding": "identity",
}
