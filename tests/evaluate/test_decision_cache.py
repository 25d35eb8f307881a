"""What is learned from a ledger is read once, holds no words, and is made anew if the file is lost or spoilt."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from quorate.engine.person_entries import record_outcome
from quorate.evaluate.decision_cache import cache_place, cached_decisions, past_decisions
from quorate.evaluate.past_decisions import PastDecision, past_decision
from quorate.ledger import Entry, Ledger, open_ledger
from quorate.model import Event
from tests.reviewing import conference, demo, kept, tribunal
from tests.views.discussion import SELECTIVE

VOTED = {"Utility": "ACT", "Accuracy": "ACT", "Safety": "WARN"}


class Reading:
    """A ledger that tells which records were read."""

    def __init__(self, held: Ledger) -> None:
        self.held = held
        self.seen: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self.held, name)

    async def read(self, id_: str) -> Sequence[Entry]:
        self.seen.append(id_)
        return await self.held.read(id_)


async def learned(place: Path, *records: list[Event]) -> tuple[list[str], list[str], list[PastDecision]]:
    """Write records, learn, label the first of them, learn again: what was read each time, and what was learned."""
    held = Reading(open_ledger(place))
    try:
        ids = [await kept(held.held, events) for events in records]
        await past_decisions(held, cache_place(str(place)))  # type: ignore[arg-type]
        first, held.seen = held.seen, []
        await record_outcome(held.held, ids[0], "WARN")
        found = await past_decisions(held, cache_place(str(place)))  # type: ignore[arg-type]
        assert held.seen == [ids[0]]
        return ids, first, found
    finally:
        await held.held.close()


def test_a_record_is_read_once_and_again_only_when_it_has_grown(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    ids, first, found = asyncio.run(learned(place, tribunal(VOTED), tribunal(), demo()))

    assert sorted(first) == sorted(ids)
    assert [one.id for one in found] == ids[:2]
    assert (found[0].is_right, found[0].score) == (False, "66666667/100000000")
    assert found[1].outcome is None
    assert cached_decisions(str(place)) == found


def test_the_file_holds_no_words_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    talk = conference()
    asyncio.run(_learn(place, talk))
    file = cache_place(str(place))

    assert file is not None
    assert file.stat().st_mode & 0o077 == 0
    assert SELECTIVE not in file.read_text(encoding="utf-8")
    assert len(cached_decisions(str(place))[0].first) == 3


async def _learn(place: Path, *records: list[Event]) -> list[PastDecision]:
    held = open_ledger(place)
    try:
        for events in records:
            await kept(held, events)
        return await past_decisions(held, cache_place(str(place)))
    finally:
        await held.close()


def test_a_lost_or_spoilt_file_changes_nothing_that_is_learned(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    found = asyncio.run(_learn(place, tribunal(VOTED), tribunal()))
    file = cache_place(str(place))
    assert file is not None

    for spoilt in (
        b"",
        b"\x00\xff\n{}\n[1]\nnull\n",
        file.read_bytes()[:-40],
        file.read_bytes().replace(b'"1.', b'"0.'),
    ):
        file.write_bytes(spoilt)
        assert asyncio.run(_learn(place)) == found
    file.unlink()
    assert asyncio.run(_learn(place)) == found


def test_a_ledger_in_memory_has_no_file() -> None:
    assert cache_place(":memory:") is None
    assert cached_decisions(":memory:") == []


def test_what_has_not_ended_or_carries_no_information_teaches_nothing() -> None:
    assert past_decision("a", "", demo()) is None
    assert past_decision("a", "", tribunal()[:5]) is None
    found = past_decision("a", "", tribunal(VOTED))
    assert found is not None
    assert (found.first, found.listed) == ({"Accuracy": 0, "Safety": 1, "Utility": 0}, 3)
