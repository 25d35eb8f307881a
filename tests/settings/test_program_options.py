import pytest

from quorate.doors.langgraph import debate_graph, deliberation_graph
from quorate.errors import UnknownName
from quorate.settings.program_options import flags_of


def test_options_become_the_flags_they_stand_for() -> None:
    found = flags_of({"seats": {"Safety": "ollama:x"}, "concurrency": 3}, ("seats", "concurrency"), "debate")

    assert (found.protocol, found.seats, found.concurrency) == ("debate", (("Safety", "ollama:x"),), "3")


def test_an_option_that_a_graph_does_not_take_is_told() -> None:
    with pytest.raises(UnknownName, match="no option 'pannel'"):
        deliberation_graph(protocol="tribunal", pannel="demo")  # type: ignore[call-arg]
    with pytest.raises(UnknownName, match="no option 'protocol'"):
        debate_graph(protocol="tribunal")  # type: ignore[call-arg]
