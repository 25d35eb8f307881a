from dataclasses import replace

import pytest

from quorate import presets
from quorate.errors import BadSetting
from quorate.model import Limits, Panel, Question, SeatModel
from quorate.offline.forecast import forecast
from quorate.settings.convene import convene
from tests.play import convened
from tests.tribunal import PANEL, panel_of

SAID = ("?max_tokens=50", "")
DEMO = tuple(SeatModel(seat=seat.name, model="demo:scripted", domain="demo") for seat in PANEL)


def seated(panel: Panel, model: str) -> tuple[SeatModel, ...]:
    return tuple(SeatModel(seat=seat.name, model=model, domain="one") for seat in panel)


@pytest.mark.parametrize(("seats", "calls"), [(1, 2), (2, 6), (3, 12), (5, 30), (7, 56)])
def test_the_calls_of_a_tribunal_are_counted_by_playing_it(seats: int, calls: int) -> None:
    panel = panel_of(seats)
    found = forecast(replace(convened(panel), seated=seated(panel, "demo:scripted")), {})

    assert found.likely.calls == calls
    assert found.most.calls == 2 * calls


def test_a_setting_that_asks_for_more_is_counted() -> None:
    asked = convened(PANEL, settings=(("final_vote", "asked"),))

    assert forecast(replace(asked, seated=DEMO), {}).likely.calls == 15


def test_a_panel_that_debates_only_when_split_is_played_both_ways() -> None:
    asked = replace(convened(PANEL, settings=(("debate", "when_split"),)), seated=DEMO)

    found = forecast(asked, {})
    told = found.document()
    brief = told["if_agreed"]

    assert isinstance(brief, dict)
    assert (brief["calls"], found.likely.calls) == (3, 12)
    assert brief["tokens"] == sum(ask.likely.tokens for ask in found.asks[:3])
    assert "3 if the first ballots agree, else 12, at most 24" in "\n".join(found.lines())
    assert forecast(replace(convened(PANEL), seated=DEMO), {}).document()["if_agreed"] is None


def test_a_price_nobody_knows_is_unknown_and_names_the_model() -> None:
    model = "openai:some@http://127.0.0.1:9/v1"
    found = forecast(replace(convened(PANEL), seated=seated(PANEL, model)), {})

    assert found.document()["cost"] == {"calls": 12, "tokens": found.likely.tokens, "money": None}
    assert list(found.lines())[-1].endswith(f"unknown for {model}")


def test_a_reply_is_no_longer_than_its_model_may_write() -> None:
    short, long = (forecast(replace(convened(PANEL), seated=seated(PANEL, f"ollama:m{said}")), {}) for said in SAID)

    assert long.most.tokens - short.most.tokens == long.most.calls * (4096 - 50)
    assert long.likely.tokens - short.likely.tokens == long.likely.calls * (400 - 50)


def test_what_runs_here_is_free() -> None:
    found = forecast(replace(convened(PANEL), seated=seated(PANEL, "ollama:some")), {})

    assert found.most.money == 0
    assert found.unpriced == ()


def test_a_longer_context_costs_more_tokens() -> None:
    short = replace(convened(PANEL), seated=DEMO)
    long = replace(short, question=Question(text="Should we?", context="fact " * 1000))

    assert forecast(long, {}).likely.tokens > forecast(short, {}).likely.tokens + 12 * 1000


def test_a_question_that_would_be_turned_away_costs_nothing_and_says_why() -> None:
    found = forecast(replace(convened(PANEL), seated=DEMO, question=Question(text="")), {})

    assert found.likely.calls == 0
    assert found.reasons
    assert "turned away" in next(iter(found.lines()))


@pytest.mark.parametrize(
    ("protocol", "settings", "calls"),
    [
        ("conference", (), 6),
        ("conference", (("min_rounds", "3"),), 9),
        ("conference", (("respect_min_rounds", "false"),), 3),
        ("conference", (("mode", "quick"),), 3),
        ("debate", (("form", "standard"),), 3),
        ("debate", (("form", "standard"), ("min_rounds", "2")), 6),
        ("tribunal", (("debate", "when_split"),), 12),
    ],
)
def test_one_complete_pass_is_what_it_takes_to_end_properly(
    protocol: str, settings: tuple[tuple[str, str], ...], calls: int
) -> None:
    charter = presets.panel(protocol)
    models = tuple((seat.name, "demo:scripted") for seat in charter.panel)
    asked = convene(Question(text="Which queue?"), replace(charter, models=models, settings=settings))

    found = forecast(asked, {})

    assert found.one_pass.calls == calls
    found.check_budget(Limits(calls=calls))
    with pytest.raises(BadSetting, match=f"one complete pass takes {calls} calls.*and the budget is {calls - 1} calls"):
        found.check_budget(Limits(calls=calls - 1))


def test_a_budget_too_small_for_a_debate_when_split_is_told_both_numbers() -> None:
    asked = replace(convened(PANEL, settings=(("debate", "when_split"),)), seated=DEMO)

    with pytest.raises(BadSetting, match=r"takes 12 calls \(3 calls if the first ballots agree\), and the budget is 5"):
        forecast(asked, {}).check_budget(Limits(calls=5))
