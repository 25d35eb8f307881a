"""A person's word on a verdict: who may say what, when, and what it changes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from quorate import chair
from quorate.engine.person_entries import review
from quorate.engine.runner import Runner
from quorate.engine.verify import record_of, replay_with, verify_record
from quorate.errors import BadSetting, OwnerLost
from quorate.ledger import Ledger, open_ledger
from quorate.ledger import export as records
from quorate.model import Asked, Decided, Event, Halted, Reviewed, Silent, Spoken, TurnedAway, Verdict
from quorate.model.texts import FORGOTTEN
from quorate.testing import Scripted
from quorate.views import Record
from quorate.views.card import rows, verdict_line
from quorate.views.document import document
from quorate.views.minutes import minutes
from quorate.views.result import Result
from tests.play import convened
from tests.reviewing import conference, demo, kept, tribunal
from tests.tribunal import PANEL
from tests.views.discussion import SELECTIVE


@pytest.fixture
async def ledger() -> AsyncIterator[Ledger]:
    opened = open_ledger(":memory:")
    yield opened
    await opened.close()


def shown(record: Record) -> Any:  # noqa: ANN401 - a JSON document
    return document(record)


async def test_an_undecided_verdict_waits_for_a_person_and_a_decided_one_does_not(ledger: Ledger) -> None:
    split = shown(Record(id="a", events=tribunal()))
    agreed = shown(Record(id="b", events=tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT"))))

    assert (split["state"], split["verdict"]["decided"]) == ("decided", False)
    assert split["review"] == {
        "state": "pending", "outcome": None, "by": None, "because": None, "at": None, "interface": None, "caller": None,
        "may_loosen": None, "earlier": [],
    }  # fmt: skip
    assert agreed["review"] is None


async def test_a_review_stands_beside_the_verdict_which_stays_as_it_is(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    before = shown(record_of(id_, await ledger.read(id_)))

    after = shown(await review(ledger, id_[:20], outcome="refuse", by=" Ann ", because="No backup.\n"))

    assert after["verdict"] == before["verdict"]
    assert (after["state"], after["seconds"]) == ("decided", before["seconds"])
    said = after["review"]
    assert (said["state"], said["outcome"], said["by"], said["because"]) == ("given", "REFUSE", "Ann", "No backup.")
    assert said["at"] == (await ledger.read(id_))[-1].time
    assert after == shown(record_of(id_, await ledger.read(id_)))


async def test_the_latest_review_holds_and_all_are_shown(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    await review(ledger, id_, outcome="ACT", by="Ann", because="fine")
    await review(ledger, id_, outcome="WARN", by="Ben", because="not so fast")
    last = await review(ledger, id_, outcome="REFUSE", by="Cat", because="no")

    said = shown(last)["review"]
    assert (said["outcome"], [(one["outcome"], one["by"]) for one in said["earlier"]]) == (
        "REFUSE",
        [("WARN", "Ben"), ("ACT", "Ann")],
    )
    assert "Cat reviewed it: REFUSE" in verdict_line(Result.of(last))
    lines = dict(rows(Result.of(last)))["review"]
    assert [line.split(" at ")[0] for line in lines] == [
        "Cat said REFUSE",
        "before that, Ben said WARN",
        "before that, Ann said ACT",
    ]
    assert all(name in minutes(last) for name in ("Cat said REFUSE", "Ben said WARN", "Ann said ACT"))
    assert "**WARN**" in minutes(last)


@pytest.mark.parametrize("outcome", ["", "YES", "VETO", "AC", "ACT; rm -rf", "null"])
async def test_what_is_no_outcome_of_the_deliberation_is_never_written(ledger: Ledger, outcome: str) -> None:
    id_ = await kept(ledger, tribunal())
    entries = len(await ledger.read(id_))

    with pytest.raises(BadSetting, match="is no outcome of this deliberation; there are ACT, WARN, REFUSE"):
        await review(ledger, id_, outcome=outcome, by="Ann", because="so")
    assert len(await ledger.read(id_)) == entries


async def test_where_outcomes_are_open_a_review_names_an_option_on_record(ledger: Ledger) -> None:
    id_ = await kept(ledger, await asyncio.to_thread(conference))

    with pytest.raises(BadSetting, match="'Print everything' is no outcome"):
        await review(ledger, id_, outcome="Print everything", by="Ann", because="so")
    said = shown(await review(ledger, id_, outcome=SELECTIVE.upper(), by="Ann", because="It costs least."))

    assert (said["verdict"]["outcome"], said["review"]["outcome"]) == (None, SELECTIVE)


@pytest.mark.parametrize(("by", "because", "missing"), [(" ", "so", "--by"), ("Ann", "\n", "--because")])
async def test_a_review_without_a_name_or_a_reason_is_refused(
    ledger: Ledger, by: str, because: str, missing: str
) -> None:
    id_ = await kept(ledger, tribunal())

    with pytest.raises(BadSetting, match=f"a review needs {missing}"):
        await review(ledger, id_, outcome="ACT", by=by, because=because)


REFUSED = Verdict(outcome="REFUSE", decided=False, rule="guard", because="no")
TURNED_AWAY = TurnedAway(reasons=(), verdict=REFUSED, version=chair.VERSION)


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ([*tribunal()[:-1], Halted(why="enough")], "was given up without a verdict, so there is nothing to review"),
        (tribunal()[:-1], "has no verdict yet, so there is nothing to review; continue with: quorate resume"),
        ([convened(PANEL), TURNED_AWAY], "was turned away and nobody was asked"),
    ],
)
async def test_what_has_no_verdict_of_the_panel_cannot_be_reviewed(
    ledger: Ledger, events: list[Event], sentence: str
) -> None:
    id_ = await kept(ledger, events)

    with pytest.raises(BadSetting, match=sentence):
        await review(ledger, id_, outcome="ACT", by="Ann", because="so")


async def test_a_review_cannot_make_a_demo_panel_approve(ledger: Ledger) -> None:
    id_ = await kept(ledger, demo())

    with pytest.raises(BadSetting, match="this is a demo panel, which answers nothing"):
        await review(ledger, id_, outcome="ACT", by="Ann", because="so")
    assert shown(await review(ledger, id_, outcome="REFUSE", by="Ann", because="so"))["review"]["outcome"] == "REFUSE"


async def test_nobody_reviews_what_another_process_holds(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())

    async with ledger.own(id_):
        with pytest.raises(OwnerLost):
            await review(ledger, id_, outcome="ACT", by="Ann", because="so")


async def test_a_reviewed_record_verifies_replays_and_loses_its_words(ledger: Ledger) -> None:
    id_ = await kept(ledger, tribunal())
    record = await review(ledger, id_, outcome="ACT", by="Ann", because="a secret reason")

    checked = verify_record(record)
    assert (checked.recorded, checked.recomputed, checked.same) == ("WARN", "WARN", True)
    again: Any = replay_with(record, "strict")["verdict"]
    assert again["outcome"] == "WARN"
    await records.forget(ledger, id_)
    kept_ = record_of(id_, await ledger.read(id_))
    assert shown(kept_)["review"]["because"] == FORGOTTEN
    assert b"a secret reason" not in b"".join(await records.export(ledger, id_))
    assert (await records.verify(ledger, id_)).entries == len(record.events)
    assert verify_record(kept_).same


async def test_what_is_left_after_a_review_is_still_asked_and_the_review_holds(ledger: Ledger) -> None:
    events = await asyncio.to_thread(conference, ("summary", "Beta"))
    cut = next(place for place, event in enumerate(events) if isinstance(event, Decided)) + 1
    assert any(isinstance(event, Silent) for event in events[cut:])
    id_ = await kept(ledger, events[:cut])
    await review(ledger, id_, outcome=SELECTIVE, by="Ann", because="It costs least.")

    panelist = Scripted({("Beta", "summary"): "CONSENSUS: none."})
    async with Runner(ledger) as runner:
        with panelist:
            seats = dict.fromkeys(("Alpha", "Beta", "Gamma"), panelist)
            record = await runner.resume(id_, panelists=seats)

    assert [type(event) for event in record.events[cut:]] == [Reviewed, Asked, Spoken]
    assert shown(record)["review"]["outcome"] == SELECTIVE
    assert verify_record(record).same
