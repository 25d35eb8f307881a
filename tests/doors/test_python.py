"""The Python door."""

import asyncio

import pytest

import quorate
from quorate import Ballot, QuorateError, Silence, decide, deliberate, deliberate_now, read
from quorate.errors import UnknownName
from quorate.ledger import open_ledger
from quorate.model import Ask, Event
from quorate.testing import Faulty, Scripted, ballot

SEATS = ("Utility", "Accuracy", "Safety")


def scripted(choice: str) -> Scripted:
    """One panelist for all seats: a ballot where one is wanted, a challenge where not."""

    def answer(ask: Ask) -> str:
        return f"I challenge {ask.key.about}." if ask.wants == "speech" else f"So be it.\n{ballot(ask, choice)}"

    return Scripted({seat: [answer] * 4 for seat in SEATS})


async def test_a_question_is_put_and_a_verdict_comes_back() -> None:
    with scripted("ACT") as panelist:
        held = await deliberate("Ship it?", panelists=dict.fromkeys(SEATS, panelist), ledger=":memory:")

    assert held.verdict is not None
    assert (held.state, held.verdict.outcome, held.verdict.rule) == ("decided", "ACT", "unanimous")
    assert held.document["cost"] == {"calls": 12, "tokens": 0, "money": None, "uncounted": 0}
    assert {seat["domain"] for seat in held.document["seats"]} == {"given:Scripted-1"}  # type: ignore[attr-defined]


def test_the_plain_call_works_in_a_script() -> None:
    held = deliberate_now("Ship it?", panel="demo", ledger=":memory:")

    assert held.verdict is not None
    assert held.verdict.outcome == "WARN"


def test_a_notebook_shows_the_verdict_as_a_card() -> None:
    card = deliberate_now("Ship <b>it</b>?", panel="demo", ledger=":memory:")._repr_html_()

    assert "Ship &lt;b&gt;it&lt;/b&gt;?" in card
    assert ">WARN</p>" in card
    assert "<script" not in card


async def test_the_plain_call_works_while_a_loop_is_running() -> None:
    asyncio.get_running_loop()

    assert deliberate_now("Ship it?", panel="demo", ledger=":memory:").state == "decided"


async def test_three_refusals_are_no_approval() -> None:
    panelists = {seat: Faulty("refusal") for seat in SEATS}
    held = await deliberate("Ship it?", panelists=panelists, ledger=":memory:")

    assert held.verdict is not None
    assert (held.verdict.outcome, held.verdict.rule, held.verdict.decided) == ("REFUSE", "all_silent", False)


async def test_every_event_is_shown_once_it_is_durable_and_in_order() -> None:
    seen: list[Event] = []
    ledger = open_ledger(":memory:")
    held = await deliberate("Ship it?", panel="demo", ledger=ledger, on_event=seen.append)

    assert seen == list(held.events)
    assert [entry.event for entry in await ledger.read(held.id)] == seen


async def test_words_are_overheard_while_they_are_written() -> None:
    heard: set[str] = set()
    await deliberate(
        "Ship it?",
        panelists=dict.fromkeys(SEATS, scripted("WARN")),
        ledger=":memory:",
        on_words=lambda ask, _: heard.add(ask.round),
    )

    assert heard == {"analysis", "challenge", "revision"}


def test_ballots_alone_can_be_decided_on() -> None:
    verdict = decide([{"seat": seat, "decision": "ACT", "confidence": 90, "risk": 10} for seat in SEATS])

    assert (verdict.outcome, verdict.rule) == ("ACT", "unanimous")


def test_a_raw_reply_is_a_ballot_or_silence() -> None:
    good = read('Fine.\n{"decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "so"}')

    assert isinstance(good, Ballot)
    assert read("I cannot help with that.") == Silence(seat="", why="refusal")


@pytest.mark.parametrize("name", quorate.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(quorate, name) is not None


async def test_an_unknown_panel_is_said_with_what_there_is() -> None:
    with pytest.raises(QuorateError, match="tribunal"):
        await deliberate("Ship it?", panel="tribunel", ledger=":memory:")


async def test_an_unknown_seat_is_refused() -> None:
    with pytest.raises(UnknownName, match="Utility"):
        await deliberate("Ship it?", panelists={"Utillity": scripted("ACT")}, ledger=":memory:")


def test_an_option_that_there_is_not_is_told() -> None:
    with pytest.raises(UnknownName, match=r"no option 'pannel'; there are .*panel"):
        deliberate_now("Ship it?", pannel="demo")  # type: ignore[call-arg]
