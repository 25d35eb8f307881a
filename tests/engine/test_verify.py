"""A record is judged again from its words, and one of another version is refused."""

from collections.abc import Container
from dataclasses import replace
from fractions import Fraction
from time import process_time

import pytest

from quorate import chair
from quorate.engine.runner import Runner
from quorate.engine.stepper import Stepper
from quorate.engine.verify import MISREAD, record_of, refuse, verify_record
from quorate.errors import LedgerMismatch, OtherVersion
from quorate.ledger import Entry, Ledger, open_ledger
from quorate.ledger.chain import drop_words, first, open_row, seal
from quorate.model import (
    Admitted,
    Ask,
    Asked,
    Choice,
    Decided,
    Event,
    Origin,
    Question,
    Reply,
    Reviewed,
    Spoken,
    TurnedAway,
)
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
    rows = [seal(event, number, "0" * 64, "2026-11-16T00:00:00.000000Z") for number, event in enumerate(events, 1)]
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
def test_the_golden_records_hold(name: str) -> None:
    """If this fails the chair judges differently: `make golden` writes the golden records again."""
    checked = verify_record(golden(name)[0])

    assert (checked.state, checked.notes) == ("holds", ())


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_entry_can_be_left_out_or_doubled(name: str) -> None:
    events = list(golden(name)[0].events)

    for place, event in enumerate(events[1:], 1):
        doubled = recorded([*events[:place], event, *events[place:]])
        assert verify_record(doubled).state == "differs", (place, event)
        # That a prompt went out is known from its answer too.
        if not isinstance(event, Asked):
            short = recorded([*events[:place], *events[place + 1 :]])
            assert verify_record(short).state in {"differs", "unfinished"}, (place, event)


@pytest.mark.slow
async def test_the_golden_tribunal_can_be_resumed_from_every_entry() -> None:
    record, rows = golden("tribunal")
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


async def test_no_turn_is_taken_on_a_record_that_does_not_hold(ledger: Ledger) -> None:
    id_ = await kept(ledger, read_as(tribunal(), "ACT"))

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
def test_a_record_that_lost_the_words_of_one_entry_never_holds_and_is_not_called_changed(name: str) -> None:
    events = list(golden(name)[0].events)

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

    assert (
        verify_record(
            recorded([*gone, Reviewed(outcome="ACT", by="Ann", because="so", origin=Origin(interface="terminal"))])
        ).state
        == "forgotten"
    )


def test_whoever_says_forgotten_has_forgotten_nothing() -> None:
    def answer(ask: Ask) -> Reply:
        said = ask.seat.name == "Safety" and ask.round == "analysis"
        return Reply(text="[forgotten]") if said else words(ask, "ACT")

    begin = replace(convened(PANEL), question=Question(text="[forgotten]"))
    events = play(begin, answer)

    assert verify_record(recorded(without_words(events, ()))).state == "holds"


@pytest.mark.parametrize("version", [-1, 0, chair.VERSION + 1, 999])
def test_what_another_version_wrote_is_refused(version: int) -> None:
    with pytest.raises(OtherVersion, match=f"entry 2 was written by version {version} .* can only check version 1"):
        verify_record(recorded(as_of(version, tribunal())))


@pytest.mark.parametrize("kind", [Admitted, Spoken, Decided])
def test_one_entry_of_another_version_is_enough_to_refuse_a_record(kind: type[Event]) -> None:
    events = tribunal()
    place = next(place for place, event in enumerate(events) if isinstance(event, kind))
    events[place] = as_of(chair.VERSION + 1, events)[place]

    with pytest.raises(OtherVersion, match=f"entry {place + 1} was written by version"):
        verify_record(recorded(events))


async def test_a_record_of_another_version_is_not_resumed(ledger: Ledger) -> None:
    whole = as_of(chair.VERSION + 1, tribunal())
    id_ = await kept(ledger, whole[:-1])

    async with Runner(ledger) as runner:
        with pytest.raises(OtherVersion):
            await runner.resume(id_, panelists=panelists("tribunal"))
    assert len(await ledger.read(id_)) == len(whole) - 1


@pytest.mark.parametrize("name", ["tribunal", "conference", "debate", "oracle"])
def test_to_judge_a_record_again_takes_milliseconds(name: str) -> None:
    record, _ = golden(name)
    verify_record(record)
    began = process_time()
    for _ in range(5):
        verify_record(record)
    took = (process_time() - began) / 5

    print(f"{name}: {1000 * took:.1f} ms")  # noqa: T201 - the figure
    assert took < 0.1


async def test_a_clock_that_is_set_back_takes_no_time_away() -> None:
    times = [f"2026-11-16T{clock}.000000Z" for clock in ("10:00:00", "10:00:05", "09:00:00", "09:00:07")]
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
