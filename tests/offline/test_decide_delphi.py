"""Estimates handed over in a file are decided as the protocol would."""

import json
from typing import Any

from quorate.offline.decide import decide_ballots


def decided(*values: object) -> Any:  # noqa: ANN401 - a JSON document
    ballots = [{"seat": f"s{at}", "value": value, "confidence": 0.8} for at, value in enumerate(values)]
    return decide_ballots(json.dumps(ballots), rulebook="delphi")["verdict"]


def test_numbers_close_together_are_decided_by_their_median() -> None:
    found = decided(12, 12.5, "1,2")

    assert (found["outcome"], found["rule"]) == (None, "no_agreement")
    found = decided(12, 12.5, 12)
    assert (found["outcome"], found["rule"], found["agreement"]) == ("12", "close_median", 1)
    assert found["votes"][1]["estimate"] == {"value": 12.5, "low": None, "high": None}


def test_one_number_alone_is_never_an_agreement() -> None:
    assert decided(12)["outcome"] is None
    assert decided(12)["requires_human_review"]
    assert decided(12)["because"] == "no agreement: there is one estimate, 12, and no other to compare it with"
