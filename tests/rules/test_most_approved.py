"""The rules of approval say nothing of ballots that are none."""

import json

import pytest

from quorate.offline.decide import decide_ballots


@pytest.mark.parametrize(
    ("protocol", "vote"),
    [("ranked", {"ranking": ["A", "B"]}), ("delphi", {"value": 12}), ("conference", {"choice": "A"})],
)
def test_nobody_is_said_to_approve_who_gave_another_kind_of_ballot(protocol: str, vote: dict[str, object]) -> None:
    ballots = [{"seat": seat, "confidence": 0.5, **vote} for seat in ("X", "Y", "Z")]
    found = decide_ballots(json.dumps(ballots), protocol=protocol, rulebook="approval")["verdict"]

    assert isinstance(found, dict)
    assert (found["outcome"], found["decided"], found["rule"]) == (None, False, "none_most_approved")
    assert "say nothing of what a seat approves of" in str(found["because"])
