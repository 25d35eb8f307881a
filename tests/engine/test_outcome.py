"""What turned out right: who may say what, when, and that it changes no verdict."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from quorate.engine.person_entries import record_outcome, review
from quorate.engine.verify import record_of, verify_record
from quorate.errors import BadSetting, LedgerMismatch
from quorate.ledger import Ledger, open_ledger
from quorate.ledger import export as records
from quorate.model import Decided, Event, Halted, Origin, TurnedOut
from quorate.offline.ledger_list import verify_summary
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.document import document
from quorate.views.floor import floor
from quorate.views.minutes import minutes
from quorate.views.result import Result, right_of
from tests.play import convened
from tests.reviewing import conference, kept, tribunal
from tests.tribunal import PANEL


@pytest.fixture
async def ledger() -> AsyncIterator[Ledger]:
    opened = open_ledger(":memory:")
    yield opened
    await opened.close()


def shown(record: Record) -> Any:  # noqa: ANN401 - a JSON document
    return document(record)


async def test_an_outcome_labels_a_verdict_and_changes_nothing_about_it(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    before = shown(record_of(id_, await ledger.read(id_)))

    after = shown(await record_outcome(ledger, id_, "refuse", by=" Ann ", because="It broke.\n"))

    assert {**after, "turned_out": None} == before
    said = after["turned_out"]
    assert (said["value"], said["by"], said["because"], said["earlier"]) == ("REFUSE", "Ann", "It broke.", [])
    assert verify_record(record_of(id_, await ledger.read(id_))).state == "holds"


async def test_the_latest_outcome_supersedes_the_others_and_all_stay_on_record(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    await record_outcome(ledger, id_, "ACT", by="Ann")
    last = await record_outcome(ledger, id_, "WARN")

    told = shown(last)["turned_out"]
    assert (told["value"], told["by"], [one["value"] for one in told["earlier"]]) == ("WARN", None, ["ACT"])
    assert dict(rows(Result.of(last)))["turned out"][0].startswith("WARN was right at ")
    assert "- turned out: WARN was right" in minutes(last)
    [listed] = [one async for one in ledger.list()]
    assert (await verify_summary(ledger, listed)).summary.turned_out == "WARN"


async def test_what_happened_counts_before_what_a_review_says_whichever_came_first(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    reviewed = await review(ledger, id_, outcome="ACT", by="Ann", because="fine")
    assert right_of(reviewed.events) == "ACT"
    labelled = await record_outcome(ledger, id_, "REFUSE")
    assert right_of(labelled.events) == "REFUSE"
    again = await review(ledger, id_, outcome="WARN", by="Ann", because="hm")

    assert right_of(again.events) == "REFUSE"
    assert shown(again)["review"]["outcome"] == "WARN"


async def test_what_was_given_up_can_be_labelled_and_what_goes_on_cannot(ledger: Ledger) -> None:
    begun = [convened(PANEL)]
    given_up, open_ = await kept(ledger, [*begun, Halted(why="cancelled")]), await kept(ledger, [*begun])

    assert shown(await record_outcome(ledger, given_up, "ACT"))["turned_out"]["value"] == "ACT"
    with pytest.raises(BadSetting, match="has not ended, so nothing turned out yet"):
        await record_outcome(ledger, open_, "ACT")


async def test_a_closed_list_takes_only_what_stands_on_it(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())

    with pytest.raises(BadSetting, match="'maybe' cannot turn out right here; there are ACT, WARN, REFUSE"):
        await record_outcome(ledger, id_, "maybe")


async def test_where_outcomes_are_open_it_may_be_what_nobody_had_thought_of(ledger: Ledger) -> None:
    id_ = await kept(ledger, await asyncio.to_thread(conference))

    assert (
        shown(await record_outcome(ledger, id_, "  print \n statements "))["turned_out"]["value"] == "print statements"
    )
    with pytest.raises(BadSetting, match="in 1 to 300 characters, not in 0"):
        await record_outcome(ledger, id_, " ")
    with pytest.raises(BadSetting, match="in 1 to 300 characters, not in 301"):
        await record_outcome(ledger, id_, "x" * 301)


async def test_a_record_that_does_not_hold_is_not_labelled(ledger: Ledger) -> None:
    events = tribunal()
    place = next(number for number, event in enumerate(events) if isinstance(event, Decided))
    forged = [*events[:place], *tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT"))[place:]]

    with pytest.raises(LedgerMismatch):
        await record_outcome(ledger, await kept(ledger, forged), "ACT")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (
            TurnedOut(value="maybe", origin=Origin(interface="python")),
            "says what cannot have turned out right: 'maybe' cannot turn out right here",
        ),
        (TurnedOut(value="act", origin=Origin(interface="python")), "says what cannot have turned out right"),
    ],
)
def test_an_outcome_that_cannot_be_does_not_hold(written: Event, why: str) -> None:
    checked = verify_record(Record(id="a", events=[*tribunal(), written]))

    assert not checked.same
    assert why in checked.why


def test_an_outcome_before_the_end_does_not_hold() -> None:
    events = tribunal()
    checked = verify_record(
        Record(id="a", events=[*events[:3], TurnedOut(value="ACT", origin=Origin(interface="python")), *events[3:]])
    )

    assert "says what turned out right before it ended" in checked.why


async def test_an_outcome_survives_export_and_import_and_forgetting(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    await record_outcome(ledger, id_, "ACT", by="Ann", because="seen")
    lines = await records.export(ledger, id_)
    other = open_ledger(":memory:")
    await records.import_(other, lines, lambda *_: None)
    assert (await other.read(id_))[-1].event == TurnedOut(
        value="ACT", by="Ann", because="seen", origin=Origin(interface="imported")
    )
    await other.close()

    await records.forget(ledger, id_)
    last = (await ledger.read(id_))[-1].event
    assert isinstance(last, TurnedOut)
    assert (last.value, last.by) == ("ACT", "Ann")
    assert last.because != "seen"
    assert shown(await record_outcome(ledger, id_, "WARN"))["turned_out"]["value"] == "WARN"


def test_the_floor_shows_it() -> None:
    record = Record(
        id="a",
        events=[*tribunal(), TurnedOut(value="ACT", by="Ann", because="seen", origin=Origin(interface="python"))],
    )
    told = floor(record.events[-1], record.state)

    assert (told["kind"], told["value"], told["by"], told["because"]) == ("turned_out", "ACT", "Ann", "seen")
