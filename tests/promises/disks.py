"""A disk that remembers every write and every sync of an SQLite file, and what a power loss may leave of it.

What was synced is there. Of what was not, each sector of 512 bytes is as it was synced or as any later write left it,
each file has any of its later lengths, and each name that was made or removed is there or not.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, Literal

import apsw

from tests.promises.calls import LockingFile

SECTOR: Final = 512
JOURNALS: Final = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
PERSISTENT: Final = JOURNALS | apsw.SQLITE_OPEN_MAIN_DB

Kind = Literal["create", "write", "truncate", "sync", "delete", "sync folder", "seen", "acknowledged"]


@dataclass(frozen=True, slots=True)
class Operation:
    """What was done to which file. What is `seen` is a file beside it that nobody syncs, as it is at that moment.

    An acknowledgement is what the ledger told its caller meanwhile.
    """

    kind: Kind
    file: str = ""
    offset: int = 0
    data: bytes = b""
    told: object = None


class Recorder(apsw.VFS):
    """SQLite's own way to the disk, written down; the files of every connection made meanwhile go through it."""

    def __init__(self, beside: Path) -> None:
        """`beside` is a folder of files that are written without SQLite; they are looked at with every sync."""
        self.operations: list[Operation] = []
        self._beside = beside
        self._lock = Lock()
        super().__init__("recorded", base="unix", makedefault=True)

    def note(self, operation: Operation) -> None:
        with self._lock:
            self.operations.append(operation)
            if operation.kind == "sync" and self._beside.is_dir():
                for file in self._beside.iterdir():
                    self.operations.append(Operation("seen", file.name, data=file.read_bytes()))

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        kept = path is not None and bool(flags[0] & PERSISTENT)
        # SQLite is handed a file that quorate has made a moment before, empty and in nobody's hands.
        new = kept and path is not None and (not Path(path).exists() or not Path(path).stat().st_size)
        file = _File(self, name, flags, Path(path).name if kept and path is not None else "")
        if new:
            self.note(Operation("create", file.name))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.note(Operation("delete", Path(filename).name))
        if syncdir:
            self.note(Operation("sync folder"))


class _File(LockingFile):
    def __init__(self, recorder: Recorder, path: str | apsw.URIFilename | None, flags: list[int], name: str) -> None:
        self.name = name
        self._recorder = recorder
        # SQLite's own way syncs the folder with the first sync of a journal that it has made.
        self._folder = bool(flags[0] & JOURNALS)
        super().__init__("unix", path, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._note("write", offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._note("truncate", newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._note("sync")
        if self._folder and self.name:
            self._folder = False
            self._recorder.note(Operation("sync folder"))

    def _note(self, kind: Kind, offset: int = 0, data: bytes = b"") -> None:
        if self.name:
            self._recorder.note(Operation(kind, self.name, offset, data))


@dataclass(slots=True)
class _Contents:
    """A file: what of it is synced, and after that every version of each sector and every length, oldest first."""

    synced: bytearray = field(default_factory=bytearray)
    later: dict[int, list[bytes]] = field(default_factory=dict[int, list[bytes]])
    sizes: list[int] = field(default_factory=list[int])

    def write(self, offset: int, data: bytes) -> None:
        at = 0
        while at < len(data):
            number, start = divmod(offset + at, SECTOR)
            piece = data[at : at + SECTOR - start]
            before = self._newest(number)
            self._add(number, before[:start] + piece + before[start + len(piece) :])
            at += len(piece)
        if offset + len(data) > self._size:
            self.sizes.append(offset + len(data))

    def truncate(self, size: int) -> None:
        for number in range(-(-size // SECTOR), -(-self._size // SECTOR)):
            self._add(number, bytes(SECTOR))
        self.sizes.append(size)

    def sync(self) -> None:
        self.synced = self._written({number: versions[-1] for number, versions in self.later.items()}, self._size)
        self.later, self.sizes = {}, []

    def survivor(self, chance: random.Random) -> bytes:
        """What a power loss leaves now; the versions of a sector begin with the one that was synced."""
        kept = {number: chance.choice(versions) for number, versions in self.later.items()}
        return bytes(self._written(kept, chance.choice([len(self.synced), *self.sizes])))

    def _written(self, sectors: dict[int, bytes], size: int) -> bytearray:
        content = bytearray(self.synced[:size])
        content.extend(bytes(size - len(content) + SECTOR))
        for number, sector in sectors.items():
            if number * SECTOR < size:
                content[number * SECTOR : (number + 1) * SECTOR] = sector
        del content[size:]
        return content

    def _add(self, number: int, sector: bytes) -> None:
        self.later.setdefault(number, [self._newest(number)]).append(sector)

    def _newest(self, number: int) -> bytes:
        if number in self.later:
            return self.later[number][-1]
        return bytes(self.synced[number * SECTOR : (number + 1) * SECTOR]).ljust(SECTOR, b"\0")

    @property
    def _size(self) -> int:
        return self.sizes[-1] if self.sizes else len(self.synced)


@dataclass(slots=True)
class Disk:
    """What a folder of files comes to, operation by operation; one that is `deaf` does not hear a sync."""

    deaf: bool = False
    files: dict[str, _Contents] = field(default_factory=dict[str, _Contents])
    names: dict[str, _Contents | None] = field(default_factory=dict[str, _Contents | None])
    """What each name stood for when the folder was last synced."""
    beside: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    """Every sight of a file that nobody syncs."""

    def apply(self, operation: Operation) -> None:
        match operation.kind:
            case "create":
                self.files.setdefault(operation.file, _Contents())
            case "delete":
                self.files.pop(operation.file, None)
            case "write":
                self.files.setdefault(operation.file, _Contents()).write(operation.offset, operation.data)
            case "truncate":
                self.files[operation.file].truncate(operation.offset)
            case "sync" if not self.deaf:
                self.files[operation.file].sync()
            case "sync folder" if not self.deaf:
                self.names = dict(self.files)
            case "seen":
                self.beside[operation.file] = [*self.beside.get(operation.file, ())[-2:], operation.data]
            case _:
                pass

    def survivors(self, chance: random.Random) -> dict[str, bytes]:
        """The files that a power loss leaves now, by name."""
        left: dict[str, bytes] = {}
        for name in sorted({*self.files, *self.names}):
            file = chance.choice([self.names.get(name), self.files.get(name)])
            if file is not None:
                left[name] = file.survivor(chance)
        return left

    def torn(self, chance: random.Random) -> dict[str, bytes]:
        """Files that were never synced: each sector is empty, or as it was at one of the last sights of it."""
        return {
            name: b"".join(
                chance.choice([bytes(SECTOR), *(sight[at : at + SECTOR].ljust(SECTOR, b"\0") for sight in sights)])
                for at in range(0, max(map(len, sights)), SECTOR)
            )
            for name, sights in self.beside.items()
        }


@dataclass(frozen=True, slots=True)
class Image:
    """What a power loss after an operation may leave."""

    point: int
    files: dict[str, bytes]
    disk: Disk


def images(
    operations: Sequence[Operation], points: Sequence[int], chance: random.Random, *, deaf: bool = False
) -> Iterator[Image]:
    """What a power loss after each of these operations may leave; `points` are in order and may repeat."""
    disk, done = Disk(deaf=deaf), 0
    for point in points:
        for operation in operations[done : point + 1]:
            disk.apply(operation)
        done = max(done, point + 1)
        yield Image(point, disk.survivors(chance), disk)
