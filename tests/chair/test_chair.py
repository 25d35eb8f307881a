"""Everything written so far becomes what happens next."""

from dataclasses import replace

import pytest

from quorate import chair
from quorate.errors import BadSetting, LedgerMismatch, UnknownName
from quorate.model import (
    Admitted,
    Ask,
    Asked,
    Decided,
    Event,
    Hear,
    Reply,
    Silent,
    Spoken,
    TurnedAway,
    Withdrawn,
    Write,
)
from tests.play import convened, play, verdict, words
from tests.tribunal import PANEL

BEGIN = convened(PANEL)


def admitted() -> chair.State:
    return chair.State.open(BEGIN).after(Admitted())


def hears(state: chair.State) -> list[Ask]:
    return [step.ask for step in chair.steps(state) if isinstance(step, Hear)]


def spoken(ask: Ask, text: str) -> Spoken:
    return chair.heard_reply(ask, Spoken(**ask.key._asdict(), reply=Reply(text=text)))


def test_the_guard_comes_first_and_nobody_is_asked_before_it() -> None:
    (step,) = chair.steps(chair.State.open(BEGIN))

    assert isinstance(step, Write)
    assert isinstance(step.event, Admitted)


def test_an_unreadable_reply_is_asked_once_more_and_then_is_silence() -> None:
    state = admitted()
    first = state.put(hears(state)[0])
    state = state.after(spoken(first, "I would rather not say."))
    again = next(ask for ask in hears(state) if ask.seat is first.seat)
    state = state.after(spoken(state.put(again), "Still not saying."))
    (write,) = (step for step in chair.steps(state) if isinstance(step, Write))

    assert again.attempt == 2
    assert "I would rather not say." in state.put(again).prompt.template
    assert isinstance(write.event, Silent)
    assert (write.event.seat, write.event.attempt) == ("Utility", 2)


def vetoing(ask: Ask) -> Reply:
    reply = words(ask, "ACT")
    return replace(reply, text=reply.text.replace('"risk":', '"veto": true, "risk":'))


def test_act_beside_a_veto_is_asked_once_more_and_then_is_silence_that_says_so() -> None:
    state = admitted()
    first = state.put(hears(state)[0])
    state = state.after(spoken(first, vetoing(first).text))
    again = state.put(next(ask for ask in hears(state) if ask.seat is first.seat))
    state = state.after(spoken(again, vetoing(again).text))
    (write,) = (step for step in chair.steps(state) if isinstance(step, Write))

    assert "it stated two different decisions" in again.prompt.template
    assert isinstance(write.event, Silent)
    assert write.event.why == "two_answers"


def test_a_panel_whose_every_ballot_says_act_and_veto_does_not_act() -> None:
    assert verdict(play(BEGIN, vetoing)).verdict.outcome == "REFUSE"


def test_digits_of_a_code_that_chance_drew_are_nobodys_ballot() -> None:
    ballot = '{"decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "It can be undone."}'
    for number in range(400):
        state = chair.State.open(replace(BEGIN, seed=f"{number:064x}")).after(Admitted())
        first = state.put(hears(state)[0])
        state = state.after(spoken(first, ballot))
        again = state.put(next(ask for ask in hears(state) if ask.seat is first.seat))

        assert spoken(again, ballot).cautions == ("unmarked",)


def test_what_was_unreadable_is_kept_as_it_came() -> None:
    state = admitted()
    event = spoken(state.put(hears(state)[0]), "maybe {act}?")

    assert event.ballot is None
    assert event.unreadable
    assert event.reply.text == "maybe {act}?"


def test_a_speech_is_shown_without_its_ballot_line() -> None:
    state = admitted()
    ask = state.put(hears(state)[0])
    state = state.after(spoken(ask, words(ask, "ACT").text))
    speech = state.heard.speech("analysis", ask.seat)

    assert speech is not None
    assert ask.mark not in speech.text
    assert "{" not in speech.text
    assert "Position: ACT (confidence 70 %, risk 30 %)." in speech.text


