"""Sources of the user's own: indexed when they are first searched, then searched as often as one likes."""

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from threading import Lock
from typing import Final

from quorate.evidence.credibility import CredibilityTable
from quorate.evidence.file_kinds import NO_KIND
from quorate.evidence.index import NAME, Hit, Index
from quorate.evidence.search_settings import SearchSettings
from quorate.evidence.source_document import UnreadFile
from quorate.model import Passage

__all__ = ["Library"]

PER_TEXT: Final = 5
"""Passages of one text, at most: the rest of the room is for others."""
DEPTH: Final = 8
"""How many passages are looked at for each that is wanted, so that one text in many places crowds nobody out."""


class Library:
    """Folders, archives and lists as one place to search. It may be asked from any thread."""

    name = NAME

    def __init__(self, means: SearchSettings, table: CredibilityTable) -> None:
        self._means = means
        self._table = table
        self._lock = Lock()
        self._index: Index | None = None
        self.unread: tuple[UnreadFile, ...] = ()

    def find(self, queries: Sequence[str], most: int) -> tuple[Passage, ...]:
        """The passages that fit best, each text once before any twice.

        Raises:
            OSError: the index can be neither kept nor read.
        """
        index = self._indexed()
        found = [index.search(query, most * DEPTH) for query in queries]
        stepper = (hit for hit in chain.from_iterable(zip_longest(*found)) if hit is not None)
        return tuple(self._passage(hit, places) for hit, places in _spread(stepper, self._table, most))

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

    def _indexed(self) -> Index:
        with self._lock:
            if self._index is None:
                self._index = self._opened()
            return self._index

    def _opened(self) -> Index:
        place = self._means.cache
        if place is not None:
            try:
                return self._read(place)
            except OSError as wrong:
                self._means.tell(f"the index of the sources is not kept: {wrong}")
        folder = tempfile.mkdtemp(prefix="quorate-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return self._read(Path(folder) / "sources.db")

    def _read(self, place: Path) -> Index:
        index = Index(place)
        tell = self._means.tell
        self.unread = index.refresh(self._means.sources, lambda count, _: tell(f"reading sources: {count} files"))
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
