"""Deliberations on a disk that remembers, and what a ledger holds after the power went at any operation.

`python -m tests.promises.power FOLDER full|normal short|long` holds them and writes down every operation. It is a
process of its own: the way to the disk is replaced for all of it, and whoever owned a deliberation must be gone.
"""

import asyncio
import base64
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import apsw

from quorate.chair import State
from quorate.engine.runner import Runner
from quorate.errors import LedgerError, NotRecorded
from quorate.ledger import Entry, Ledger, Row, new_id, open_ledger
from quorate.ledger.chain import verify_chain
from quorate.ledger.ids import key_hash
from quorate.ledger.sqlite import tables
from quorate.ledger.sqlite.database import open_reader, run
from quorate.ledger.sqlite.ledger import SqliteLedger
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from tests.play import convened, words
from tests.promises.disks import Operation, Recorder, images
from tests.tribunal import PANEL

NAME: Final = "ledger.db"
SPOOL: Final = "ledger.db.spool"
LONG: Final = 60_000
"""Characters of a long speech: a few of them fill the log, so that it is moved into the file and begun again."""
GOES_ON: Final = 10
"""Every so many images are resumed too, with a torn spool beside them."""
NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})


class Speaker:
    """Answers at once, at length or shortly."""

    def __init__(self, length: int = 0) -> None:
        self._more = "and so on " * (length // 10)

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        return Reply(text=self._more + words(ask).text)


@dataclass(slots=True)
class Story:
    """What was done to the disk, what was told meanwhile, and what every deliberation came to."""

    operations: list[Operation] = field(default_factory=list[Operation])
    told: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])
    """What was acknowledged, each after which operation."""
    rows: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The hash of each entry, by deliberation."""

    def told_by(self, point: int) -> tuple[dict[str, int], dict[str, str]]:
        """What had been acknowledged by an operation: entries of each deliberation, and what keys stand for."""
        entries, claims = Counter[str](), dict[str, str]()
        for _, (subject, meaning) in takewhile(lambda told: told[0] <= point, self.told):
            if isinstance(meaning, int):
                entries[subject] = max(entries[subject], meaning)
            else:
                claims[subject] = meaning
        return dict(entries), claims


def told_story(folder: Path, *, syncs: str = "full", length: str = "short") -> Story:
    """Hold a few deliberations elsewhere, and give what was done to the disk."""
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", __name__, str(folder), syncs, length], check=True, timeout=300)
    story = Story()
    for line in (folder / "story.jsonl").read_text().splitlines():
        said = json.loads(line)
        if "rows" in said:
            story.rows = said["rows"]
        else:
            story.operations.append(Operation(**{**said, "data": base64.b64decode(said["data"])}))
            if said["told"]:
                story.told.append((len(story.operations) - 1, said["told"]))
    return story


async def _hold_all(path: Path, recorder: Recorder, length: str) -> dict[str, list[str]]:
    ids: list[str] = []
    rows: dict[str, list[str]] = {}

    async def hold(ledger: Ledger, runner: Runner, characters: int = 0) -> None:
        id_ = new_id()
        ids.append(id_)

        def watch(entry: Entry, _: State) -> None:
            recorder.note(Operation("acknowledged", told=[id_, entry.number]))

        made = await ledger.claim(f"key of {id_}", id_)
        recorder.note(Operation("acknowledged", told=[key_hash(f"key of {id_}"), made.id]))
        await runner.hold(convened(PANEL), id_=id_, panelists=dict.fromkeys(SEATS, Speaker(characters)), watch=watch)

    # Made, filled and closed: the log is moved into the file and removed. Then it is used again; in the long story
    # until the log is full, so that it is moved and begun again from its start.
    for lengths in ((0,), (LONG, LONG, LONG, 0, 0) if length == "long" else (0,)):
        ledger = open_ledger(path)
        async with Runner(ledger) as runner:
            for characters in lengths:
                await asyncio.gather(hold(ledger, runner, characters), hold(ledger, runner))
        rows = {id_: [row.hash for row in await ledger.rows(id_)] for id_ in ids}
        await ledger.close()
    return rows


SEATS: Final = tuple(seat.name for seat in PANEL)


def _careless(db: apsw.Connection) -> None:
    """Control: a connection that takes no order to sync at every commit."""
    run(db, "PRAGMA synchronous = NORMAL")

    def authorize(action: int, name: str | None, *_: str | None) -> int:
        ignored = action == apsw.SQLITE_PRAGMA and name == "synchronous"
        return apsw.SQLITE_IGNORE if ignored else apsw.SQLITE_OK

    db.authorizer = authorize


def main(folder: str, syncs: str, length: str) -> None:
    recorder = Recorder(Path(folder) / SPOOL)
    if syncs == "normal":
        apsw.connection_hooks.append(_careless)
    rows = asyncio.run(_hold_all(Path(folder) / NAME, recorder, length))
    with (Path(folder) / "story.jsonl").open("w") as story:
        for done in recorder.operations:
            data = base64.b64encode(done.data).decode()
            said = {"kind": done.kind, "file": done.file, "offset": done.offset, "data": data, "told": done.told}
            story.write(json.dumps(said) + "\n")
        story.write(json.dumps({"rows": rows}) + "\n")


@dataclass(slots=True)
class Losses:
    """What was found after so many power losses."""

    images: int = 0
    corrupt: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    resumed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.images:,} power losses: {len(self.corrupt)} ledgers corrupt, "
            f"{len(self.lost)} with anything acknowledged lost, {self.resumed:,} deliberations resumed"
        )

    def __add__(self, other: "Losses") -> "Losses":
        return Losses(
            images=self.images + other.images,
            corrupt=self.corrupt + other.corrupt,
            lost=self.lost + other.lost,
            resumed=self.resumed + other.resumed,
        )


def drawn_points(story: Story, number: int, chance: random.Random) -> list[int]:
    """After which operations the power goes: each of them as often as the number allows, the rest by chance."""
    length = len(story.operations)
    whole, rest = divmod(number, length)
    return sorted([*range(length)] * whole + chance.sample(range(length), rest))


async def losses(story: Story, folder: Path, points: Sequence[int], seed: int, *, deaf: bool = False) -> Losses:
    """Let the power go after each of these operations, and look at the ledger that is left."""
    found, chance = Losses(), random.Random(seed)
    for number, image in zip(count(1), images(story.operations, points, chance, deaf=deaf)):
        _lay_out(folder, image.files)
        entries, claims = story.told_by(image.point)
        found.images += 1
        where = f"image {number}, after operation {image.point}"
        try:
            missing = _missing(folder / NAME, story, entries, claims)
            if number % GOES_ON == 0 and not missing:
                _lay_out(folder, image.files, image.disk.torn(chance))
                found.resumed += await _go_on(folder / NAME, story)
        except (LedgerError, apsw.Error, AssertionError) as error:
            found.corrupt.append(f"{where}: {error!r}")
        else:
            found.lost += [f"{where}: {missing}"] if missing else []
    return found


def _lay_out(folder: Path, files: dict[str, bytes], spools: Mapping[str, bytes] = NOTHING) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / SPOOL if spools else folder).mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    for name, content in spools.items():
        (folder / SPOOL / name).write_bytes(content)


def _missing(path: Path, story: Story, entries: dict[str, int], claims: dict[str, str]) -> str:
    """What was acknowledged and is not there; whatever is there must be the beginning of what was written.

    Raises:
        LedgerError: it does not hold.
        apsw.Error: the same, said by SQLite.
    """
    db = open_reader(path, 1.0)
    kept: dict[str, list[Row]] = {}
    claimed: dict[str, str] = {}
    if db is not None:
        try:
            assert run(db, "PRAGMA quick_check") == [("ok",)]
            kept = {id_: tables.rows_of(db, id_) for id_ in story.rows}
            claimed = {str(key): str(id_) for key, id_ in run(db, "SELECT key, deliberation FROM claims")}
        finally:
            db.close()
    for id_, rows in kept.items():
        verify_chain(id_, rows)
        assert [row.hash for row in rows] == story.rows[id_][: len(rows)], "it is not the beginning of what was written"
    gone = [f"{number - len(kept.get(id_, ()))} entries of {id_}" for id_, number in entries.items()
            if number > len(kept.get(id_, ()))]  # fmt: skip
    gone += [f"the key of {id_}" for key, id_ in claims.items() if claimed.get(key) != id_]
    return ", ".join(gone)


async def _go_on(path: Path, story: Story) -> int:
    """Resume all that is there; how many came to a verdict."""
    ledger, held = SqliteLedger(path), 0
    async with Runner(ledger) as runner:
        for id_ in story.rows:
            try:
                record = await runner.resume(id_, panelists=dict.fromkeys(SEATS, Speaker()))
            except NotRecorded:
                continue
            held += record.events[-1].__class__.__name__ == "Decided"
    await ledger.close()
    return held


if __name__ == "__main__":
    arguments: list[Any] = sys.argv[1:]
    main(*arguments)
