"""What lies in a folder, an archive or a list: every file once, in order, and nothing that lies elsewhere."""

import bz2
import gzip
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final, cast

from quorate.errors import BadSetting
from quorate.evidence.document_reader import DocumentReader
from quorate.evidence.file_kinds import LARGEST, NO_KIND, is_readable, read_file
from quorate.evidence.source_document import Document, UnreadFile
from quorate.evidence.source_file import read_list
from quorate.frozen import dataclass

__all__ = ["SourceFile", "check_sources", "gather"]

UNPACKED: Final = 1024 * 2**20
MEMBERS: Final = 100_000
"""Bytes and files that are read of one archive: a small one can hold a great deal."""
PASSED_OVER: Final = 8 * UNPACKED
"""Bytes that an archive may unpack to, with those that are passed over."""
HEADER: Final = 2**20
"""Bytes of an archive between two files. tarfile takes them all into memory, and a small archive can hold gigabytes."""
LISTED: Final = 16 * 2**20
"""Bytes of the list of files at a zip archive's end. zipfile makes an object of every line before the first is read."""
_OPENERS: Final[Mapping[str, Callable[[Path, str], IO[bytes]]]] = MappingProxyType(
    {".gz": gzip.open, ".tgz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}  # type: ignore[dict-item]
)
ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
LINK: Final = "a link, which is not followed"
_BROKEN: Final = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error)
_FAULTS: Final = (OSError, EOFError, RuntimeError, ValueError, LookupError, MemoryError, *_BROKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a source. It is read only if its time or size has changed; `name` is empty for the source itself."""

    source: str
    name: str
    time: int
    size: int
    read: Callable[[DocumentReader], Iterator[Document | UnreadFile]]


def check_sources(paths: tuple[Path, ...]) -> None:
    """See that every source is there and of a kind that is read.

    Raises:
        BadSetting: it is not, with what it may be.
    """
    for path in paths:
        if path.is_dir():
            continue
        if not path.exists():
            raise BadSetting(f"no sources at {str(path)!r}; give a folder, an archive, a document or a JSON list")
        if not (path.is_file() and (_packed(path) or path.suffix.casefold() == ".json" or is_readable(path.name))):
            raise BadSetting(
                f"the sources {str(path)!r} are of a kind that is not read; give a folder, an archive (.zip, .tar.gz), "
                "a document (.txt, .md, .html, .pdf) or a JSON list"
            )


def gather(path: Path) -> Iterator[SourceFile | UnreadFile]:
    """Every file of a source; a folder's own are told one by one, an archive or a list is one file."""
    if path.is_dir():
        yield from _folder(path)
        return
    try:
        about = path.stat()
    except OSError as wrong:
        yield UnreadFile(path.name, wrong.strerror or "not there")
        return
    read = _members if _packed(path) else read_list if path.suffix.casefold() == ".json" else _single
    yield SourceFile(source=str(path), name="", time=about.st_mtime_ns, size=about.st_size, read=partial(read, path))


def _packed(path: Path) -> bool:
    return path.name.casefold().endswith(ARCHIVES)


def _folder(root: Path) -> Iterator[SourceFile | UnreadFile]:
    """Depth first, by name; hidden files are nobody's sources, and a link may lead anywhere."""
    for here, folders, names in os.walk(root, onerror=None, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inner = os.path.relpath(here, root)
        for name in sorted(names):
            if name.startswith("."):
                continue
            shown = name if inner == "." else f"{inner}/{name}"
            yield _looked_at(root, shown)


def _looked_at(root: Path, name: str) -> SourceFile | UnreadFile:
    if not is_readable(name):
        return UnreadFile(name, NO_KIND)
    try:
        about = (root / name).lstat()
    except OSError as wrong:
        return UnreadFile(name, wrong.strerror or "gone")
    if stat.S_ISLNK(about.st_mode):
        return UnreadFile(name, LINK)
    if not stat.S_ISREG(about.st_mode):
        return UnreadFile(name, "no ordinary file")
    return SourceFile(
        source=str(root), name=name, time=about.st_mtime_ns, size=about.st_size, read=partial(_one, root, name)
    )


def _one(root: Path, name: str, reader: DocumentReader) -> Iterator[Document | UnreadFile]:
    try:
        content = _opened(root, name)
    except (OSError, ValueError) as wrong:
        yield UnreadFile(name, getattr(wrong, "strerror", None) or "not to be opened")
        return
    yield read_file(content, _printable(name), reader)


def _opened(root: Path, name: str) -> bytes:
    """The bytes of a file below a folder, step by step, so that no link put there meanwhile leads out of it."""
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *folders, last = name.split("/")
        for folder in folders:
            inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = inner
        # Without O_NONBLOCK a pipe would be waited for.
        file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    finally:
        os.close(at)
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ValueError("no ordinary file")
        return stream.read(LARGEST + 1)


def _single(path: Path, reader: DocumentReader) -> Iterator[Document | UnreadFile]:
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as wrong:
        yield UnreadFile(path.name, wrong.strerror or "not to be opened")
        return
    yield read_file(content, _printable(path.name), reader)


def _members(path: Path, reader: DocumentReader) -> Iterator[Document | UnreadFile]:
    """What an archive holds, read where it lies; nothing is unpacked onto the disk."""
    left, count = UNPACKED, 0
    try:
        for name, content in _zipped(path) if path.suffix.casefold() == ".zip" else _tarred(path, reader):
            left, count = left - len(content), count + 1
            if left < 0 or count > MEMBERS:
                yield UnreadFile(path.name, "an archive that holds more than is read of one")
                return
            yield read_file(content, _printable(name), reader)
    except _FAULTS:
        yield UnreadFile(path.name, "an archive that cannot be read to its end")


def _zipped(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as stream:
        end = zipfile._EndRecData(stream)  # type: ignore[attr-defined]  # noqa: SLF001  nothing public tells how long it is
        if end and end[zipfile._ECD_SIZE] > LISTED:  # type: ignore[attr-defined]  # noqa: SLF001
            raise zipfile.BadZipFile
    with zipfile.ZipFile(path) as archive:
        for member in sorted(archive.infolist(), key=lambda one: one.filename):
            if not member.is_dir() and _wanted(member.filename):
                with archive.open(member) as stream:
                    yield member.filename, stream.read(LARGEST + 1)


class _Unpacked:
    """What an archive unpacks to, as long as it isn't endless: what is skipped must be unpacked too."""

    def __init__(self, stream: IO[bytes], reader: DocumentReader) -> None:
        self._stream = stream
        self._reader = reader
        self._room = PASSED_OVER
        self._header = HEADER

    def next_file(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        """The next file, if what stands before it is short; what tarfile remembers of earlier ones is dropped."""
        self._header = HEADER
        found = archive.next()
        self._header = PASSED_OVER
        archive.members.clear()  # type: ignore[attr-defined]  # typeshed leaves it out
        archive.pax_headers = {}
        return found

    def read(self, size: int) -> bytes:
        self._reader.check()
        piece = self._stream.read(size)
        self._room -= len(piece)
        self._header -= len(piece)
        if min(self._room, self._header) < 0:
            raise OSError("it unpacks to more than is read")
        return piece


def _tarred(path: Path, reader: DocumentReader) -> Iterator[tuple[str, bytes]]:
    opener = _OPENERS.get(path.suffix.casefold(), open)
    with opener(path, "rb") as packed:
        source = _Unpacked(packed, reader)
        archive = tarfile.open(fileobj=cast("IO[bytes]", source), mode="r|")  # noqa: SIM115  it reads on
        while (member := source.next_file(archive)) is not None:
            # A sparse file can be endless at no cost, so it is passed over.
            stream = archive.extractfile(member) if member.isreg() and not member.issparse() else None
            if stream is None:
                continue
            content = stream.read(LARGEST + 1)
            while stream.read(HEADER):  # the rest of a file counts as such, and not as what stands before the next
                pass
            if _wanted(member.name):
                yield member.name, content


def _wanted(name: str) -> bool:
    return is_readable(name) and not any(part.startswith(".") and part not in {".", ".."} for part in name.split("/"))


def _printable(name: str) -> str:
    """A name as it can be shown and cited: from within the source, whatever an archive's maker wrote."""
    plain = "/".join(part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."})
    return "".join(sign if sign.isprintable() else "?" for sign in plain)[:500]
