"""Examples written by hand: played by the real protocols, said to be examples, and kept nowhere."""

import pytest

from tests.doors.conftest import Quorate
from tests.terminal import Terminal

OUTCOMES = {"tribunal": "WARN", "conference": "A table in Postgres", "debate": "SUPPORT", "oracle": "YES"}


@pytest.mark.parametrize("example", OUTCOMES)
def test_an_example_is_played_to_its_verdict_and_said_to_be_one(quorate: Quorate, example: str) -> None:
    told = quorate("demo", example, "--speed", "0")

    assert told.code == 0, told.err
    assert told.out.startswith("This is an example, written by hand")
    assert f"== Verdict ==\n\n{OUTCOMES[example]}  " in told.out
    assert "This was an example: nobody decided anything, and nothing was recorded." in told.out
    assert "silent" not in told.out
    assert "$" not in told.out
    assert "--seat" not in told.out


def test_an_example_leaves_no_record_and_no_id(quorate: Quorate) -> None:
    told = quorate("demo", "--speed", "0")

    assert quorate("list").out == ""
    assert "\nid  " not in told.out


def test_an_example_is_drawn_on_a_terminal() -> None:
    with Terminal("demo", "oracle", "--speed", "0") as terminal:
        assert terminal.end() == 0

    assert "Y E S" in terminal.shown
    assert "Broad, Exact, Varied, Doubting, Second: written by hand" in terminal.shown
    assert "HandWritten" not in terminal.shown


def test_there_is_no_other_example(quorate: Quorate) -> None:
    assert quorate("demo", "delphi").code == 2
