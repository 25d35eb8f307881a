"""Approvals handed over in a file are decided as the protocol would."""

import json
from typing import Any

import pytest

from quorate.offline.decide import decide_ballots


def decided(*approved: object) -> Any:  # noqa: ANN401 - a JSON document
    ballots = [{"seat": f"s{at}", "approved": one, "confidence": 0.8} for at, one in enumerate(approved)]
    return decide_ballots(json.dumps(ballots), rulebook="approval")["verdict"]


def test_the_file_is_the_panel_and_the_most_approved_option_wins() -> None:
    found = decided(["A", "C"], "C, B", [])

    assert (found["outcome"], found["rule"]) == ("C", "most_approved")
    assert [vote["approved"] for vote in found["votes"]] == [["A", "C"], ["C", "B"], []]
    assert found["votes"][0]["choice"] == "A, C"
    assert found["dissent"] == ["s2"]


def test_what_cannot_be_read_is_silence_and_never_approval() -> None:
    found = decided(["A"], None, ["<option>"])

    assert (found["outcome"], found["decided"], found["rule"]) == (None, False, "quorum")
    assert found["participation"]["failed"] == 2


@pytest.mark.parametrize("words", ["abstain", "None of them", "null", "<option>"])
def test_to_abstain_is_no_option_that_others_could_be_approved_beside(words: str) -> None:
    found = decided([words, "A"], [words, "B"], [words, "C"])

    assert (found["outcome"], found["decided"], found["participation"]["failed"]) == (None, False, 3)


def test_an_option_is_one_however_seats_write_it() -> None:
    found = decided(["Tuesday", "Friday"], ["tuesday"], ["Friday."], [" TUESDAY "])

    assert (found["outcome"], found["agreement"]) == ("Tuesday", 0.75)
    assert [vote["approved"] for vote in found["votes"]][1] == ["Tuesday"]


@pytest.mark.parametrize("reason", ["timed out!", 5, "", ["timeout"], True])
def test_who_is_given_as_silent_has_no_vote_whatever_the_reason_is_written_as(reason: object) -> None:
    ballots = [{"seat": seat, "approved": ["A"], "silence": reason} for seat in ("X", "Y")]
    found: Any = decide_ballots(json.dumps(ballots), rulebook="approval")["verdict"]

    assert (found["outcome"], found["participation"]["failed"]) == (None, 2)
