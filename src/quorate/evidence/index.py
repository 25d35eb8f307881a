"""Passages by their words: an SQLite full-text index, kept in a file so that unchanged files are read once."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

import apsw

from quorate.evidence.document_reader import DocumentReader, ReadingStopped
from quorate.evidence.file_walk import SourceFile, gather
from quorate.evidence.source_document import Document, UnreadFile, digest_of, split_passages
from quorate.frozen import dataclass

__all__ = ["NAME", "Hit", "Index", "Progress"]

Progress = Callable[[int, str], None]
"""How many files have been looked at, and the last one."""

NAME: Final = "folder 2"
"""Who found it, with its version: what is cut, ranked or read otherwise is another version."""
SCHEMA: Final = 2
WORK: Final = 15_000
"""Passages a query may rank; beyond, its commonest words are left out, for they say least.

A query that has only such words is answered from as many passages as may be ranked.
"""
WORDS: Final = 24
EVERY: Final = 500

_TABLES: Final = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY, source TEXT, name TEXT, time INTEGER, size INTEGER, UNIQUE (source, name));
CREATE TABLE unread (file INTEGER, name TEXT, why TEXT);
CREATE INDEX unread_by_file ON unread (file);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, file INTEGER, url TEXT, title TEXT, date TEXT, category TEXT, digest TEXT
);
CREATE INDEX documents_by_file ON documents (file);
CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER, text TEXT);
CREATE INDEX passages_by_document ON passages (document);
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TABLE terms (term TEXT PRIMARY KEY, passages INTEGER) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA};
"""
# Scripts that set no space between words: each sign is a word, and a word in a query is a phrase of them.
_CLOSE: Final = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f\uf900-\ufaff])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that was found, with its document's own words about itself."""

    document: int
    url: str
    title: str
    date: str
    category: str
    digest: str
    text: str


