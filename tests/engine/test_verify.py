"""A record is judged again from its words, by the version that wrote it and by this one."""

from collections.abc import Container
from dataclasses import replace
from fractions import Fraction
from time import process_time
from typing import Any

import pytest

from quorate import chair
from quorate.engine.runner import Runner
from quorate.engine.stepper import Stepper
from quorate.engine.verify import MISREAD, as_judged, record_of, refuse, verify_record
from quorate.errors import LedgerMismatch, LedgerNewer
from quorate.ledger import Entry, Ledger, open_ledger
from quorate.ledger.chain import drop_words, first, open_row, seal
from quorate.model import Admitted, Ask, Asked, Choice, Decided, Event, Question, Reply, Reviewed, Spoken, TurnedAway
from quorate.views import Record
from tests.play import convened, play, words
from tests.reviewing import kept, tribunal
from tests.tribunal import PANEL
from tests.written import QUESTIONS, golden, held, panelists


def as_of(version: int, events: list[Event]) -> list[Event]:
    """The same record as a chair of that version would have written it."""
    judged = (Admitted, TurnedAway, Spoken, Decided)
    return [replace(event, version=version) if isinstance(event, judged) else event for event in events]


def read_as(events: list[Event], choice: str) -> list[Event]:
    """The same record with every ballot read as that choice, and the verdict that follows."""
    again: list[Event] = []
    for event in events:
        if isinstance(event, Spoken) and event.ballot is not None:
            again.append(replace(event, ballot=replace(event.ballot, vote=Choice(choice), veto=False)))
        elif isinstance(event, Decided):
            again.append(replace(event, verdict=chair.verdict_of(chair.replay(again, check=False))))
        else:
            again.append(event)
    return again


def without_words(events: list[Event], entries: Container[int]) -> list[Event]:
    """The same record after the words of these entries were removed."""
    rows = [seal(event, number, "0" * 64, "2026-11-16T00:00:00Z") for number, event in enumerate(events, 1)]
    return [open_row(drop_words(row) if row.number in entries else row).event for row in rows]


def recorded(events: list[Event]) -> Record:
    return Record(id="0" * 26, events=events)


@pytest.fixture
def ledger() -> Ledger:
    return open_ledger(":memory:")


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
async def test_whatever_is_held_holds(ledger: Ledger, name: str) -> None:
    record = await held(ledger, name, Safety="WARN")

    checked = verify_record(record)

    assert (checked.state, checked.why, checked.notes) == ("holds", "", ())


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("version", range(chair.VERSION))
def test_a_record_of_the_versions_before_still_holds(version: int, name: str) -> None:
    assert verify_record(golden(version, name)[0]).state == "holds"


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_chairs_version_is_raised_when_it_judges_otherwise(name: str) -> None:
    """If this fails, raise `chair.VERSION`; before its first release, write the golden records anew instead."""
    checked = verify_record(golden(chair.VERSION, name)[0])

    assert (checked.state, checked.notes) == ("holds", ())


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_entry_can_be_left_out_or_doubled(name: str) -> None:
    events = list(golden(chair.VERSION, name)[0].events)

    for place, event in enumerate(events[1:], 1):
        doubled = recorded([*events[:place], event, *events[place:]])
        assert verify_record(doubled).state == "differs", (place, event)
        # That a prompt went out is known from its answer too.
        if not isinstance(event, Asked):
            short = recorded([*events[:place], *events[place + 1 :]])
            assert verify_record(short).state in {"differs", "unfinished"}, (place, event)


@pytest.mark.slow
async def test_a_record_of_the_version_before_can_be_resumed_from_every_entry() -> None:
    record, rows = golden(0, "tribunal")
    for cut in range(1, len(rows) + 1):
        ledger = open_ledger(":memory:")
        await ledger.adopt(record.id, rows[:cut])
        async with Runner(ledger) as runner:
            again = await runner.resume(record.id, panelists=panelists("tribunal", Safety="WARN"))
        assert verify_record(again).state == "holds", cut
        assert [event for event in again.events if isinstance(event, Decided)]


def test_ballots_of_this_version_that_their_words_do_not_say_are_a_change() -> None:
    events = read_as(tribunal(), "ACT")

    checked = verify_record(recorded(events))

    assert (checked.state, checked.recorded) == ("differs", "ACT")
    assert checked.why == ("entry 4 records ACT for Accuracy in round analysis; its words read WARN; it was changed")


def test_an_earlier_versions_reading_to_another_verdict_is_named_and_nobody_is_accused() -> None:
    events = as_of(0, read_as(tribunal(), "ACT"))
    events[0] = replace(convened(PANEL), made_by="quorate 0.0.9")

    checked = verify_record(recorded(events))

    assert (checked.state, checked.recorded, checked.recomputed) == ("read_otherwise", "ACT", "WARN")
    assert "written by quorate 0.0.9 (reading 0), whose reading differs" in checked.why
    assert "at entries 4, 5, " in checked.why
    assert "it came to ACT, and today it would be WARN (undecided); ask again" in checked.why
    assert "changed" not in checked.why


