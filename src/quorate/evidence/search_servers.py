"""Search servers: SearXNG, Brave, Tavily over HTTP, and any that speaks the Model Context Protocol."""

import html
import json
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from quorate.errors import BadSetting
from quorate.evidence.source_document import LONGEST, Document, day_of, web_address

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
        from quorate.evidence.mcp_search import McpServer  # noqa: PLC0415  an extra

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
