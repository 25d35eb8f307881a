from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from quorate.errors import LedgerUnwritable, OwnerLost
from quorate.ledger import Ledger, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import line, seal
from quorate.ledger.sqlite.file_handles import HANDLES
from tests.ledger.child import child
from tests.ledger.contract import written
from tests.ledger.sample import ASKED, CONVENED, EVENTS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
async def ledger(path: Path) -> AsyncIterator[Ledger]:
    ledger = open_ledger(path)
    yield ledger
    await ledger.close()


def contents(path: Path) -> list[bytes]:
    return [each.read_bytes() for each in Path(f"{path}.spool").iterdir()]


def removed(path: Path) -> None:
    for each in Path(f"{path}.spool").iterdir():
        each.unlink()


async def killed(path: Path, *, spool: bool) -> str:
    """An id under which five entries were written by a process killed in the same breath."""
    id_ = new_id()
    async with child(path, spool=spool) as owner:
        assert await owner.tell(f"own {id_}") == "ok 0"
        assert await owner.tell("die 5") == ""
    return id_


async def test_what_a_killed_owner_wrote_is_taken_up_by_the_next(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=True)

    async with ledger.own(id_) as book:
        assert len(book.entries) == 5
        assert (await records.verify(ledger, id_)).entries == 5
        book.write(CONVENED)

    assert (await records.verify(ledger, id_)).entries == 6
    assert contents(path) == []


async def test_without_a_spool_it_is_lost(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=False)

    async with ledger.own(id_) as book:
        assert len(book.entries) < 5


async def test_a_killed_deliberation_is_found_though_nothing_was_committed(ledger: Ledger, path: Path) -> None:
    id_ = await killed(path, spool=True)

    assert await ledger.find("last") == id_


def spooled(path: Path, id_: str, content: bytes, token: int = 7) -> None:
    folder = Path(f"{path}.spool")
    folder.mkdir(exist_ok=True)
    (folder / f"{id_}.{token}").write_bytes(content)


@pytest.mark.parametrize("cut", [1, 2, 40, 300])
async def test_a_torn_tail_is_dropped(ledger: Ledger, path: Path, cut: int) -> None:
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    two = seal(EVENTS[1], 2, head.hash, head.time)
    three = seal(EVENTS[3], 3, two.hash, head.time)
    spooled(path, id_, line(two) + line(three)[:-cut])

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [CONVENED, EVENTS[1]]


async def test_what_does_not_follow_is_dropped(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    elsewhere = seal(ASKED, 2, "0" * 64, head.time)
    too_far = seal(ASKED, 3, head.hash, head.time)
    changed = line(seal(ASKED, 2, head.hash, head.time)).replace(b"What now?", b"What then")
    for token, content in enumerate((line(elsewhere), line(too_far), changed, b"\xff\n\n{}\n")):
        spooled(path, id_, content, token)

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [CONVENED]


async def test_the_tails_of_several_owners_are_joined(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    head = (await ledger.read(id_))[-1]
    two = seal(EVENTS[1], 2, head.hash, head.time)
    three = seal(EVENTS[2], 3, two.hash, head.time)
    spooled(path, id_, line(three), 10)
    spooled(path, id_, line(two), 9)

    async with ledger.own(id_) as book:
        assert [entry.event for entry in book.entries] == [*EVENTS[:3]]


@pytest.fixture
def linked(path: Path, tmp_path: Path) -> Path:
    """A folder to which the spool has become a link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path(f"{path}.spool").symlink_to(elsewhere)
    return elsewhere


async def test_the_spool_follows_no_link(ledger: Ledger, path: Path, linked: Path) -> None:
    with pytest.raises(LedgerUnwritable, match=r"cannot write .*\.spool'"):
        await written(ledger, CONVENED)

    assert contents(path) == []


async def test_forgetting_takes_the_spool_along(ledger: Ledger, path: Path) -> None:
    id_ = await written(ledger, CONVENED)
    spooled(path, id_, b"secret words")
    spooled(path, new_id(), b"somebody else's")

    await ledger.forget(id_)

    assert contents(path) == [b"somebody else's"]


async def test_a_spool_that_was_closed_to_make_room_is_opened_again(
    ledger: Ledger, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HANDLES, "_given", 1)
    async with ledger.own(new_id()) as one, ledger.own(new_id()) as other:
        for event in EVENTS[:3]:
            one.write(event)
            monkeypatch.chdir(tmp_path if event is EVENTS[1] else path.parent)
            other.write(event)
        assert len(HANDLES) == 1
        assert sorted(len(each.splitlines()) for each in contents(path)) == [3, 3]


async def test_whoever_finds_its_spool_removed_writes_no_more(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new owner clears it away; to make it again would hand the one after that what was written too late."""
    monkeypatch.setattr(HANDLES, "_given", 1)
    async with AsyncExitStack() as held:
        one = await held.enter_async_context(ledger.own(new_id()))
        await held.enter_async_context(ledger.own(new_id()))
        removed(path)
        with pytest.raises(OwnerLost, match=r"was taken over .* or somebody removed .*; resume it"):
            one.write(CONVENED)
        assert contents(path) == []
        with pytest.raises(OwnerLost):
            await held.aclose()
