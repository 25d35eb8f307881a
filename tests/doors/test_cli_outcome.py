import asyncio
from pathlib import Path

import pytest

from quorate import deliberate_now, start, wait
from quorate.engine.person_entries import record_outcome
from quorate.evaluate.decision_cache import cached_decisions
from quorate.ledger import open_ledger
from quorate.model import Ask, Convened, Event
from quorate.testing import Scripted, ballot
from tests.doors.conftest import Quorate
from tests.reviewing import kept, tribunal

SEATS = ("Utility", "Accuracy", "Safety")
ALL_ACT = dict.fromkeys(SEATS, "ACT")
TWO_ACT = {**ALL_ACT, "Safety": "WARN"}


def labelled(home: Path, events: list[Event], right: str, times: int) -> str:
    """Keep a record so many times, each labelled; the id of the last."""

    async def work() -> str:
        ledger, id_ = open_ledger(home / "ledger.db"), ""
        try:
            for _ in range(times):
                id_ = await kept(ledger, events)
                await record_outcome(ledger, id_, right)
        finally:
            await ledger.close()
        return id_

    return asyncio.run(work())


@pytest.fixture
def decided(home: Path) -> str:
    async def work() -> str:
        ledger = open_ledger(home / "ledger.db")
        try:
            return await kept(ledger, tribunal(ALL_ACT))
        finally:
            await ledger.close()

    return asyncio.run(work())


def test_an_outcome_is_recorded_shown_and_listed(quorate: Quorate, decided: str) -> None:
    before = quorate("show", decided, "--json").document

    told = quorate("outcome", "last", "refuse", "--by", "Ann Lee", "--because", "It broke.")

    assert (told.code, told.err) == (0, "recorded: REFUSE turned out right\n")
    assert told.out.startswith("ACT  3 of 3 seats")
    after = quorate("show", decided, "--json").document
    assert (after["verdict"], after["review"]) == (before["verdict"], before["review"])
    assert after["turned_out"]["value"] == "REFUSE"
    assert quorate("list").out.endswith("?  (turned out: REFUSE)\n")
    assert quorate("list", "--json").document["deliberations"][0]["turned_out"] == "REFUSE"
    assert "REFUSE was right, says Ann Lee" in quorate("show", decided).out
    assert quorate("verify", decided).code == 0
    assert quorate("resume", decided, "--gate").code == 0


def test_what_cannot_have_turned_out_right_is_refused_in_a_sentence(quorate: Quorate, decided: str) -> None:
    told = quorate("outcome", decided, "maybe")

    assert told.code == 1
    assert told.err == "quorate: 'maybe' cannot turn out right here; there are ACT, WARN, REFUSE\n"


def test_one_document_alone_stands_on_stdout(quorate: Quorate, decided: str) -> None:
    told = quorate("outcome", decided, "ACT", "--json")

    assert told.document["turned_out"]["value"] == "ACT"


def test_seats_and_report_learn_from_outcomes(quorate: Quorate, home: Path) -> None:
    labelled(home, tribunal(TWO_ACT), "ACT", 25)

    seats = quorate("seats", "--by", "seat", "--json").document
    right = {one["seat"]: one["accuracy"]["value"] for one in seats["seats"]}
    assert (seats["labelled"], right) == (25, {"Utility": 1.0, "Accuracy": 1.0, "Safety": 0.0})
    assert seats["independence"]["source"] == "record"
    assert seats["conformity"]["changed"] == 0
    assert seats["seats"][0]["kinds"][0]["labelled"] == 25

    report = quorate("report")
    assert "25 of 25 past decisions are labelled" in report.out
    assert "of the 25 that were decided and labelled, 25 were right" in report.out
    assert quorate("report", "--json").document["learned"]["right"] == 25


def test_a_report_on_panels_that_nobody_answered_for_speaks_of_no_models_and_no_noughts(quorate: Quorate) -> None:
    assert (
        quorate("ask", "May we?", "--model", "openai:x@http://127.0.0.1:9/v1", "--set", "debate=when_split").code == 3
    )
    assert quorate("ask", "May we?", "--panel", "demo", "-q").code == 0

    told = quorate("report").out

    assert "0 models" not in told
    assert "$0.0000" not in told
    assert "free" in told


def test_how_sure_a_verdict_is_comes_from_labels_and_never_from_its_score(quorate: Quorate, home: Path) -> None:
    labelled(home, tribunal(ALL_ACT), "ACT", 24)
    id_ = labelled(home, tribunal(ALL_ACT), "REFUSE", 8)
    unknown = quorate("show", id_, "--json").document["learned"]
    assert (unknown["sure"], unknown["labels"]) == (None, 0)

    quorate("seats")  # reads what is new

    told = quorate("show", id_, "--json").document["learned"]
    assert (told["score"], told["labels"]) == (1.0, 31)
    assert told["sure"]["chance"] == pytest.approx(25 / 33)
    assert told["sure"]["low"] < 0.75 < told["sure"]["high"]


def ask(home: Path, choice: str, act_error: str) -> tuple[str | None, bool, str]:
    """What a panel that agrees comes to, where a promise is asked for."""

    def answer(ask: Ask) -> str:
        return f"I challenge {ask.key.about}." if ask.wants == "speech" else f"So be it.\n{ballot(ask, choice)}"

    with Scripted({seat: [answer] * 4 for seat in SEATS}) as panelist:
        held = deliberate_now(
            "Ship it?", panelists=dict.fromkeys(SEATS, panelist), ledger=home / "ledger.db", act_error=act_error
        )
    assert held.verdict is not None
    return held.verdict.outcome, held.verdict.requires_human_review, held.verdict.because


async def test_what_a_program_starts_has_the_promise_and_the_precedents_that_it_asked_for(home: Path) -> None:
    place = home / "ledger.db"
    await asyncio.to_thread(ask, home, "ACT", "40%")

    id_ = await start("Ship it?", panel="demo", ledger=place, act_error="40%", memory="on")
    await wait(id_, ledger=place)

    ledger = open_ledger(place)
    begun = (await ledger.read(id_))[0].event
    await ledger.close()
    assert isinstance(begun, Convened)
    assert "act_error" in [cap.name for cap in begun.rulebook.unless]
    assert len(begun.question.precedents) == 1


def test_a_promise_is_kept_once_past_decisions_carry_it(quorate: Quorate, home: Path) -> None:
    outcome, review, because = ask(home, "ACT", "40%")
    assert (outcome, review) == ("WARN", True)
    assert "5 error-free acts are needed, and there are 0 labels" in because

    for number in range(5):
        if number:
            ask(home, "ACT", "40%")
        assert quorate("outcome", "last", "ACT").code == 0

    assert ask(home, "ACT", "40%")[:2] == ("ACT", False)
    assert quorate("verify", "last").code == 0
    assert ask(home, "ACT", "2.5%")[:2] == ("WARN", True)
    assert len(cached_decisions(str(home / "ledger.db"))) == 6
