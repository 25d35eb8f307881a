"""A ledger that lives as long as its process, under the same contract as the others."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from threading import RLock

from quorate.errors import LedgerUnwritable, NotRecorded
from quorate.ledger import Claim, Entry, Row, Summary
from quorate.ledger.book import OpenBook, Watch
from quorate.ledger.chain import drop_words, now, open_row, verify_chain
from quorate.ledger.ids import check_prefix, describe_missing, key_hash, only, whole
from quorate.ledger.lease import Owner, held_error, let_go, myself, taken_error
from quorate.ledger.news import wait_by_looking
from quorate.ledger.summary import summarize
from quorate.model.texts import FORGOTTEN


@dataclass(slots=True)
class _Kept:
    """One deliberation: its rows, and the token that only its newest owner has."""

    summary: Summary
    rows: list[Row] = field(default_factory=list)
    token: int = 0
    owner: Owner | None = None
    until: float = 0.0
    timer: asyncio.TimerHandle | None = None
    imported: bool = False

    @property
    def held(self) -> bool:
        return self.owner is not None and time.monotonic() <= self.until


class _Shelf:
    """Puts rows into the ledger under an owner's token."""

    def __init__(self, ledger: "MemoryLedger", token: int) -> None:
        self._ledger = ledger
        self._token = token

    def put(self, book: OpenBook, row: Row, summary: Summary) -> None:
        self._ledger.append(self._token, row, summary)
        asyncio.get_running_loop().call_soon(book.settle, row.number)

    def hurry(self) -> None:
        """Nothing is ever behind."""


class MemoryLedger:
    """Deliberations in a dict; owners may live on different threads."""

    def __init__(self, *, ttl: float = 10.0) -> None:
        self._ttl = ttl
        self._kept: dict[str, _Kept] = {}
        self._claims: dict[str, Claim] = {}
        self._version = 0
        self._lock = RLock()

    @asynccontextmanager
    async def own(
        self,
        id_: str,
        *,
        watch: Watch | None = None,
        fresh: bool = False,  # noqa: ARG002 - to take it takes no time here
    ) -> AsyncGenerator[OpenBook]:
        token, rows = self._take(whole(id_))
        try:
            verify_chain(id_, rows)
            book = OpenBook(id_, [open_row(row) for row in rows], _Shelf(self, token), watch)
            self._beat(book, token)
            yield book
            await book.committed()
            book.fail(let_go(id_))
        finally:
            self._release(id_, token)

    def _beat(self, book: OpenBook, token: int) -> None:
        """Renew the lease as long as the owner's event loop runs."""
        with self._lock:
            kept = self._kept.get(book.id)
            if kept is None or kept.token != token:
                book.fail(taken_error(book.id))
                return
            kept.until = time.monotonic() + self._ttl
            kept.timer = asyncio.get_running_loop().call_later(self._ttl / 3, self._beat, book, token)

    def _take(self, id_: str) -> tuple[int, Sequence[Row]]:
        with self._lock:
            kept = self._kept.setdefault(id_, _Kept(Summary(id=id_)))
            if kept.owner is not None and kept.held:
                raise held_error(id_, kept.owner)
            kept.token += 1
            kept.owner = replace(myself(os.getpid()), since=now())
            kept.until = time.monotonic() + self._ttl
            return kept.token, tuple(kept.rows)

    def append(self, token: int, row: Row, summary: Summary) -> None:
        """Add a row under a token.

        Raises:
            OwnerLost: the token is no longer the newest; nothing was added.
        """
        with self._lock:
            kept = self._kept.get(summary.id)
            if kept is None or kept.token != token:
                raise taken_error(summary.id)
            kept.rows.append(row)
            kept.summary = summary
            self._version += 1

    def _release(self, id_: str, token: int) -> None:
        with self._lock:
            kept = self._kept.get(id_)
            if kept is None or kept.token != token:
                return
            kept.owner = None
            kept.token += 1
            self._version += 1
            if kept.timer is not None:
                kept.timer.cancel()
            if not kept.rows:
                del self._kept[id_]

    async def read(self, id_: str, *, after: int = 0) -> Sequence[Entry]:
        return [open_row(row) for row in (await self.rows(id_))[after:]]

    async def owner(self, id_: str) -> Owner | None:
        found = await self.find(id_)
        with self._lock:
            kept = self._kept[found]
            return kept.owner if kept.held else None

    async def find(self, id_: str) -> str:
        with self._lock:
            ids, own = sorted(self._kept), [known for known, kept in self._kept.items() if not kept.imported]
        if id_ == "last":
            return only(id_, own[-1:])
        typed = check_prefix(id_)
        return only(id_, [known for known in ids if known.startswith(typed)][:3])

    async def list(self) -> AsyncIterator[Summary]:
        with self._lock:
            kept = [*self._kept.values()][::-1]
            summaries = [replace(one.summary, entries=len(one.rows), imported=one.imported) for one in kept]
        for summary in summaries:
            yield summary

    async def rows(self, id_: str) -> Sequence[Row]:
        found = await self.find(id_)
        with self._lock:
            return tuple(self._kept[found].rows)

    async def adopt(self, id_: str, rows: Sequence[Row]) -> None:
        summary = summarize(whole(id_), [open_row(row) for row in rows])
        with self._lock:
            if id_ in self._kept:
                raise LedgerUnwritable(f"{id_} is in this ledger already; import it into another one")
            self._kept[id_] = _Kept(summary, [row._replace(imported=True) for row in rows], imported=True)
            self._version += 1

    async def forget(self, id_: str) -> None:
        with self._lock:
            kept = self._kept.get(whole(id_))
            if kept is None:
                raise NotRecorded(describe_missing(id_))
            if kept.owner is not None and kept.held:
                raise held_error(id_, kept.owner)
            kept.token += 1
            kept.rows = [drop_words(row) for row in kept.rows]
            self._version += 1
            kept.summary = replace(kept.summary, question=FORGOTTEN)

    async def claim(self, key: str, id_: str, digest: str = "") -> Claim:
        with self._lock:
            return self._claims.setdefault(key_hash(key), Claim(whole(id_), digest))

    async def open_claims(self) -> Sequence[str]:
        with self._lock:
            claimed = {claim.id for claim in self._claims.values()}
            return [id_ for id_, kept in self._kept.items() if id_ in claimed and kept.summary.state == "open"]

    async def version(self) -> int:
        with self._lock:
            return self._version

    async def wait(self, id_: str, *, after: int, seconds: float) -> None:
        await wait_by_looking(self, id_, after, seconds)

    async def close(self) -> None:
        """Nothing is left to commit."""
