"""A seat whose ballot nobody waited for is not silent: nothing is assumed for it, and it fails nothing."""

from dataclasses import replace
from random import Random

import pytest

from quorate import chair, presets
from quorate.engine.verify import verify_record
from quorate.model import Ask, Asked, Event, Reply, Silence, Spoken, Tally, Voice, Withdrawn
from quorate.rules import apply_rulebook
from quorate.views import Record
from quorate.views.card import rows
from quorate.views.compat.s4 import s4
from quorate.views.document import document
from quorate.views.result import Result
from tests.chair.test_early_stop import GATE, STOPS, panel
from tests.play import convened, play, verdict, words
from tests.tribunal import PANEL

IMMEDIATE = (("veto", "immediate"),)


def vetoed_at_once(order: Random | None = None) -> list[Event]:
    """Safety vetoes; the others say ACT."""

    def answer(ask: Ask) -> Reply:
        vetoes = ask.seat.name == "Safety"
        return words(ask, "VETO" if vetoes else "ACT", risk=90 if vetoes else 10)

    return play(convened(PANEL, settings=IMMEDIATE), answer, order)


def tally(events: list[Event]) -> Tally:
    return chair.tally_of(chair.replay(events))


def test_after_an_immediate_veto_nothing_is_assumed_for_the_others() -> None:
    events = vetoed_at_once()
    counted, reached = tally(events), verdict(events).verdict

    assert (reached.outcome, reached.rule) == ("REFUSE", "veto")
    assert (counted.not_needed, counted.silent) == (("Utility", "Accuracy"), ())
    assert "assumed" not in reached.because
    assert reached.dissent == ()
    (note,) = (one for one in reached.cautions if one.name == "stopped_early")
    assert "the veto of Safety" in note.text
    assert "Utility and Accuracy" in note.text


def test_all_kinds_of_participation_add_up_in_whatever_order_answers_come(seed: int) -> None:
    chance = Random(seed)
    for _ in range(10):
        part = tally(vetoed_at_once(chance)).participation

        assert part.eligible == part.received + part.carried + part.abstained + part.failed + part.not_needed
        assert (part.failed, part.not_needed) == (0, 2)


def test_what_a_seat_that_was_not_needed_had_sealed_is_shown_as_what_it_is() -> None:
    events = vetoed_at_once()
    record = Record(id="0", events=events)
    found = document(record)["verdict"]
    metadata = s4(record)["metadata"]

    assert isinstance(found, dict)
    assert isinstance(metadata, dict)
    assert [vote["seat"] for vote in found["votes"]] == ["Safety"]
    assert found["without_vote"] == [
        {"seat": seat, "why": "not_needed", "sealed": "ACT"} for seat in ("Utility", "Accuracy")
    ]
    assert metadata["vote_breakdown"] == {"ACT": 0, "WARN": 0, "REFUSE": 1}
    assert "sealed ACT" in dict(rows(Result.of(record)))["no vote"][0]


def test_where_every_final_ballot_came_nobody_was_stopped_early() -> None:
    def answer(ask: Ask) -> Reply:
        last = ask.seat.name == "Safety" and ask.round == "revision"
        return words(ask, "VETO" if last else "ACT")

    events = play(convened(PANEL), answer)

    assert "stopped_early" not in [one.name for one in verdict(events).verdict.cautions]
    assert tally(events).not_needed == ()


@pytest.mark.parametrize("why", ["deadline", "budget", "timeout", "cancelled"])
def test_a_seat_that_failed_for_any_reason_of_its_own_stays_silent(why: str) -> None:
    def answer(ask: Ask) -> Reply | str:
        if ask.round == "revision" and ask.seat.name == "s1":
            return why
        return words(ask, "REFUSE")

    counted = tally(play(convened(panel(4, guardian=True), settings=STOPS), answer))

    assert [(gone.seat, gone.why) for gone in counted.silent] == [("s1", why)]


def test_a_seat_that_fell_silent_before_the_last_round_is_silent_for_that_reason() -> None:
    def answer(ask: Ask) -> Reply | str:
        return "timeout" if ask.round == "revision" and ask.seat.name == "s1" else words(ask, "REFUSE")

    asked = (*STOPS, ("final_vote", "asked"))
    counted = tally(play(convened(panel(4, guardian=False), settings=asked), answer))

    assert [(gone.seat, gone.why) for gone in counted.silent] == [("s1", "timeout")]


@pytest.mark.parametrize("book", ["tribunal", "strict"])
def test_a_seat_with_a_veto_is_never_left_out_of_the_boldest_outcome(book: str) -> None:
    """However the tally came about: while its ballot is missing, ACT is held."""
    sure = [Voice(seat=seat, option="ACT", confidence=None, risk=None) for seat in ("a", "b")]
    counted = Tally(eligible=("a", "b", "c"), options=GATE, voices=tuple(sure), not_needed=("c",))

    assert apply_rulebook(replace(counted, guardians=("c",)), presets.rulebook(book)).outcome != "ACT"


def test_a_rulebook_that_refuses_for_silence_does_not_for_a_seat_that_was_not_needed() -> None:
    warned = tuple(Voice(seat=seat, option="WARN", confidence=None, risk=None) for seat in ("a", "b", "c"))
    counted = Tally(eligible=("a", "b", "c", "d"), options=GATE, voices=warned, not_needed=("d",))
    silent = replace(counted, not_needed=(), silent=(Silence(seat="d", why="timeout"),))

    assert apply_rulebook(counted, presets.rulebook("strict")).rule != "any_silent"
    assert apply_rulebook(silent, presets.rulebook("strict")).rule == "any_silent"


def test_a_record_that_withdraws_what_was_still_due_does_not_hold() -> None:
    """Nothing is assumed for a seat that wasn't needed, so nobody may be declared so to lose its vote."""
    events = play(convened(PANEL), lambda ask: words(ask, "REFUSE" if ask.seat.name == "Safety" else "ACT"))
    at = next(
        at
        for at, event in enumerate(events)
        if isinstance(event, Spoken) and (event.round, event.seat) == ("revision", "Safety")
    )
    key = events[at].key._asdict()  # type: ignore[union-attr]
    forged = [*events[:at], Asked(**key), Withdrawn(**key, why="no_longer_needed"), *events[at + 1 :]]

    assert "still due" in verify_record(Record(id="0", events=forged)).why
