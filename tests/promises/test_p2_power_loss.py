"""P2: power loss does not lose or corrupt a verdict."""

import asyncio
import os
import random
from functools import cache
from pathlib import Path

import pytest

from tests.figures import Figure
from tests.promises.power import Losses, Story, drawn_points, losses, told_story

IMAGES = int(os.environ.get("QUORATE_IMAGES", "10000"))
"""Images of the long size; a million take hours."""


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> "Stories":
    return Stories(tmp_path_factory.mktemp("disks"))


class Stories:
    """Records what is asked for, once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.told = cache(self._told)

    def _told(self, syncs: str, length: str) -> Story:
        return told_story(self._folder / f"{syncs} {length}", syncs=syncs, length=length)


def lost(story: Story, number: int, seed: int, folder: Path, *, deaf: bool = False) -> Losses:
    points = drawn_points(story, number, random.Random(seed))
    return asyncio.run(losses(story, folder / "image", points, seed, deaf=deaf))


def keeps(found: Losses, number: int) -> None:
    assert found.images == number
    assert found.corrupt == []
    assert found.lost == []
    assert found.resumed > number // 20


@pytest.mark.promise
def test_300_power_losses_corrupt_nothing_and_lose_nothing_acknowledged(
    stories: Stories, tmp_path: Path, seed: int, figure: Figure
) -> None:
    found = lost(stories.told("full", "short"), 300, seed, tmp_path)

    figure(str(found))
    keeps(found, 300)


@pytest.mark.promise
def test_nor_do_they_while_the_log_is_moved_into_the_file(stories: Stories, tmp_path: Path, seed: int) -> None:
    story = stories.told("full", "long")
    moved = [at for at, done in enumerate(story.operations) if done.file == "ledger.db" and done.kind == "write"]
    begun_again = [at for at, done in enumerate(story.operations) if done.file.endswith("-wal") and not done.offset]
    points = sorted(random.Random(seed).sample([*moved, *begun_again], 16))

    found = asyncio.run(losses(story, tmp_path / "image", points, seed))

    assert len(moved) > 1000
    assert (found.corrupt, found.lost, found.images) == ([], [], 16)


@pytest.mark.promise
def test_a_ledger_that_was_being_made_can_be_read_and_used(stories: Stories, tmp_path: Path, seed: int) -> None:
    """There is a rollback journal then, which only a writer may undo."""
    found = asyncio.run(losses(stories.told("full", "short"), tmp_path / "image", sorted([*range(14)] * 12), seed))

    assert (found.corrupt, found.lost, found.images) == ([], [], 168)


@pytest.mark.promise
def test_without_a_sync_at_every_commit_the_same_losses_show(stories: Stories, tmp_path: Path, seed: int) -> None:
    """Control: SQLite is told `synchronous=NORMAL`, and what was acknowledged is gone."""
    found = lost(stories.told("normal", "short"), 100, seed, tmp_path)

    assert len(found.lost) > 20


@pytest.mark.promise
def test_on_a_disk_that_does_not_sync_damage_shows(stories: Stories, tmp_path: Path, seed: int) -> None:
    """Control: the same operations, and no sync is heard."""
    found = lost(stories.told("full", "short"), 100, seed, tmp_path, deaf=True)

    assert len(found.lost) > 20
    assert len(found.corrupt) > 5


@pytest.mark.long
def test_power_losses_by_the_thousand(stories: Stories, tmp_path: Path, seed: int, figure: Figure) -> None:
    """A tenth of them with a long log, whose images are large."""
    short, long = (stories.told("full", length) for length in ("short", "long"))

    found = lost(short, IMAGES - IMAGES // 10, seed, tmp_path) + lost(long, IMAGES // 10, seed, tmp_path)

    figure(str(found))
    keeps(found, IMAGES)
