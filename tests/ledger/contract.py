"""What every ledger promises, run for each of them: subclass it and say how one is opened."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from quorate.errors import LedgerBroken, LedgerUnwritable, NotRecorded, OwnerLost
from quorate.ledger import Entry, Ledger, new_id, open_ledger
from quorate.ledger import export as records
from quorate.ledger.chain import first, verify_chain
from quorate.model import Convened, Event, Halted, Origin, Reviewed
from quorate.model.texts import FORGOTTEN
from tests.ledger.sample import ASKED, CONVENED, EVENTS, SEED, SPOKEN

TTL = 0.6


class Stalled(Protocol):
    """An owner elsewhere that has written one entry and is heard of no more."""

    async def wakes(self) -> str:
        """Let it write once more, and tell what came of it."""
        ...


async def written(ledger: Ledger, *events: Event) -> str:
    """Hold a deliberation of these events."""
    id_ = new_id()
    async with ledger.own(id_) as book:
        for event in events:
            book.write(event)
    return id_


async def interrupted(ledger: Ledger, id_: str) -> None:
    async with ledger.own(id_) as book:
        book.write(CONVENED)
        raise KeyError(id_)


async def events_of(ledger: Ledger, id_: str) -> tuple[Event, ...]:
    return tuple(entry.event for entry in await ledger.read(id_))


def unchecked(id_: str, entries: Sequence[Entry]) -> None:
    """What the words of a record come to is judged above this room; here any record will do."""


class LedgerContract:
    async def test_what_was_written_is_read_back_in_order(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)

        entries = await ledger.read(id_)

        assert tuple(entry.event for entry in entries) == EVENTS
        assert [entry.number for entry in entries] == list(range(1, len(EVENTS) + 1))
        assert sorted(entry.time for entry in entries) == [entry.time for entry in entries]

    async def test_each_entry_is_linked_to_the_one_before(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)

        entries = await ledger.read(id_)

        assert [entry.before for entry in entries] == [first(id_), *(entry.hash for entry in entries[:-1])]
        assert verify_chain(id_, await ledger.rows(id_)).head == entries[-1].hash

    async def test_taking_it_again_goes_on_where_it_ended(self, ledger: Ledger) -> None:
        id_ = await written(ledger, CONVENED, ASKED)

        async with ledger.own(id_) as book:
            before = tuple(entry.event for entry in book.entries)
            book.write(SPOKEN)

        assert before == (CONVENED, ASKED)
        assert await events_of(ledger, id_) == (CONVENED, ASKED, SPOKEN)
        assert (await records.verify(ledger, id_)).entries == 3

    async def test_nothing_is_watched_before_it_is_durable(self, ledger: Ledger) -> None:
        watched: list[Entry] = []

        async with ledger.own(new_id(), watch=watched.append) as book:
            entries = [book.write(event) for event in EVENTS]
            at_once = len(watched)
            await book.committed()
            assert watched == entries

        assert at_once == 0

    async def test_old_entries_are_not_watched_again(self, ledger: Ledger) -> None:
        id_ = await written(ledger, CONVENED)
        watched: list[Entry] = []

        async with ledger.own(id_, watch=watched.append) as book:
            book.write(ASKED)

        assert [entry.event for entry in watched] == [ASKED]

    async def test_a_second_owner_is_told_who_the_first_is_and_what_to_do(self, ledger: Ledger) -> None:
        id_ = new_id()
        async with ledger.own(id_):
            with pytest.raises(OwnerLost, match=r"in use by process \d+ on .* since 20.*then resume"):
                async with ledger.own(id_):
                    pass

    async def test_a_deliberation_that_was_let_go_can_be_taken_at_once(self, ledger: Ledger) -> None:
        id_ = new_id()
        with pytest.raises(KeyError):
            await interrupted(ledger, id_)

        async with ledger.own(id_) as book:
            assert [entry.event for entry in book.entries] == [CONVENED]

    async def test_whoever_has_let_go_writes_no_more(self, ledger: Ledger) -> None:
        async with ledger.own(new_id()) as book:
            book.write(CONVENED)

        with pytest.raises(OwnerLost, match=r"was let go.*own it again"):
            book.write(ASKED)

    async def test_an_owner_keeps_its_lease_as_long_as_it_lives(self, ledger: Ledger) -> None:
        id_ = new_id()
        async with ledger.own(id_) as book:
            await asyncio.sleep(TTL * 1.7)
            with pytest.raises(OwnerLost):
                async with ledger.own(id_):
                    pass
            book.write(CONVENED)

        assert await events_of(ledger, id_) == (CONVENED,)

    @pytest.mark.timeout(20)
    async def test_an_owner_that_fell_still_is_followed_and_shut_out(self, ledger: Ledger, stalled: Stalled) -> None:
        id_ = await ledger.find("last")
        with pytest.raises(OwnerLost):
            async with ledger.own(id_):
                pass
        await asyncio.sleep(TTL + 0.2)

        async with ledger.own(id_) as book:
            book.write(ASKED)
            await book.committed()
            assert (await stalled.wakes()).startswith("OwnerLost")

        assert [type(event) for event in await events_of(ledger, id_)] == [Halted, type(ASKED)]
        assert (await records.verify(ledger, id_)).entries == 2

    async def test_what_follows_an_entry_is_read_without_the_rest(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)

        for after in range(len(EVENTS) + 1):
            entries = await ledger.read(id_, after=after)
            assert [entry.number for entry in entries] == list(range(after + 1, len(EVENTS) + 1))
            assert tuple(entry.event for entry in entries) == EVENTS[after:]

    async def test_whoever_holds_a_deliberation_is_known_until_it_lets_go(self, ledger: Ledger) -> None:
        async with ledger.own(new_id()) as book:
            book.write(CONVENED)
            await book.committed()
            holder = await ledger.owner(book.id)

        assert holder is not None
        assert holder.pid == os.getpid()
        assert await ledger.owner(book.id) is None

    async def test_a_key_stands_for_what_was_first_claimed_under_it(self, ledger: Ledger) -> None:
        one, other = new_id(), new_id()

        assert await ledger.claim("a key", one, "digest") == (one, "digest")
        assert await ledger.claim("a key", other, "another") == (one, "digest")
        assert await ledger.claim("a kez \ud800", other) == (other, "")

    async def test_of_what_was_claimed_only_that_which_has_not_ended_is_open(self, ledger: Ledger) -> None:
        ended, first_, unclaimed, second = [await written(ledger, CONVENED) for _ in range(4)]
        for id_ in (second, ended, first_, new_id()):
            await ledger.claim(f"key of {id_}", id_)
        async with ledger.own(ended) as book:
            book.write(Halted(why="given up"))

        assert await ledger.open_claims() == [first_, second]
        assert unclaimed not in await ledger.open_claims()

    async def test_the_version_changes_with_every_commit_and_not_by_itself(self, ledger: Ledger) -> None:
        versions = [await ledger.version()]
        async with ledger.own(new_id()) as book:
            for event in EVENTS[:3]:
                book.write(event)
                await book.committed()
                versions.append(await ledger.version())

        assert len(set(versions)) == len(versions)
        assert await ledger.version() == await ledger.version()

    async def test_last_and_a_unique_beginning_stand_for_an_id(self, ledger: Ledger) -> None:
        older, newer = await written(ledger, CONVENED), await written(ledger, CONVENED)
        both = next(cut for cut in range(27) if older[: cut + 1] != newer[: cut + 1])

        assert await ledger.find("last") == newer
        assert await ledger.find(older[: both + 1].upper()) == older
        with pytest.raises(NotRecorded, match=f"more than one .*{older}.*{newer}.*type more"):
            await ledger.find(older[:both])

    async def test_last_is_what_was_begun_here_last_whatever_its_id_says(self, ledger: Ledger) -> None:
        far, near = "z" * 26, "0" * 26
        for id_ in (far, near):
            async with ledger.own(id_) as book:
                book.write(CONVENED)
        async with ledger.own(far) as book:
            book.write(ASKED)

        assert await ledger.find("last") == near
        assert [summary.id async for summary in ledger.list()] == [near, far]

    async def test_a_clock_that_is_set_back_does_not_move_last(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = await written(ledger, CONVENED)
        back, ns = time.time() - 86_400, time.time_ns() - 86_400 * 10**9
        monkeypatch.setattr("quorate.ledger.ids.time.time_ns", lambda: ns)
        monkeypatch.setattr("quorate.ledger.book.time.time", lambda: back)
        after = await written(ledger, CONVENED)

        assert after < before
        assert await ledger.find("last") == after
        assert [summary.id async for summary in ledger.list()] == [after, before]

    async def test_what_was_imported_is_never_last(self, ledger: Ledger) -> None:
        other = open_ledger(":memory:")
        lines = await records.export(other, await written(other, CONVENED))
        came = await records.import_(ledger, lines, unchecked)
        with pytest.raises(NotRecorded, match="name what was imported by its id"):
            await ledger.find("last")

        mine = await written(ledger, CONVENED)
        later = await records.import_(ledger, await records.export(other, await written(other, CONVENED)), unchecked)
        async with ledger.own(later) as book:
            book.write(ASKED)

        assert await ledger.find("last") == mine
        assert [(one.id, one.imported) async for one in ledger.list()] == [(later, True), (mine, False), (came, True)]

    async def test_what_does_not_pass_the_check_is_not_taken_in(self, ledger: Ledger) -> None:
        other = open_ledger(":memory:")
        lines = await records.export(other, await written(other, CONVENED))

        def refuse(id_: str, entries: Sequence[Entry]) -> None:
            raise LedgerBroken(f"{id_} {len(entries)}")

        with pytest.raises(LedgerBroken, match=" 1"):
            await records.import_(ledger, lines, refuse)
        assert [summary async for summary in ledger.list()] == []

    @pytest.mark.parametrize("typed", ["last", "zz", "", "%", "_" * 26, "../../x", "a' OR '1", "\x00", "{", "é"])
    async def test_what_is_not_recorded_is_said_to_be_so(self, ledger: Ledger, typed: str) -> None:
        if typed != "last":
            await written(ledger, CONVENED)
        with pytest.raises(NotRecorded, match="another ledger"):
            await ledger.read(typed)

    @pytest.mark.parametrize("typed", ["last", "../../../../tmp/xxxxxxxxxxxxxx", "A" * 26, "a" * 27, ""])
    async def test_only_a_whole_id_can_be_owned(self, ledger: Ledger, typed: str) -> None:
        with pytest.raises(NotRecorded, match="is not the id"):
            async with ledger.own(typed):
                pass

    async def test_the_list_has_the_newest_first_and_how_each_ended(self, ledger: Ledger) -> None:
        decided, still_open = await written(ledger, *EVENTS[:9]), await written(ledger, CONVENED)

        summaries = [summary async for summary in ledger.list()]

        assert [(summary.id, summary.state, summary.outcome, summary.entries) for summary in summaries] == [
            (still_open, "open", None, 1),
            (decided, "decided", "WARN", 9),
        ]
        assert summaries[0].question == CONVENED.question.text
        assert summaries[0].protocol == "tribunal"
        assert summaries[0].begun.startswith("20")

    async def test_the_list_says_what_waits_for_a_person_and_what_one_said(self, ledger: Ledger) -> None:
        waits, reviewed = await written(ledger, *EVENTS[:9]), await written(ledger, *EVENTS[:10])

        summaries = [summary async for summary in ledger.list()]

        assert [(one.id, one.outcome, one.awaits, one.reviewed) for one in summaries] == [
            (reviewed, "WARN", False, "REFUSE"),
            (waits, "WARN", True, None),
        ]

    async def test_a_deliberation_in_which_nothing_was_written_leaves_no_trace(self, ledger: Ledger) -> None:
        await written(ledger)

        assert [summary async for summary in ledger.list()] == []

    async def test_a_record_leaves_one_ledger_and_enters_another_unchanged(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)
        lines = await records.export(ledger, id_)
        other = open_ledger(":memory:")

        assert await records.import_(other, lines, unchecked) == id_
        assert list(await other.rows(id_)) == [row._replace(imported=True) for row in await ledger.rows(id_)]
        assert await records.export(other, id_) == lines
        assert [s async for s in other.list()] == [replace(s, imported=True) async for s in ledger.list()]

    async def test_importing_the_same_again_changes_nothing(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)
        lines = await records.export(ledger, id_)

        assert await records.import_(ledger, lines, unchecked) == id_
        assert await records.export(ledger, id_) == lines

    async def test_another_record_of_the_same_id_is_refused(self, ledger: Ledger) -> None:
        id_ = await written(ledger, CONVENED)
        early = await records.export(ledger, id_)
        async with ledger.own(id_) as book:
            book.write(ASKED)

        with pytest.raises(LedgerBroken, match=f"another record of {id_}"):
            await records.import_(ledger, early, unchecked)
        with pytest.raises(LedgerUnwritable, match="already"):
            await ledger.adopt(id_, await ledger.rows(id_))

    async def test_an_imported_record_can_be_continued(self, ledger: Ledger) -> None:
        other = open_ledger(":memory:")
        id_ = await records.import_(ledger, await records.export(other, await written(other, CONVENED)), unchecked)

        async with ledger.own(id_) as book:
            book.write(ASKED)

        assert (await records.verify(ledger, id_)).entries == 2

    async def test_only_reviews_that_came_with_a_record_read_as_imported(self, ledger: Ledger) -> None:
        theirs = Reviewed(outcome="ACT", by="ann", because="so", origin=Origin(interface="terminal"))
        other = open_ledger(":memory:")
        came = await records.export(other, await written(other, CONVENED, theirs))
        id_ = await records.import_(ledger, came, unchecked)
        async with ledger.own(id_) as book:
            assert [entry.event for entry in book.entries][1] == replace(theirs, origin=Origin(interface="imported"))
            book.write(theirs)

        read = [entry.event for entry in await ledger.read(id_)]
        assert [event.origin.interface for event in read[1:] if isinstance(event, Reviewed)] == ["imported", "terminal"]
        assert [row.imported for row in await ledger.rows(id_)] == [True, True, False]

    async def test_before_the_end_an_export_betrays_neither_seed_nor_prompts(self, ledger: Ledger) -> None:
        id_ = await written(ledger, CONVENED, ASKED, SPOKEN)

        early = b"".join(await records.export(ledger, id_))
        async with ledger.own(id_) as book:
            book.write(Halted(why="enough"))
        late = b"".join(await records.export(ledger, id_))

        assert SEED.encode() in late
        assert SEED.encode() not in early
        assert b"What now?" in late
        assert b"What now?" not in early
        assert CONVENED.question.text.encode() in early
        assert records.verify_lines(early.splitlines()).missing == 2

    async def test_forgotten_words_are_gone_and_the_chain_still_holds(self, ledger: Ledger) -> None:
        id_ = await written(ledger, *EVENTS)
        head = (await ledger.read(id_))[-1].hash

        await records.forget(ledger, id_)

        checked = await records.verify(ledger, id_)
        convened = (await ledger.read(id_))[0].event
        lines = b"".join(await records.export(ledger, id_))
        assert checked.head == head
        assert checked.missing > 20
        assert isinstance(convened, Convened)
        assert (convened.question.text, convened.seed) == (FORGOTTEN, FORGOTTEN)
        assert not any(words in lines for words in (b"staging", b"I would wait", SEED.encode(), b"What now?"))
        assert [summary.question async for summary in ledger.list()] == [FORGOTTEN]

    async def test_taken_again_while_the_first_book_is_still_there_it_holds_what_others_wrote_and_forgot(
        self, ledger: Ledger
    ) -> None:
        id_ = await written(ledger, CONVENED)
        async with ledger.own(id_) as first:
            first.write(ASKED)
        async with ledger.own(id_) as second:
            second.write(SPOKEN)
        async with ledger.own(id_) as third:
            assert [entry.event for entry in third.entries] == [CONVENED, ASKED, SPOKEN]
            assert third.entries == await ledger.read(id_)

        await records.forget(ledger, id_)

        async with ledger.own(id_) as last:
            assert last.entries == await ledger.read(id_)
            assert isinstance(convened := last.entries[0].event, Convened)
            assert convened.seed == FORGOTTEN
        assert len(first.entries) == 2

    async def test_nothing_is_forgotten_while_somebody_is_at_work_on_it(self, ledger: Ledger) -> None:
        id_ = await written(ledger, CONVENED)
        async with ledger.own(id_):
            with pytest.raises(OwnerLost, match="in use by"):
                await records.forget(ledger, id_)

        assert await events_of(ledger, id_) == (CONVENED,)


async def entries_of(ledger: Ledger, id_: str) -> int:
    async with ledger.own(id_) as book:
        return len(book.entries)


def spool_files(path: Path) -> list[Path]:
    """The spools beside a ledger."""
    return sorted(Path(f"{path}.spool").iterdir())