class Index:
    """One file of passages. Every call opens it anew: it may be used from any thread, and by several processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def refresh(
        self, sources: Iterable[Path], progress: Progress | None = None, reader: DocumentReader | None = None
    ) -> tuple[UnreadFile, ...]:
        """Read what is new or has changed, forget what is gone, and tell of all that could not be read.

        A `reader` that is stopped leaves what was read until then; the next refresh goes on from there.

        Raises:
            OSError: the index cannot be kept where it should.
            ReadingStopped: the reader was stopped.
        """
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with reader or DocumentReader() as parser:
                try:
                    return self._refreshed(sources, progress, parser)
                except (apsw.NotADBError, apsw.CorruptError):
                    for tail in ("", "-wal", "-shm"):
                        Path(f"{self._path}{tail}").unlink(missing_ok=True)
                    return self._refreshed(sources, progress, parser)
        except apsw.Error as wrong:
            raise OSError(f"the index of sources cannot be written: {wrong}") from wrong

    def _refreshed(
        self, sources: Iterable[Path], progress: Progress | None, reader: DocumentReader
    ) -> tuple[UnreadFile, ...]:
        with closing(self._opened()) as index:
            return _refreshed(index, sources, progress, reader)

    def search(self, query: str, most: int) -> list[Hit]:
        """The passages that fit a query best, best first; no query raises.

        Raises:
            OSError: the index cannot be read.
        """
        try:
            with closing(self._opened()) as index:
                wanted, last = _asked(index, query)
                return [_hit(row) for row in index.execute(_FIND, (wanted, last, most))] if wanted else []
        except apsw.Error as wrong:
            raise OSError(f"the index of sources cannot be read: {wrong}") from wrong

    def texts(self) -> int:
        """How many different texts are in it.

        Raises:
            OSError: the index cannot be read.
        """
        try:
            with closing(self._opened()) as index:
                return int(str(index.execute("SELECT count(DISTINCT digest) FROM documents").get))
        except apsw.Error as wrong:
            raise OSError(f"the index of sources cannot be read: {wrong}") from wrong

    def _opened(self) -> apsw.Connection:
        index = apsw.Connection(str(self._path))
        index.set_busy_timeout(120_000)
        self._path.chmod(0o600)
        for _ in index.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536"):
            pass
        version = index.pragma("user_version")
        if version != SCHEMA:
            with index:
                _emptied(index)
                index.execute(_TABLES)
        return index


def _emptied(index: apsw.Connection) -> None:
    """An index of another version is made anew: all of it stands in the sources."""
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT value FROM json_each(?))"
    ours = '["words", "vocabulary", "files", "unread", "documents", "passages", "terms"]'
    for (name,) in list(index.execute(tables, (ours,))):
        index.execute(f'DROP TABLE "{name}"')


_FIND: Final = """
SELECT documents.id, url, documents.title, date, category, digest, passages.text
FROM (
    SELECT rowid AS passage, bm25(words, 3.0, 1.0) AS score FROM words
    WHERE words MATCH ? AND rowid <= ? ORDER BY score LIMIT ?
)
JOIN passages ON passages.id = passage JOIN documents ON documents.id = passages.document
ORDER BY score, url, passages.id
"""


def _hit(row: Sequence[object]) -> Hit:
    document, url, title, date, category, digest, text = row
    return Hit(
        document=int(str(document)),
        url=str(url),
        title=str(title),
        date=str(date),
        category=str(category),
        digest=str(digest),
        text=str(text),
    )


def _asked(index: apsw.Connection, query: str) -> tuple[str, int]:
    """A query in the index's language, and the last passage to look at.

    Its words stand in quotes, the rarest first, and no more of them than can be ranked.
    """
    plain = index.fts5_tokenizer("unicode61", ["remove_diacritics", "2"])
    stemmed = index.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    words = dict.fromkeys(query[:4_000].split())
    rated: dict[str, int] = {}
    for word in words:
        for phrase in _phrases(plain, word):
            count = min(_known(index, term) for term in _terms(stemmed, phrase))
            if count:
                rated[phrase] = count
    chosen: list[str] = []
    work = 0
    for phrase in sorted(rated, key=lambda one: (rated[one], one)):
        work += rated[phrase]
        if chosen and (work > WORK or len(chosen) == WORDS):
            break
        chosen.append(phrase)
    last = int(str(index.execute("SELECT coalesce(max(id), 0) FROM passages").fetchall()[0][0]))
    over = max(rated[chosen[0]], WORK) if chosen else WORK
    return " OR ".join(f'"{phrase}"' for phrase in chosen), last * WORK // over


def _phrases(plain: apsw.FTS5Tokenizer, word: str) -> Iterator[str]:
    """The words the index would see in a word, those of a close script as one phrase of signs."""
    for token in _terms(plain, word):
        yield " ".join(_CLOSE.sub(r" \1 ", token).split())


def _terms(tokenizer: apsw.FTS5Tokenizer, text: str) -> list[str]:
    content = text.encode("utf-8", "replace")
    return [str(token[0]) for token in tokenizer(content, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False)]


def _known(index: apsw.Connection, term: str) -> int:
    """In how many passages a term stands."""
    found = index.execute("SELECT passages FROM terms WHERE term = ?", (term,)).fetchone()
    return int(str(found[0])) if found else 0


def _looked_at(
    index: apsw.Connection, sources: Iterable[Path], progress: Progress | None, reader: DocumentReader
) -> list[UnreadFile]:
    """Take in what is new or changed, forget what is gone, and say what could not be read at all."""
    passed: list[UnreadFile] = []
    changed, kept = 0, _kept(index)
    for seen, found in enumerate(chain.from_iterable(map(gather, sources)), 1):
        if isinstance(found, UnreadFile):
            passed.append(found)
            continue
        id_, stamp = kept.pop((found.source, found.name), (0, None))
        if stamp == (found.time, found.size):
            continue
        _forget(index, id_)
        if not _read(index, found, reader):
            kept.clear()  # nobody has looked yet whether the others are gone
            break
        changed += 1
        if progress and changed % EVERY == 0:
            progress(seen, found.name)
    for id_, _ in kept.values():
        _forget(index, id_)
    if changed or kept:
        index.execute("DELETE FROM terms; INSERT INTO terms SELECT term, doc FROM vocabulary")
    return passed


def _refreshed(
    index: apsw.Connection, sources: Iterable[Path], progress: Progress | None, reader: DocumentReader
) -> tuple[UnreadFile, ...]:
    """One look at every file, in one transaction: whoever searches meanwhile sees what was there before."""
    index.execute("BEGIN IMMEDIATE")
    try:
        passed = _looked_at(index, sources, progress, reader)
        index.execute("COMMIT")
    except BaseException:
        index.execute("ROLLBACK")
        raise
    reader.check()
    told = index.execute("SELECT name, why FROM unread ORDER BY file, name")
    return (*passed, *(UnreadFile(str(name), str(why)) for name, why in told))


def _kept(index: apsw.Connection) -> dict[tuple[str, str], tuple[int, tuple[int, int] | None]]:
    rows = index.execute("SELECT id, source, name, time, size FROM files")
    return {
        (str(source), str(name)): (int(str(id_)), (int(str(time)), int(str(size))))
        for id_, source, name, time, size in rows
    }


def _read(index: apsw.Connection, file: SourceFile, reader: DocumentReader) -> bool:
    """Take in a file; false, and nothing of it is kept, if the reader was stopped meanwhile."""
    index.execute(
        "INSERT INTO files (source, name, time, size) VALUES (?, ?, ?, ?)",
        (file.source, file.name, file.time, file.size),
    )
    id_ = index.last_insert_rowid()
    try:
        for found in file.read(reader):
            if isinstance(found, UnreadFile):
                index.execute("INSERT INTO unread VALUES (?, ?, ?)", (id_, found.name, found.why))
            else:
                _keep(index, id_, found)
    except ReadingStopped:
        _forget(index, id_)
        return False
    return True


def _keep(index: apsw.Connection, file: int, document: Document) -> None:
    url, title = _clean(document.url), _clean(document.title)
    index.execute(
        "INSERT INTO documents (file, url, title, date, category, digest) VALUES (?, ?, ?, ?, ?, ?)",
        (file, url, title, document.date, document.category, digest_of(document.text)),
    )
    id_ = index.last_insert_rowid()
    for piece in map(_clean, split_passages(document.text)):
        index.execute("INSERT INTO passages (document, text) VALUES (?, ?)", (id_, piece))
        index.execute(
            "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
            (index.last_insert_rowid(), _spaced(title), _spaced(piece)),
        )


def _forget(index: apsw.Connection, file: int) -> None:
    for statement in _FORGET if file else ():
        index.execute(statement, (file,))


_FORGET: Final = (
    """DELETE FROM words WHERE rowid IN
    (SELECT id FROM passages WHERE document IN (SELECT id FROM documents WHERE file = ?))""",
    "DELETE FROM passages WHERE document IN (SELECT id FROM documents WHERE file = ?)",
    "DELETE FROM documents WHERE file = ?",
    "DELETE FROM unread WHERE file = ?",
    "DELETE FROM files WHERE id = ?",
)


def _clean(text: str) -> str:
    """Half of a surrogate pair and a NUL are no text for SQLite."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _spaced(text: str) -> str:
    return _CLOSE.sub(r" \1 ", text) if not text.isascii() else text
