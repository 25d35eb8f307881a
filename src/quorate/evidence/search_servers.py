"""Search servers: SearXNG, Brave, Tavily over HTTP, and any that speaks the Model Context Protocol."""

import html
import json
import re
import shlex
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from quorate.errors import BadSetting
from quorate.evidence.source_document import LONGEST, Document, day_of, web_address
from quorate.frozen import dataclass

__all__ = ["SERVERS", "SearchServer", "server_of", "sources_in"]

PATIENCE: Final = 20.0
LARGEST: Final = 4 * 2**20
PAGE: Final = 20
"""What the servers give at once, at most."""
OK: Final = 200
_TAG: Final = re.compile(r"<[^>]{0,200}>")


class SearchServer(Protocol):
    """Whoever answers a query with sources. It may raise OSError, TimeoutError or ValueError."""

    @property
    def name(self) -> str:
        """What it is called; it goes into the record, so no key may stand in it."""
        ...

    async def search(self, query: str, most: int) -> Sequence[Document]: ...


def server_of(name: str, env: Mapping[str, str]) -> SearchServer:
    """The server of that name, at the address and with the key that the environment gives.

    Raises:
        BadSetting: a variable is missing or holds no address.
    """
    if name == "mcp":
        return McpServer.of(env)
    kind = SERVERS.get(name)
    if kind is None:
        raise BadSetting(f"search takes none, {', '.join(SERVERS)} or mcp, not {name[:40]!r}")
    key = env.get(kind.key, "").strip() if kind.key else ""
    if kind.key and not key:
        raise BadSetting(f"search: {name} needs its key in the environment: export {kind.key}=…")
    address = env.get(kind.address, "").strip() or kind.otherwise
    if urlsplit(address).scheme not in {"http", "https"}:
        raise BadSetting(f"search: {name} needs its address in the environment: export {kind.address}=http://host:port")
    return _Http(kind=kind, word=name, address=address.rstrip("/"), key=key, ca=env.get("SSL_CERT_FILE", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, object] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How one kind of server is asked, and where in its answer the sources stand."""

    address: str
    otherwise: str = ""
    key: str = ""
    ask: Callable[[str, int, int, str], _Request]
    found: tuple[str, ...]
    pages: int = 1


def _searxng(query: str, page: int, _: int, __: str) -> _Request:
    return _Request(method="GET", path="/search", query={"q": query, "format": "json", "pageno": str(page + 1)})


def _brave(query: str, page: int, most: int, key: str) -> _Request:
    # Brave takes no more than 400 characters and 50 words.
    short = " ".join(query.split()[:50])[:400]
    counted = {"q": short, "count": str(min(most, PAGE)), "offset": str(page)}
    return _Request(
        method="GET",
        path="/res/v1/web/search",
        query=counted,
        headers={"X-Subscription-Token": key, "Accept": "application/json"},
    )


def _tavily(query: str, _: int, most: int, key: str) -> _Request:
    return _Request(
        method="POST",
        path="/search",
        body={"query": query[:400], "max_results": min(most, PAGE), "search_depth": "basic"},
        headers={"Authorization": f"Bearer {key}"},
    )


SERVERS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "searxng": _Kind(address="SEARXNG_URL", ask=_searxng, found=("results",), pages=3),
        "brave": _Kind(
            address="BRAVE_BASE_URL",
            otherwise="https://api.search.brave.com",
            key="BRAVE_API_KEY",
            ask=_brave,
            found=("web", "results"),
            pages=3,
        ),
        "tavily": _Kind(
            address="TAVILY_BASE_URL",
            otherwise="https://api.tavily.com",
            key="TAVILY_API_KEY",
            ask=_tavily,
            found=("results",),
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Http:
    """A server over HTTP. No redirect is followed: the key stays where it was sent."""

    kind: _Kind
    word: str
    address: str
    key: str = field(default="", repr=False)
    ca: str = ""

    @property
    def name(self) -> str:
        return f"{self.word} ({urlsplit(self.address).hostname})"

    async def search(self, query: str, most: int) -> Sequence[Document]:
        found: list[Document] = []
        for page in range(self.kind.pages):
            try:
                told = await self._page(query, page, most)
            except (OSError, TimeoutError, ValueError):
                if found:  # a page that fails takes nothing from those before it
                    break
                raise
            more = sources_in(_within(told, self.kind.found))
            found += more
            if not more or len(found) >= most:
                break
        return found[:most]

    async def _page(self, query: str, page: int, most: int) -> object:
        import aiohttp  # noqa: PLC0415  takes half a second

        put = self.kind.ask(query, page, most, self.key)
        trusted = ssl.create_default_context(cafile=self.ca) if self.ca else True
        limit = aiohttp.ClientTimeout(total=PATIENCE)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, connector=aiohttp.TCPConnector(ssl=trusted)) as session,
                session.request(
                    put.method,
                    self.address + put.path,
                    params=put.query,
                    json=put.body,
                    headers=put.headers,
                    allow_redirects=False,
                ) as came,
            ):
                content = await _read(came)
                status = came.status
        except aiohttp.ClientError as wrong:
            # What aiohttp raises may hold our headers: only its kind is told.
            failure = type(wrong).__name__
        else:
            if status != OK:
                raise OSError(f"{self.name} answered {status}{_advice(self.word, status)}")
            return _parsed(content, self.name)
        raise OSError(f"{self.name} cannot be asked: {failure}")


async def _read(came: Any) -> bytes:  # noqa: ANN401  aiohttp is loaded late
    content = bytearray()
    async for piece in came.content.iter_any():
        content += piece
        if len(content) > LARGEST:
            raise ValueError("the search server sent more than is read of it")
    return bytes(content)


def _advice(name: str, status: int) -> str:
    if name == "searxng" and status == 403:  # noqa: PLR2004  forbidden
        return "; allow it: in its settings.yml, search.formats must list json"
    if status in {401, 403}:
        return f"; is {SERVERS[name].key} right?" if SERVERS[name].key else ""
    return "; it asks for patience" if status == 429 else ""  # noqa: PLR2004  too many


def _parsed(content: bytes, name: str) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{name} sent no JSON") from None


def _within(told: object, path: Sequence[str]) -> object:
    for step in path:
        told = told.get(step) if isinstance(told, dict) else None
    return told


def sources_in(items: object) -> list[Document]:
    """Sources in what a server lists, whatever it calls their parts; what has no address or no words is left out."""
    found = (_source(item) for item in items if isinstance(item, dict)) if isinstance(items, list) else ()
    return [document for document in found if document.url and document.text]


def _source(item: Mapping[str, object]) -> Document:
    said = {key: value for key, value in item.items() if isinstance(value, str)}
    more = item.get("extra_snippets")
    main = _first(said, "content", "text", "description", "snippet", "summary")
    texts = (main, *(text for text in more if isinstance(text, str))) if isinstance(more, list) else (main,)
    return Document(
        url=web_address(_first(said, "url", "link")),
        title=_plain(said.get("title", ""))[:300],
        date=day_of(_first(said, "published_date", "publishedDate", "page_age", "date")),
        text="\n".join(_plain(text) for text in texts if text)[: 3 * LONGEST],
    )


def _first(said: Mapping[str, str], *keys: str) -> str:
    """What stands under the first of these keys that has anything."""
    return next((said[key] for key in keys if said.get(key)), "")


def _plain(text: str) -> str:
    """Servers set the words that fit in tags."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


VARIABLE: Final = "QUORATE_SEARCH_MCP"
PARTS: Final = 3
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'\])]+")
_BREAK: Final = re.compile(r"\n\s*\n|^-{3,}$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server by its command or address. The command stands in the environment alone: no record can start anything."""

    tool: str
    argument: str
    command: tuple[str, ...] = field(repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "McpServer":
        """Read QUORATE_SEARCH_MCP: the tool, its argument, and a command or an address.

        Raises:
            BadSetting: it is not set or cannot be read, or the extra is missing.
        """
        try:
            words = shlex.split(env.get("QUORATE_SEARCH_MCP", ""))
        except ValueError as wrong:
            raise BadSetting(f"{VARIABLE}: {wrong}") from None
        if len(words) < PARTS:
            raise BadSetting(
                f"search = mcp needs {VARIABLE}: the tool, its argument, and the command or address of the server, "
                f"for instance export {VARIABLE}='search query npx -y some-search-server'"
            )
        try:
            import mcp  # noqa: F401, PLC0415  an extra
        except ImportError:
            raise BadSetting("search = mcp needs an extra: pip install 'quorate[mcp]'") from None
        return cls(tool=words[0], argument=words[1], command=tuple(words[2:]), env=env)

    @property
    def name(self) -> str:
        return f"mcp {self.tool}"

    async def search(self, query: str, most: int) -> Sequence[Document]:
        """Call the tool once.

        Raises:
            OSError: it cannot be started or reached, or it says that it failed.
            ValueError: it gives nothing that has an address.
        """
        said = await self._called(query)
        found = list(_told(said))
        if not found and said:
            raise ValueError(f"{self.name} named no addresses, so nothing of it can be cited")
        return found[:most]

    async def _called(self, query: str) -> list[object]:
        from mcp import Client, MCPError, StdioServerParameters  # noqa: PLC0415

        first = self.command[0]
        where: Any = (
            first
            if first.startswith(("http://", "https://"))
            else StdioServerParameters(command=first, args=list(self.command[1:]), env=dict(self.env))
        )
        faults = (MCPError, OSError, TimeoutError, ValueError, RuntimeError)
        try:
            async with Client(where, read_timeout_seconds=PATIENCE) as client:
                came = await client.call_tool(self.tool, {self.argument: query})
        except faults as wrong:
            raise OSError(f"{self.name} cannot be asked: {type(wrong).__name__}: {str(wrong)[:200]}") from None
        except ExceptionGroup as several:
            raise OSError(f"{self.name} cannot be asked: {str(several.exceptions[0])[:200]}") from None
        texts = [str(getattr(part, "text", "")) for part in came.content]
        if came.is_error:
            raise OSError(f"{self.name} says that it failed: {' '.join(texts)[:200]}")
        return [came.structured_content, *texts] if came.structured_content else list(texts)


def _told(parts: Sequence[object]) -> Iterator[Document]:
    """Sources in what a tool gave: lists of objects wherever they stand, else text with addresses in it."""
    for part in parts:
        found = part
        if isinstance(part, str):
            try:
                found = json.loads(part[:LARGEST])
            except (ValueError, RecursionError):
                found = part
        listed = sources_in(_list(found)) if not isinstance(found, str) else list(_blocks(found[:LARGEST]))
        yield from listed
        if listed and not isinstance(part, str):
            return  # the texts beside it say the same once more


def _list(told: object) -> object:
    """The first list of objects in what was told, at most three steps down."""
    for _ in range(PARTS):
        if isinstance(told, list):
            return told
        if isinstance(told, dict):
            if "url" in told:
                return [told]
            told = next((value for value in told.values() if isinstance(value, list | dict)), None)
    return told


def _blocks(text: str) -> Iterator[Document]:
    """Text as servers write it for people: a block for each source, each with its address."""
    for block in _BREAK.split(text):
        found = _ADDRESS.search(block)
        if found:
            lines = [line.strip() for line in block.splitlines() if line.strip()]
            title = re.sub(r"^\W*(?:\d+[.)]|title:)?\s*", "", lines[0], flags=re.IGNORECASE)
            yield Document(
                url=web_address(found[0].rstrip(".,;")), title=title[:300], text=block.strip()[: 3 * LONGEST]
            )
