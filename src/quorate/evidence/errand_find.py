"""The `find` and `fetch` errands: passages for queries, or what stands at addresses; a failure is told, not raised."""

import asyncio
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from threading import Lock
from typing import Final

from quorate.errors import QuorateError
from quorate.evidence.credibility import CredibilityTable, table_of
from quorate.evidence.document_reader import DocumentReader
from quorate.evidence.fetch import NAME as FETCH
from quorate.evidence.fetch import Fetcher
from quorate.evidence.file_kinds import NO_KIND
from quorate.evidence.index import NAME as INDEX
from quorate.evidence.index import Hit, Index
from quorate.evidence.search_servers import SearchServer, server_of
from quorate.evidence.search_settings import SearchSettings
from quorate.evidence.source_document import Document, UnreadFile, digest_of, split_passages
from quorate.model import Errand, Found, Passage

__all__ = ["EvidenceFinder", "Library"]

PER_TEXT: Final = 5
"""Passages of one text, at most: the rest of the room is for others."""
DEPTH: Final = 8
"""How many passages are looked at for each that is wanted, so that one text in many places crowds nobody out."""


class Library:
    """Folders, archives and lists as one place, indexed when it is first searched. It may be asked from any thread."""

    name = INDEX

    def __init__(self, means: SearchSettings, table: CredibilityTable) -> None:
        self._means = means
        self._table = table
        self._lock = Lock()
        self._index: Index | None = None
        self.unread: tuple[UnreadFile, ...] = ()

    def find(self, queries: Sequence[str], most: int, reader: DocumentReader | None = None) -> tuple[Passage, ...]:
        """The passages that fit best, each text once before any twice.

        Raises:
            OSError: the index can be neither kept nor read.
            ReadingStopped: the reader was stopped.
        """
        index = self._indexed(reader)
        found = [index.search(query, most * DEPTH) for query in queries]
        stepper = (hit for hit in chain.from_iterable(zip_longest(*found)) if hit is not None)
        return tuple(self._passage(hit, places) for hit, places in _spread(stepper, self._table, most))

    def texts(self) -> int:
        """How many different texts it holds.

        Raises:
            OSError: the index can be neither kept nor read.
        """
        return self._indexed().texts()

    def note(self) -> str:
        """How many files were not read and why, without their names: those are words of the user's."""
        reasons: dict[str, int] = {}
        for one in self.unread:
            if one.why != NO_KIND:
                reasons[one.why] = reasons.get(one.why, 0) + 1
        if not reasons:
            return ""
        count = sum(reasons.values())
        listed = ", ".join(f"{many} {why}" for why, many in sorted(reasons.items())[:5])
        return f"{count} {'file was' if count == 1 else 'files were'} not read: {listed}"

    def _indexed(self, reader: DocumentReader | None = None) -> Index:
        with self._lock:
            if self._index is None:
                self._index = self._opened(reader)
            return self._index

    def _opened(self, reader: DocumentReader | None) -> Index:
        place = self._means.cache
        if place is not None:
            try:
                return self._read(place, reader)
            except OSError as wrong:
                self._means.tell(f"the index of the sources is not kept: {wrong}")
        folder = tempfile.mkdtemp(prefix="quorate-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return self._read(Path(folder) / "sources.db", reader)

    def _read(self, place: Path, reader: DocumentReader | None) -> Index:
        index = Index(place)
        tell = self._means.tell
        self.unread = index.refresh(
            self._means.sources, lambda count, _: tell(f"reading sources: {count} files"), reader
        )
        for one in [one for one in self.unread if one.why != NO_KIND][:20]:
            tell(f"not read: {one.name} ({one.why})")
        return index

    def _passage(self, hit: Hit, url: str) -> Passage:
        standing = self._table.standing(url, hit.category)
        return Passage(
            url=url,
            title=hit.title,
            text=hit.text,
            category=standing.category,
            credibility=standing.credibility,
            why=standing.why,
            date=hit.date,
            digest=hit.digest,
        )


def _spread(hits: Iterable[Hit], table: CredibilityTable, most: int) -> Iterator[tuple[Hit, str]]:
    """The best passage of each text, then further ones; a text in many places goes under the best of them."""
    texts: dict[str, dict[str, Hit]] = {}
    places: dict[str, list[Hit]] = {}
    for hit in hits:
        texts.setdefault(hit.digest, {}).setdefault(hit.text, hit)
        places.setdefault(hit.digest, []).append(hit)
    best = {
        digest: min(found, key=lambda hit: (-table.standing(hit.url, hit.category).credibility, hit.url)).url
        for digest, found in places.items()
    }
    left = most
    for turn in range(PER_TEXT):
        for digest, found in texts.items():
            if left and turn < len(found):
                left -= 1
                yield list(found.values())[turn], best[digest]


NOWHERE: Final = "there is nowhere to look: name sources, or a search server with the setting search"
NO_TIME: Final = "the deliberation ran out of time before everything was read; what was read by then is kept"
FORBIDDEN: Final = "fetching is off; the setting fetch = true allows it"
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
        library = 0
        limit = asyncio.timeout_at(self.means.until)
        try:
            async with limit:
                if self.means.sources:
                    by.append(Library.name)
                    found, note, library = await self._looked_up(queries)
                    passages += found
                    why.append(note)
                if self.means.search != "none":
                    server = self._served()
                    by.append(server.name)
                    found, note = await self._asked(server, queries)
                    passages += found
                    why.append(note)
        except _FAULTS as wrong:
            why.append(NO_TIME if limit.expired() else _said(wrong))
        if not by and not why:
            why.append(NOWHERE)
        kept = tuple(_distinct(passages))[: self.means.most]
        closed = library if self.means.search == "none" and not self.means.fetch else 0
        return replace(_found(errand, kept, ", ".join(by), "; ".join(dict.fromkeys(filter(None, why)))), library=closed)

    async def fetch(self, errand: Errand) -> Found:
        """Read the pages at these addresses, some at a time; what could not be read is told by its number."""
        if not self.means.fetch:
            return _found(errand, (), FETCH, FORBIDDEN)
        urls = tuple(dict.fromkeys(errand.texts))
        stepper = asyncio.Semaphore(AT_ONCE)

        async def one(url: str) -> tuple[Passage, ...] | str:
            limit = asyncio.timeout_at(self.means.until)
            try:
                async with limit, stepper:
                    document = await self.fetcher.fetch(url)
            except _FAULTS as wrong:
                return NO_TIME if limit.expired() else _said(wrong)
            return await asyncio.to_thread(lambda: tuple(self._passages(document)))

        try:
            await asyncio.to_thread(self.table)
        except QuorateError as wrong:
            return _found(errand, (), FETCH, str(wrong))
        came = await asyncio.gather(*(one(url) for url in urls[:ADDRESSES]))
        failed = [f"address {place}: {said}" for place, said in enumerate(came, 1) if isinstance(said, str)]
        if len(urls) > ADDRESSES:
            failed.append(f"only {ADDRESSES} of {len(urls)} addresses were fetched")
        passages = tuple(passage for said in came if not isinstance(said, str) for passage in said)
        return _found(errand, passages, FETCH, "; ".join(failed[:10]))

    def table(self) -> CredibilityTable:
        """How far places are believed; read once."""
        with self._lock:
            if self._table is None:
                self._table = table_of(self.means.credibility)
            return self._table

    async def _looked_up(self, queries: Sequence[str]) -> tuple[tuple[Passage, ...], str, int]:
        """In a thread, which is stopped when nobody waits for it any more."""
        reader = DocumentReader()

        def look_up() -> tuple[tuple[Passage, ...], str, int]:
            table = self.table()
            with self._lock:
                if self._library is None:
                    self._library = Library(self.means, table)
            found = self._library.find(queries, self.means.most, reader)
            return found, self._library.note(), self._library.texts()

        try:
            return await asyncio.to_thread(look_up)
        finally:
            reader.stop()

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
