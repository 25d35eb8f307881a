"""The `find` and `fetch` errands: passages for queries, or what stands at addresses; a failure is told, not raised."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from quorate.errors import QuorateError
from quorate.evidence.credibility import CredibilityTable, table_of
from quorate.evidence.fetch import NAME, Fetcher
from quorate.evidence.library import Library
from quorate.evidence.search_servers import SearchServer, server_of
from quorate.evidence.search_settings import SearchSettings
from quorate.evidence.source_document import Document, digest_of, split_passages
from quorate.model import Errand, Found, Passage

__all__ = ["EvidenceFinder"]

NOWHERE: Final = "there is nowhere to look: give sources with --sources, or a search server with --set search=NAME"
FORBIDDEN: Final = "fetching is off; allow it with --set fetch=true"
ADDRESSES: Final = 50
AT_ONCE: Final = 8
PER_PAGE: Final = 20
"""Passages of one page that are kept: its beginning, some twenty thousand characters."""
_FAULTS: Final = (OSError, TimeoutError, ValueError, QuorateError)


@dataclass(slots=True)
class EvidenceFinder:
    """All that finds and fetches, for one deliberation; each part is opened when it is first needed."""

    means: SearchSettings
    fetcher: Fetcher = field(default_factory=Fetcher)
    _lock: Lock = field(default_factory=Lock)
    _table: CredibilityTable | None = None
    _library: Library | None = None
    _server: SearchServer | None = field(default=None, repr=False)

    @classmethod
    def of(cls, means: SearchSettings) -> "EvidenceFinder":
        return cls(means, Fetcher(ca=means.env.get("SSL_CERT_FILE", "")))

    async def find(self, errand: Errand) -> Found:
        """Look in the user's own sources, ask the search server, and tell who found it and what went wrong."""
        queries = tuple(text for text in errand.texts if text.strip())
        passages: list[Passage] = []
        by: list[str] = []
        why: list[str] = []
        try:
            if self.means.sources:
                by.append(Library.name)
                found, note = await asyncio.to_thread(self._looked_up, queries)
                passages += found
                why.append(note)
            if self.means.search != "none":
                server = self._served()
                by.append(server.name)
                found, note = await self._asked(server, queries)
                passages += found
                why.append(note)
        except _FAULTS as wrong:
            why.append(_said(wrong))
        if not by and not why:
            why.append(NOWHERE)
        kept = tuple(_distinct(passages))[: self.means.most]
        return _found(errand, kept, ", ".join(by), "; ".join(dict.fromkeys(filter(None, why))))

    async def fetch(self, errand: Errand) -> Found:
        """Read the pages at these addresses, some at a time; what could not be read is told by its number."""
        if not self.means.fetch:
            return _found(errand, (), NAME, FORBIDDEN)
        urls = tuple(dict.fromkeys(errand.texts))
        stepper = asyncio.Semaphore(AT_ONCE)

        async def one(url: str) -> tuple[Passage, ...] | str:
            async with stepper:
                try:
                    document = await self.fetcher.fetch(url)
                except _FAULTS as wrong:
                    return _said(wrong)
            return tuple(self._passages(document))

        try:
            await asyncio.to_thread(self.table)
        except QuorateError as wrong:
            return _found(errand, (), NAME, str(wrong))
        came = await asyncio.gather(*(one(url) for url in urls[:ADDRESSES]))
        failed = [f"address {place}: {said}" for place, said in enumerate(came, 1) if isinstance(said, str)]
        if len(urls) > ADDRESSES:
            failed.append(f"only {ADDRESSES} of {len(urls)} addresses were fetched")
        passages = tuple(passage for said in came if not isinstance(said, str) for passage in said)
        return _found(errand, passages, NAME, "; ".join(failed[:10]))

    def table(self) -> CredibilityTable:
        """How far places are believed; read once."""
        with self._lock:
            if self._table is None:
                self._table = table_of(self.means.credibility)
            return self._table

    def _looked_up(self, queries: Sequence[str]) -> tuple[tuple[Passage, ...], str]:
        table = self.table()
        with self._lock:
            if self._library is None:
                self._library = Library(self.means, table)
        return self._library.find(queries, self.means.most), self._library.note()

    def _served(self) -> SearchServer:
        if self._server is None:
            self._server = server_of(self.means.search, self.means.env)
        return self._server

    async def _asked(self, server: SearchServer, queries: Sequence[str]) -> tuple[tuple[Passage, ...], str]:
        """Query by query: a server that has had enough of us after some of them has still answered those."""
        each = -(-self.means.most // max(len(queries), 1))
        table = await asyncio.to_thread(self.table)
        found: list[Document] = []
        note = ""
        for query in queries:
            try:
                found += await server.search(query, each)
            except _FAULTS as wrong:
                note = _said(wrong)
                break
        return tuple(_passage(one, one.text, digest_of(one.text), table) for one in found), note

    def _passages(self, document: Document) -> Iterator[Passage]:
        digest = digest_of(document.text)
        for place, text in enumerate(split_passages(document.text)):
            if place == PER_PAGE:
                return
            yield _passage(document, text, digest, self.table())


def _passage(document: Document, text: str, digest: str, table: CredibilityTable) -> Passage:
    standing = table.standing(document.url, document.category)
    return Passage(
        url=document.url,
        title=document.title,
        text=text,
        category=standing.category,
        credibility=standing.credibility,
        why=standing.why,
        date=document.date,
        digest=digest,
    )


def _distinct(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Each passage of each text once, under the address that came first."""
    seen: set[tuple[str, str]] = set()
    for passage in passages:
        mark = (passage.digest, passage.text)
        if mark not in seen:
            seen.add(mark)
            yield passage


def _found(errand: Errand, passages: tuple[Passage, ...], by: str, why: str) -> Found:
    return Found(
        kind=errand.kind,
        round=errand.round,
        seat=errand.seat,
        about=errand.about,
        passages=passages,
        by=by,
        why=why,
    )


def _said(wrong: Exception) -> str:
    return str(wrong) or ("it took too long" if isinstance(wrong, TimeoutError) else type(wrong).__name__)
