"""`may_act` is true for nothing but the boldest outcome of a scale, decided, that stands."""

from dataclasses import replace
from fractions import Fraction

import pytest

from quorate.doors.cli.record_list import say_list
from quorate.ledger import Summary
from quorate.model import Origin, Tally, Verdict, Voice
from quorate.model.events import Interface
from quorate.offline.ledger_list import ListedRecord
from quorate.presets import rulebook
from quorate.views.result import Decision, Result, Review

SCALES: dict[str, tuple[str, ...]] = {
    "tribunal": ("ACT", "WARN", "REFUSE"),
    "debate": ("SUPPORT", "UNCERTAIN", "OPPOSE"),
    "oracle": ("YES", "UNDETERMINED", "NO"),
    "options": ("Kafka", "NATS", "UNDETERMINED"),
    "open": (),
}


def result(
    outcome: str | None, scale: str, *, decided: bool = True, review: bool = False, demo: bool = False
) -> Result:
    options = SCALES[scale]
    voices = (Voice(seat="a", option=outcome or "", confidence=Fraction(1)),)
    tally = Tally(eligible=("a",), options=options, voices=voices, demo=demo)
    verdict = Verdict(outcome=outcome, decided=decided, rule="r", because="b", requires_human_review=review)
    return Result(decision=Decision(verdict, tally, rulebook("tribunal")), state="decided")


def reviewed(outcome: str, interface: Interface) -> Review:
    return Review(outcome=outcome, by="ann", because="so", origin=Origin(interface=interface))


@pytest.mark.parametrize(
    ("scale", "bold", "others"),
    [
        ("tribunal", ("ACT",), ("WARN", "REFUSE", None)),
        ("debate", ("SUPPORT",), ("UNCERTAIN", "OPPOSE", None)),
        ("oracle", ("YES",), ("UNDETERMINED", "NO", "INVALID", None)),
        ("options", ("Kafka", "NATS"), ("UNDETERMINED", "INVALID", None)),
        ("open", ("Kafka",), (None, "")),
    ],
)
def test_only_the_boldest_outcome_of_a_scale_may_be_acted_on(
    scale: str, bold: tuple[str, ...], others: tuple[str | None, ...]
) -> None:
    assert [result(outcome, scale).may_act for outcome in bold] == [True] * len(bold)
    assert [result(outcome, scale).may_act for outcome in others] == [False] * len(others)


def test_what_is_undecided_for_a_person_or_a_demonstration_may_not() -> None:
    assert not result("ACT", "tribunal", decided=False).may_act
    assert not result("ACT", "tribunal", review=True).may_act
    assert not result("ACT", "tribunal", demo=True).may_act
    assert not Result(decision=None, state="failed").may_act


@pytest.mark.parametrize("interface", ["api", "mcp", "command", "python", "imported"])
def test_a_review_that_could_be_a_program_s_may_only_take_it_back(interface: Interface) -> None:
    act, warn = result("ACT", "tribunal"), result("WARN", "tribunal")

    assert replace(act, reviews=(reviewed("ACT", interface),)).may_act
    assert not replace(act, reviews=(reviewed("REFUSE", interface),)).may_act
    assert not replace(act, reviews=(reviewed("REFUSE", interface), reviewed("ACT", interface))).may_act
    assert not replace(warn, reviews=(reviewed("ACT", interface),)).may_act


def test_the_owner_s_word_is_the_last() -> None:
    held = result("ACT", "tribunal", review=True)

    assert replace(held, reviews=(reviewed("ACT", "terminal"),)).may_act
    assert not replace(held, reviews=(reviewed("ACT", "terminal"), reviewed("WARN", "api"))).may_act
    assert replace(held, reviews=(reviewed("REFUSE", "api"), reviewed("ACT", "page"))).may_act


def test_what_is_running_is_listed_as_running_and_not_as_halted(capsys: pytest.CaptureFixture[str]) -> None:
    listed = ListedRecord(Summary(id="a" * 26, question="Shall we?"), "unfinished", running=True)

    say_list([listed], as_json=True)
    say_list([listed], as_json=False)

    out = capsys.readouterr().out
    assert '"state": "running"' in out
    assert "halted" not in out