def test_an_earlier_versions_reading_to_the_same_verdict_holds_with_a_note() -> None:
    events = as_of(0, tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")))
    place = next(place for place, event in enumerate(events) if isinstance(event, Spoken) and event.ballot is not None)
    spoken = events[place]
    assert isinstance(spoken, Spoken)
    events[place] = replace(spoken, cautions=("guessed",))

    checked = verify_record(recorded(events))

    assert checked.state == "holds"
    assert [note for note in checked.notes if f"at entry {place + 1}; the verdict is the same" in note]


def vetoed_in(event: Event) -> Event:
    """The same ballot of an earlier version, with a veto in it that nobody read then."""
    if not isinstance(event, Spoken) or event.ballot is None:
        return event
    return replace(event, reply=replace(event.reply, text=event.reply.text.replace('"risk":', '"veto": true, "risk":')))


def test_act_that_an_earlier_version_read_beside_a_veto_is_named_and_nobody_is_accused() -> None:
    events = as_of(4, tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")))

    checked = verify_record(recorded([vetoed_in(event) for event in events]))

    assert (checked.state, checked.recorded, checked.recomputed) == ("read_otherwise", "ACT", "REFUSE")
    assert "(reading 4), whose reading differs" in checked.why
    assert "changed" not in checked.why


async def test_going_on_with_what_is_read_otherwise_ends_in_a_sentence(ledger: Ledger) -> None:
    whole = as_of(0, read_as(tribunal(), "ACT"))
    id_ = await kept(ledger, whole[:-1])
    assert verify_record(recorded(whole[:-1])).state == "read_otherwise"

    async with Runner(ledger) as runner:
        with pytest.raises(LedgerMismatch, match="nothing can be decided on both"):
            await runner.resume(id_, panelists=panelists("tribunal"))
    assert len(await ledger.read(id_)) == len(whole) - 1


@pytest.mark.parametrize("version", [0, 1])
async def test_no_turn_is_taken_on_a_record_that_does_not_hold(ledger: Ledger, version: int) -> None:
    id_ = await kept(ledger, as_of(version, read_as(tribunal(), "ACT")))

    async with Stepper(ledger, panelists=panelists("tribunal")) as stepper:
        with pytest.raises(LedgerMismatch):
            await stepper.take(id_)


async def test_no_imported_record_passes_for_one_that_a_graph_has_begun(ledger: Ledger) -> None:
    begin, other = convened(PANEL), open_ledger(":memory:")
    async with Stepper(other, panelists=panelists("tribunal")) as stepper:
        theirs = await stepper.begin(begin, "called so")
    await ledger.adopt(theirs, await other.rows(theirs))

    async with Stepper(ledger, panelists=panelists("tribunal")) as stepper:
        assert await stepper.begin(begin, "called so") != theirs


def test_words_that_are_gone_prove_nothing() -> None:
    events = tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT"))
    gone = without_words(events, range(1, len(events) + 1))

    assert verify_record(recorded(gone)).state == "forgotten"
    with pytest.raises(LedgerMismatch, match="nobody can read its ballots again"):
        refuse(recorded(gone), *MISREAD, "forgotten")


@pytest.mark.parametrize("name", ["tribunal", "conference", "debate", "oracle"])
@pytest.mark.parametrize("version", range(1, chair.VERSION + 1))
def test_a_record_that_lost_the_words_of_one_entry_never_holds_and_is_not_called_changed(
    name: str, version: int
) -> None:
    events = list(golden(version, name)[0].events)

    for number in range(1, len(events) + 1):
        short = without_words(events, {number})
        if short == events:
            continue
        assert verify_record(recorded(short)).state == "partly_forgotten", number
        if isinstance(lost := events[number - 1], Spoken):
            assert f"said by {lost.seat} in round {lost.round} (entry {number})" in verify_record(recorded(short)).why


@pytest.mark.parametrize("finished", [True, False])
def test_what_is_still_there_is_read_after_words_that_are_gone(finished: bool) -> None:
    events = read_as(tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "REFUSE")), "ACT")
    lost = next(number for number, event in enumerate(events, 1) if isinstance(event, Spoken))

    checked = verify_record(recorded(without_words(events if finished else events[:-1], {lost})))

    assert checked.state == "differs"
    assert "its words read REFUSE" in checked.why