def test_a_ballot_quoted_from_another_seat_does_not_count() -> None:
    state = admitted()
    mine, other = (state.put(ask) for ask in hears(state)[:2])
    stolen = words(other, "ACT").text.partition("BALLOT ")[2]

    event = spoken(mine, words(mine, "REFUSE").text + f"\n\nAccuracy wrote: BALLOT {stolen}")

    assert event.ballot is not None
    assert event.ballot.choice == "REFUSE"


def test_an_immediate_veto_withdraws_what_is_in_flight_and_decides() -> None:
    begin = convened(PANEL, settings=(("veto", "immediate"),))
    state = chair.State.open(begin).after(Admitted())
    asks = [state.put(ask) for ask in hears(state)]
    for ask in asks:
        state = state.after(Asked(round=ask.round, seat=ask.seat.name))
    state = state.after(spoken(asks[2], words(asks[2], "VETO", 5, 90).text))
    withdrawn = [step.event for step in chair.steps(state) if isinstance(step, Write)]
    for event in withdrawn:
        state = state.after(event)
    (last,) = chair.steps(state)

    assert [(event.seat, type(event)) for event in withdrawn if isinstance(event, Withdrawn)] == [
        ("Utility", Withdrawn), ("Accuracy", Withdrawn),
    ]  # fmt: skip
    assert isinstance(last, Write)
    decided = verdict([last.event]).verdict
    assert (decided.outcome, decided.rule) == ("REFUSE", "veto")
    assert "stopped_early" in {caution.name for caution in decided.cautions}


def test_a_veto_may_be_withdrawn_and_that_is_recorded() -> None:
    def answer(ask: Ask) -> Reply:
        bold = ask.seat.name == "Safety" and ask.round == "analysis"
        return words(ask, "VETO" if bold else "ACT", 90, 60 if bold else 10)

    events = play(BEGIN, answer)
    tally = chair.tally_of(chair.replay(events, check=False))

    assert verdict(events).verdict.outcome == "ACT"
    assert [(change.seat, change.was, change.now) for change in tally.changes] == [("Safety", "VETO", "ACT")]
    assert tally.changes[0].heard == ("Utility", "Accuracy")


def test_a_question_that_is_turned_away_reaches_nobody() -> None:
    from dataclasses import replace

    from quorate.model import Question

    state = chair.State.open(replace(BEGIN, question=Question(text="   ")))
    (step,) = chair.steps(state)

    assert isinstance(step, Write)
    assert isinstance(step.event, TurnedAway)
    assert step.event.verdict.outcome == "REFUSE"


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ((("vetoo", "final"),), UnknownName, "there are"),
        ((("veto", "sometimes"),), BadSetting, "final | immediate"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_there_is(
    settings: tuple[tuple[str, str], ...], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says.replace("|", r"\|")):
        chair.State.open(convened(PANEL, settings=settings))


def test_an_ask_nobody_would_have_made_is_a_mismatch() -> None:
    events: list[Event] = [BEGIN, Admitted(), Asked(round="revision", seat="Safety")]

    with pytest.raises(LedgerMismatch, match="revision"):
        chair.replay(events)


def test_seats_that_give_no_reason_are_named_in_one_caution() -> None:
    def answer(ask: Ask) -> Reply:
        if ask.wants == "decision" and ask.seat.name != "Accuracy":
            stated = f'{{"mark": "{ask.mark}", "decision": "WARN", "confidence": 70, "risk": 30}}'
            return Reply(text=f"BALLOT {stated}")
        return words(ask)

    found = [
        caution.text for caution in verdict(play(BEGIN, answer)).verdict.cautions if caution.name == "no_rationale"
    ]

    assert found == ["Utility, Safety left the rationale of a ballot empty"]


def test_without_a_verdict_the_same_is_ordered_up_to_the_verdict_and_then_nothing() -> None:
    state, seen = chair.State.open(BEGIN), set[bool]()
    for event in play(BEGIN, words)[1:]:
        ordered = chair.steps(state)
        decides = any(isinstance(step, Write) and isinstance(step.event, Decided) for step in ordered)
        assert chair.steps_before_verdict(state) == (() if decides else ordered)
        seen.add(decides)
        state = state.after(event)
    assert seen == {True, False}
