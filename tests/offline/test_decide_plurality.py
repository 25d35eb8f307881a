"""Ballots with open options: decided by plurality, and a closed list verified."""

import json
from typing import Any

import pytest

from quorate.engine.verify import verify_record
from quorate.model import Spoken
from quorate.offline.decide import decide_ballots, decide_text, protocol_of
from quorate.presets import panel
from tests.views.discussion import discussed


def ballots(*options: object, **more: object) -> str:
    return json.dumps(
        [{"seat": f"s{at}", "option": option, "confidence": 0.8} | more for at, option in enumerate(options)]
    )


def plurality(text: str) -> Any:  # noqa: ANN401 - a JSON document
    return decide_ballots(text, rulebook="plurality")


@pytest.mark.parametrize(
    ("options", "outcome", "rule"),
    [
        (("Use SQLite",) * 3, "Use SQLite", "unanimous"),
        (("Use SQLite", "Use PostgreSQL", "Use SQLite"), "Use SQLite", "plurality"),
        (("Option A", "Option B", "Option C"), None, "no_winner"),
        (("ABSTAIN", "Abstain", "Use SQLite"), None, "quorum"),
        (("ABSTAIN",) * 3, None, "all_silent"),
        (("Your choice", "<your choice>", ""), None, "all_silent"),
        ((None, True, []), None, "all_silent"),
    ],
)
def test_the_option_with_most_votes_wins(options: tuple[object, ...], outcome: str | None, rule: str) -> None:
    verdict = plurality(ballots(*options))["verdict"]

    assert (verdict["outcome"], verdict["rule"]) == (outcome, rule)
    assert verdict["decided"] is (outcome is not None)


def test_options_that_mean_the_same_are_counted_as_one_and_the_reason_is_shown() -> None:
    options = ("Self-documenting code", "Prioritize self-documenting code", "Focus on comprehensive unit tests")

    shown = plurality(ballots(*options))

    assert shown["verdict"]["outcome"] == options[0]
    assert shown["grouping"]["groups"][0] == {"name": options[0], "options": list(options[:2])}
    assert [pair["merged"] for pair in shown["grouping"]["pairs"]] == [True, False, False]
    assert shown["grouping"]["backend"]


@pytest.mark.parametrize("confidence", [1.5, -0.1, True, "NaN", 80, "80 of 100"])
def test_a_confidence_that_is_no_share_is_no_vote(confidence: object) -> None:
    decision = decide_text(ballots("Use SQLite", confidence=confidence), rulebook="plurality")

    assert decision.verdict.outcome is None
    assert [gone.why for gone in decision.tally.silent] == ["bad_number"]


def test_the_seats_of_the_file_are_the_panel_and_abstentions_are_counted_apart() -> None:
    shown = plurality(ballots("Use SQLite", "Use SQLite", "ABSTAIN", "Your choice", "Use SQLite"))["verdict"]

    assert shown["participation"] == {
        "eligible": 5,
        "received": 3,
        "carried": 0,
        "abstained": 1,
        "failed": 1,
        "not_needed": 0,
    }
    assert shown["agreement"] == pytest.approx(0.6)
    assert [(one["name"], one["seat"]) for one in shown["cautions"]] == [
        ("misread", "s3"),
        ("equal_confidences", None),
    ]


def test_seats_of_a_given_panel_that_cast_none_are_silent() -> None:
    text = json.dumps([{"seat": "alpha", "option": "Use SQLite", "confidence": 1}])

    decision = decide_text(text, charter=panel("conference"))

    assert (decision.verdict.rule, len(decision.tally.eligible)) == ("quorum", 3)


@pytest.mark.parametrize(
    ("rulebook", "protocol", "chosen"),
    [("plurality", None, "conference"), ("strict", None, "tribunal"), ("plurality", "tribunal", "tribunal")],
)
def test_a_rulebook_brings_its_own_protocol(rulebook: str, protocol: str | None, chosen: str) -> None:
    assert protocol_of(None, rulebook, protocol) == chosen


def test_votes_on_a_closed_list_are_read_and_verified_against_the_list() -> None:
    first = {
        (seat, "1"): (option, 0.7, True)
        for seat, option in zip(SEATS, ("Use SQLite", "Use DuckDB", "Use Redis"), strict=True)
    }
    later = {(seat, "2"): ("2", 0.9, False) for seat in SEATS}

    record = discussed(first | later, ("options", "nominated"))

    chosen = [event.ballot.choice for event in record.events if isinstance(event, Spoken) and event.ballot]
    assert chosen[-3:] == ["Use DuckDB"] * 3
    checked = verify_record(record)
    assert (checked.same, checked.notes) == (True, ())


SEATS = ("Alpha", "Beta", "Gamma")
