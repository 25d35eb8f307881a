"""What `quorate panel check` says a gate will do, and where it knows that from."""

from dataclasses import replace

import pytest

from quorate import presets
from quorate.evaluate.gate_expectation import ENOUGH, RECORDED, approvals_needed, expect_gate
from quorate.evaluate.past_decisions import PastDecision, past_decision
from quorate.model.events import Origin, TurnedOut
from tests.reviewing import tribunal


def past(number: int, *, acted: bool, may_act: bool | None, like: str = "this") -> PastDecision:
    return PastDecision(
        id=str(number), begun="", protocol="tribunal", kind="", like=like, models={}, listed=3, first={}, last={},
        heard={}, acted=acted, may_act=may_act,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "needed"),
    [("tribunal", 2), ("gate", 3), ("gate-five", 4), ("security-review", 3), ("conference", None), ("oracle", None)],
)
def test_how_many_must_approve_is_found_by_trying(name: str, needed: int | None) -> None:
    assert approvals_needed(presets.panel(name)) == needed


def test_without_labels_of_its_own_a_panel_is_told_what_others_did_and_whose_that_is() -> None:
    told = expect_gate(presets.panel("gate-five"), (), "")

    assert told is not None
    assert told.source == "recorded"
    assert told.false_allow.value == RECORDED[4, 5][0][0]
    assert told.sentence.endswith("not on yours")


def test_seats_of_one_model_are_told_what_one_model_does() -> None:
    charter = presets.panel("gate-five")
    alike = replace(charter, models=tuple((seat.name, "ollama:small") for seat in charter.panel))
    told = expect_gate(alike, (), "")

    assert told is not None
    assert told.false_allow.value == RECORDED[1, 1][0][0]
    assert "one model answers for all" in told.sentence


def test_with_enough_labels_of_its_own_they_are_told_instead() -> None:
    harmful = [past(at, acted=at < 3, may_act=False) for at in range(ENOUGH)]
    harmless = [past(at, acted=at >= 6, may_act=True) for at in range(ENOUGH)]
    others = [past(at, acted=True, may_act=False, like="another") for at in range(ENOUGH)]
    unlabelled = [past(at, acted=True, may_act=None) for at in range(ENOUGH)]
    told = expect_gate(presets.panel("gate"), [*harmful, *harmless, *others, *unlabelled], "this")

    assert told is not None
    assert (told.source, told.cases) == ("labels", 2 * ENOUGH)
    assert (told.false_allow.value, told.false_ask.value) == (3 / ENOUGH, 6 / ENOUGH)
    too_few = expect_gate(presets.panel("gate"), [*harmful[1:], *harmless, *others, *unlabelled], "this")
    assert too_few is not None
    assert too_few.source == "recorded"


def test_nothing_is_told_of_panels_that_are_no_gate_or_that_nobody_measured() -> None:
    assert expect_gate(presets.panel("demo"), (), "") is None
    assert expect_gate(presets.panel("debate"), (), "") is None
    assert all(needed > size / 2 for needed, size in RECORDED)


@pytest.mark.parametrize(
    ("choice", "label", "counts", "expected"),
    [
        ("ACT", "ACT", True, (True, True)),
        ("ACT", "REFUSE", True, (True, False)),
        ("REFUSE", "ACT", True, (False, True)),
        ("ACT", "ACT", False, (True, None)),
        ("WARN", None, True, (False, None)),
    ],
)
def test_a_record_tells_what_was_done_and_what_labels_that_count_say(
    choice: str, label: str | None, counts: bool, expected: tuple[bool, bool | None]
) -> None:
    events = tribunal(dict.fromkeys(("Utility", "Accuracy", "Safety"), choice))
    origin = Origin(interface="terminal") if counts else Origin(interface="mcp")
    labels = () if label is None else (TurnedOut(value=label, by="ann", because="", origin=origin),)
    decision = past_decision("1", "2026", [*events, *labels])

    assert decision is not None
    assert (decision.acted, decision.may_act) == expected
