"""The rules of approval say nothing of ballots that are none."""

import json
from fractions import Fraction

import pytest

from quorate import presets
from quorate.errors import BadSetting
from quorate.model import Estimate, Ranking, Tally, Voice, Vote
from quorate.offline.decide import decide_ballots
from quorate.rules import decide


@pytest.mark.parametrize(
    ("protocol", "vote"),
    [("ranked", {"ranking": ["A", "B"]}), ("delphi", {"value": 12}), ("conference", {"choice": "A"})],
)
def test_nobody_is_said_to_approve_who_gave_another_kind_of_ballot(protocol: str, vote: dict[str, object]) -> None:
    ballots = json.dumps([{"seat": seat, "confidence": 0.5, **vote} for seat in ("X", "Y", "Z")])

    with pytest.raises(BadSetting, match="looks into approvals"):
        decide_ballots(ballots, protocol=protocol, rulebook="approval")


@pytest.mark.parametrize("vote", [Ranking((("A",), ("B",))), Estimate(Fraction(12)), None])
def test_the_rules_themselves_decide_nothing_on_other_votes(vote: Vote | None) -> None:
    seats = ("X", "Y", "Z")
    voices = tuple(Voice(seat=seat, option="A", vote=vote) for seat in seats)
    found = decide(Tally(eligible=seats, options=(), voices=voices), presets.rulebook("approval"))

    assert (found.outcome, found.decided, found.rule) == (None, False, "none_most_approved")
    assert "say nothing of what a seat approves of" in found.because
