import pytest

from quorate.doors.langgraph import debate_graph, deliberation_graph
from quorate.errors import BadSetting, UnknownName
from quorate.ledger import open_ledger
from quorate.settings.program_options import keyword_texts


def test_keywords_become_the_texts_they_stand_for() -> None:
    keywords = {"seats": {"Safety": "ollama:x"}, "concurrency": 3, "patience": 2.5, "budget": None, "trust": True}

    assert keyword_texts(keywords, ()) == {
        "seats": (("Safety", "ollama:x"),),
        "concurrency": "3",
        "patience": "2.5",
    }


def test_an_open_ledger_is_left_to_the_door() -> None:
    assert keyword_texts({"ledger": open_ledger(":memory:")}, ()) == {}


@pytest.mark.parametrize("keywords", [{"deadline": object()}, {"seats": "Safety"}, {"budget": {"calls": 3}}])
def test_a_value_that_cannot_be_said_is_told_and_never_dropped(keywords: dict[str, object]) -> None:
    with pytest.raises(BadSetting, match=f"{next(iter(keywords))} takes "):
        keyword_texts(keywords, ())


def test_an_option_that_a_graph_does_not_take_is_told() -> None:
    with pytest.raises(UnknownName, match="no option 'pannel'"):
        deliberation_graph(protocol="tribunal", pannel="demo")  # type: ignore[call-arg]
    with pytest.raises(UnknownName, match="no option 'protocol'"):
        debate_graph(protocol="tribunal")  # type: ignore[call-arg]


def test_numbers_and_truth_values_among_settings_are_written_as_in_a_file() -> None:
    given = {"min_rounds": 2, "early_stopping": False, "stop_share": 0.75, "mode": "quick"}

    assert dict(keyword_texts({"settings": given}, ())["settings"]) == {
        "min_rounds": "2",
        "early_stopping": "false",
        "stop_share": "0.75",
        "mode": "quick",
    }
    with pytest.raises(BadSetting, match="settings takes texts and numbers, not None"):
        keyword_texts({"settings": {"min_rounds": None}}, ())
