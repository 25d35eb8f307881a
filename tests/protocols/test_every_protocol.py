"""What holds for every protocol in the catalogue."""

import asyncio
import random
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalogue, chair
from quorate.analysis.conference_course import ConferenceSettings
from quorate.analysis.debate_course import DebateSettings
from quorate.model import Ask, Event, Hear, Panel, Reply, Silent, Spoken
from quorate.panelists.demo_panelist import Demo
from tests.play import convened, play, play_on, verdict, words
from tests.tribunal import panel_of

PROTOCOLS = catalogue.names("protocol")


def keys(events: list[Event]) -> set[tuple[str, str, str]]:
    return {event.key[:3] for event in events if isinstance(event, Spoken | Silent)}


def by_place(events: list[Event]) -> dict[tuple[str, str, str, int], str]:
    """Every prompt of a finished deliberation, as it would be worded on the whole record."""
    state, prompts = chair.State.open(events[0]), {}  # type: ignore[arg-type]
    for event in events[1:]:
        for step in chair.steps(state):
            if isinstance(step, Hear):
                prompts[tuple(step.ask.key)] = state.put(step.ask).prompt.template
        state = state.after(event)
    return prompts  # type: ignore[return-value]


def panel(name: str, seats: int) -> Panel:
    """So many seats, those of the protocol's own panel first: there it gives out its parts."""
    own = catalogue.protocol(name).panel.seats
    return Panel(seats=(*own, *panel_of(max(0, seats - len(own))))[: max(seats, _least(name))])


def _least(name: str) -> int:
    """As many as vote on a panel that has other parts too."""
    seats = catalogue.protocol(name).panel.seats
    voters = [place for place, seat in enumerate(seats, 1) if "vote" in seat.powers]
    return max(voters) if len(voters) < len(seats) else 1


@pytest.mark.slow
@pytest.mark.parametrize("name", PROTOCOLS)
@settings(max_examples=40)
@given(number=st.integers(0, 2**32), seats=st.integers(1, 4), silence=st.floats(0, 1))
def test_with_any_asks_silent_it_still_ends_in_a_verdict(name: str, number: int, seats: int, silence: float) -> None:
    chance = random.Random(number)

    def answer(ask: Ask) -> Reply | str:
        return "timeout" if chance.random() < silence else words(ask)

    events = play(convened(panel(name, seats), name), answer, chance)

    assert verdict(events).verdict.rule


@pytest.mark.slow
@pytest.mark.parametrize("name", PROTOCOLS)
@settings(max_examples=40)
@given(number=st.integers(0, 2**32), seats=st.integers(1, 4))
def test_any_order_of_replies_gives_the_same_asks_prompts_and_verdict(name: str, number: int, seats: int) -> None:
    begin = convened(panel(name, seats), name)
    in_order, shuffled = play(begin, words), play(begin, words, random.Random(number))

    assert by_place(in_order) == by_place(shuffled)
    assert verdict(in_order) == verdict(shuffled)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_seat_that_can_vote_is_asked_for_a_ballot(name: str) -> None:
    sits = panel(name, 3)
    events = play(convened(sits, name), words)
    cast = {event.seat for event in events if isinstance(event, Spoken) and (event.argument or event.ballot)}

    assert {seat.name for seat in sits.voters} <= cast


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_record_cut_anywhere_goes_on_to_the_same_events(name: str) -> None:
    begin = convened(panel(name, 3), name)
    whole = play(begin, words)
    for cut in range(1, len(whole)):
        asked: list[tuple[str, str, str]] = []

        def answer(ask: Ask, asked: list[tuple[str, str, str]] = asked) -> Reply:
            asked.append(ask.key[:3])
            return words(ask)

        assert play_on(whole[:cut], answer) == whole
        assert not keys(whole[:cut]) & set(asked)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_setting_that_a_protocol_shares_with_its_count_is_one_setting(name: str) -> None:
    spec = catalogue.protocol(name)
    count = catalogue.count(spec.count.name).count
    asking, counting = ({one.name: one for one in catalogue.settings(each)} for each in (spec.protocol, count))

    for shared in set(asking) & set(counting):
        assert asking[shared] == counting[shared]


@pytest.mark.parametrize(("name", "terms"), [("conference", ConferenceSettings), ("debate", DebateSettings)])
def test_when_to_stop_is_settled_by_the_same_settings_where_it_is_asked_counted_and_worked_out(
    name: str, terms: type[ConferenceSettings | DebateSettings]
) -> None:
    spec = catalogue.protocol(name)
    count = catalogue.count(spec.count.name).count
    declared = {field.name: field.default for field in fields(terms)}

    assert {one.name: one.default for one in catalogue.settings(count)} == declared
    assert declared.items() <= {one.name: one.default for one in catalogue.settings(spec.protocol)}.items()


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_demo_panel_decides_nothing_whatever_is_asked_of_it(name: str) -> None:
    sits = Panel(seats=panel(name, 3).seats, demo=True)
    demo = Demo(pace=0)

    def answer(ask: Ask) -> Reply:
        return asyncio.run(demo.answer(ask))

    ended = verdict(play(convened(sits, name), answer)).verdict

    assert not ended.decided or ended.outcome == catalogue.protocol(name).outcomes[1], ended
