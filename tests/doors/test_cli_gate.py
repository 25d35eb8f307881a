import json

import pytest

from quorate import presets
from quorate.doors.cli.exit_codes import TABLE, Gate
from quorate.model import Tally, Verdict
from quorate.views.result import Decision, Result
from tests.doors.conftest import Quorate


def ballots(*choices: str) -> str:
    seats = ("Utility", "Accuracy", "Safety")
    cast = [
        {"seat": seat, "decision": choice, "confidence": 90, "risk": 10, "reasoning": "so"}
        for seat, choice in zip(seats, choices, strict=True)
    ]
    return json.dumps(cast)


@pytest.mark.parametrize(
    ("choices", "bare", "act", "warn"),
    [
        (("ACT", "ACT", "ACT"), 0, 0, 20),
        (("ACT", "ACT", "WARN"), 0, 0, 20),
        (("WARN", "WARN", "WARN"), 10, 20, 0),
        (("ACT", "WARN", "REFUSE"), 10, 10, 10),
        (("REFUSE", "REFUSE", "ACT"), 20, 20, 20),
        (("ACT", "ACT", "VETO"), 20, 20, 20),
    ],
)
def test_the_gate_sets_the_exit_code(
    quorate: Quorate, choices: tuple[str, ...], bare: int, act: int, warn: int
) -> None:
    given = ballots(*choices)

    assert quorate("decide", "-", stdin=given).code == 0
    assert quorate("decide", "-", "--gate", stdin=given).code == bare
    assert quorate("decide", "-", "--gate", "ACT", stdin=given).code == act
    assert quorate("decide", "-", "--gate", "warn", stdin=given).code == warn


@pytest.mark.parametrize(
    ("gate", "state", "verdict", "code"),
    [
        ("", "waiting", None, 30),
        ("YES", "waiting", None, 30),
        ("", "halted", None, 1),
        ("", "turned_away", Verdict(outcome="REFUSE", decided=False, rule="", because=""), 20),
        ("YES", "turned_away", Verdict(outcome=None, decided=False, rule="", because=""), 20),
        (
            "YES",
            "decided",
            Verdict(outcome="YES", decided=True, rule="", because="", requires_human_review=True),
            10,
        ),
        ("YES", "decided", Verdict(outcome=None, decided=False, rule="", because=""), 10),
    ],
)
def test_a_gate_lets_nothing_through_that_was_not_decided(
    gate: str, state: str, verdict: Verdict | None, code: int
) -> None:
    decision = Decision(verdict, Tally(eligible=(), options=()), presets.rulebook("tribunal")) if verdict else None

    assert Gate(gate).code(Result(decision=decision, state=state)) == code


def test_a_demo_panel_opens_no_gate_for_the_careful_outcome_either(quorate: Quorate) -> None:
    told = quorate("ask", "Should we?", "--panel", "demo", "--quiet", "--gate", "WARN")

    assert told.out.startswith("WARN")
    assert told.code == 10


def test_an_option_that_a_demo_panel_chose_opens_no_gate() -> None:
    verdict = Verdict(outcome="Blue", decided=True, rule="plurality", because="")

    def code(*, demo: bool) -> int:
        tally = Tally(eligible=("Ann",), options=(), demo=demo)
        decision = Decision(verdict, tally, presets.rulebook("plurality"))
        return Gate("Blue").code(Result(decision=decision, state="decided"))

    assert (code(demo=False), code(demo=True)) == (0, 10)


def test_an_outcome_there_is_not_is_refused_before_anybody_is_asked(quorate: Quorate) -> None:
    told = quorate("ask", "Should we?", "--panel", "demo", "--gate", "MAYBE")

    assert told.code == 1
    assert "MAYBE" in told.err
    assert "ACT, WARN, REFUSE" in told.err
    assert quorate("list").out == ""


def test_every_exit_code_is_in_the_help(quorate: Quorate) -> None:
    told = quorate("--help")

    assert all(f"{code:>3}  {meaning[:30]}" in told.out for code, meaning in TABLE)
    assert [code for code, _ in TABLE] == [0, 1, 2, 3, 10, 20, 30, 129, 130, 143]