def test_a_review_of_what_was_forgotten_changes_nothing_about_that() -> None:
    gone = without_words(tribunal(), range(1, 100))

    assert verify_record(recorded([*gone, Reviewed(outcome="ACT", by="Ann", because="so")])).state == "forgotten"


def test_whoever_says_forgotten_has_forgotten_nothing() -> None:
    def answer(ask: Ask) -> Reply:
        said = ask.seat.name == "Safety" and ask.round == "analysis"
        return Reply(text="[forgotten]") if said else words(ask, "ACT")

    begin = replace(convened(PANEL), question=Question(text="[forgotten]"))
    events = play(begin, answer)

    assert verify_record(recorded(without_words(events, ()))).state == "holds"


@pytest.mark.parametrize("changes", [{"vote": Choice("ACT")}, {"confidence": Fraction(1)}, {"risk": Fraction(0)}])
@pytest.mark.parametrize("finished", [True, False])
def test_no_ballot_of_an_earlier_version_is_taken_on_trust(changes: dict[str, Any], finished: bool) -> None:
    events = as_of(0, tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), "REFUSE")))[:-1]
    place = max(place for place, event in enumerate(events) if isinstance(event, Spoken) and event.seat == "Utility")
    spoken = events[place]
    assert isinstance(spoken, Spoken)
    assert spoken.ballot is not None
    events[place] = replace(spoken, ballot=replace(spoken.ballot, **changes))
    decided = Decided(verdict=chair.verdict_of(chair.replay(events, check=False)))

    checked = verify_record(recorded([*events, decided] if finished else events))

    assert (checked.state, checked.same) == ("read_otherwise", False)
    assert f"at entry {place + 1}" in checked.why


def test_the_reasons_of_an_earlier_version_are_shown_in_the_words_of_this_one() -> None:
    events = as_of(0, tribunal())
    decided = events[-1]
    assert isinstance(decided, Decided)
    record = recorded([*events[:-1], replace(decided, verdict=replace(decided.verdict, because="Ann signed it off"))])

    checked = verify_record(record)

    assert checked.state == "holds"
    assert checked.notes == ("the verdict's reasons or cautions are worded differently today",)
    assert as_judged(record, checked).events[-1] == decided


def test_what_a_newer_version_wrote_is_not_judged_here() -> None:
    with pytest.raises(LedgerNewer, match=r"entry 2 was written by a newer quorate \(reading 999"):
        verify_record(recorded(as_of(999, tribunal())))
    with pytest.raises(LedgerMismatch, match="there is none"):
        verify_record(recorded(as_of(-1, tribunal())))


@pytest.mark.parametrize("name", ["tribunal", "conference", "debate", "oracle"])
def test_to_judge_a_record_again_takes_milliseconds(name: str) -> None:
    record, _ = golden(chair.VERSION, name)
    verify_record(record)
    began = process_time()
    for _ in range(5):
        verify_record(record)
    took = (process_time() - began) / 5

    print(f"{name}: {1000 * took:.1f} ms")  # noqa: T201 - the figure
    assert took < 0.1


async def test_a_clock_that_is_set_back_takes_no_time_away() -> None:
    times = ("2026-11-16T10:00:00Z", "2026-11-16T10:00:05Z", "2026-11-16T09:00:00Z", "2026-11-16T09:00:07Z")
    before, entries = first("0" * 26), list[Entry]()
    for number, (time, event) in enumerate(zip(times, tribunal(), strict=False), 1):
        row = seal(event, number, before, time)
        entries.append(Entry(number=number, time=time, event=event, before=before, hash=row.hash))
        before = row.hash

    assert record_of("0" * 26, entries).seconds == 12.0
    assert record_of("0" * 26, entries[1:3]).seconds == 0.0


def test_a_verdict_with_other_figures_or_words_is_a_change() -> None:
    events = tribunal()
    decided = events[-1]
    assert isinstance(decided, Decided)
    for changes in ({"because": "all agreed"}, {"cautions": ()}, {"agreement": Fraction(1)}, {"dissent": ()}):
        changed = replace(decided, verdict=replace(decided.verdict, **changes))
        if changed != decided:
            assert verify_record(recorded([*events[:-1], changed])).state == "differs", changes


def test_a_repaired_ballot_holds_and_a_repair_nobody_asked_for_does_not() -> None:
    def hesitant(ask: Ask) -> Reply:
        return words(ask, "ACT") if ask.attempt > 1 or ask.wants == "speech" else Reply(text="I would rather not say.")

    events = play(convened(PANEL), hesitant)
    second = next(event for event in events if isinstance(event, Spoken) and event.attempt > 1)

    assert verify_record(recorded(events)).state == "holds"
    checked = verify_record(recorded([*events[: events.index(second) + 1], second, events[-1]]))
    assert checked.why.startswith(f"entry {events.index(second) + 2} is one more answer of {second.seat}")
