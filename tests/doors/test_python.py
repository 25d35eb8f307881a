"""The Python door."""

import asyncio
from contextlib import aclosing

import pytest

import quorate
from quorate import Ballot, Question, QuorateError, Silence, decide, deliberate, deliberate_now, read, stream
from quorate.errors import BadSetting, UnknownName
from quorate.ledger import open_ledger
from quorate.model import Ask, Convened, Decided, Event
from quorate.testing import Faulty, Obedient, Scripted, ballot

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


async def test_context_options_and_models_are_given_as_people_guess_them() -> None:
    held = await deliberate(
        Question("Which one?"),
        context="It is late.",
        options=["tea", "milk"],
        protocol="conference",
        panelists=dict.fromkeys(("Alpha", "Beta", "Gamma"), Obedient()),
        budget="40 calls",
        ledger=":memory:",
    )
    opening = held.events[0]

    assert isinstance(opening, Convened)
    assert opening.question == Question("Which one?", context="It is late.", options=("tea", "milk"))
    assert (opening.protocol, opening.limits.calls) == ("conference", 40)


async def test_several_models_are_seated_by_one_keyword() -> None:
    held = await deliberate("Which one?", models=["demo:scripted", "demo:scripted"], ledger=":memory:")

    assert [seat["model"] for seat in held.document["seats"]] == ["demo:scripted"] * 2  # type: ignore[attr-defined]


def test_a_result_is_two_lines_as_a_value_and_a_card_when_printed() -> None:
    held = deliberate_now("Ship it?", panel="demo", ledger=":memory:")

    assert len(repr(held).splitlines()) == 2
    assert held.id in repr(held)
    assert len(str(held).splitlines()) > 2
    assert held.verdict is not None
    assert str(held).startswith(held.verdict.outcome or "")


async def test_a_stream_has_every_event_in_order_and_ends_with_the_verdict() -> None:
    ledger = open_ledger(":memory:")
    events = [event async for event in stream("Ship it?", panel="demo", ledger=ledger)]
    (row,) = [row async for row in ledger.list()]

    assert [entry.event for entry in await ledger.read(row.id)] == events
    assert isinstance(events[-1], Decided)


async def test_a_stream_that_is_left_early_stops() -> None:
    ledger = open_ledger(":memory:")
    async with aclosing(stream("Ship it?", panel="demo", ledger=ledger)) as events:
        await anext(events)

    assert len(asyncio.all_tasks()) == 1


def test_the_nearest_keyword_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'options'"):
        deliberate_now("Ship it?", option=["a"])  # type: ignore[call-arg]


async def test_options_that_a_protocol_does_not_take_are_refused() -> None:
    with pytest.raises(BadSetting, match="protocol tribunal takes no options"):
        await deliberate("Ship it?", panel="demo", options=["a", "b"], ledger=":memory:")
