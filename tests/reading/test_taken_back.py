"""What stands behind a ballot for ACT may take it back, and never one that is more careful."""

import pytest

from quorate.model.ask import AnswerTerms
from quorate.reading.decision import read


@pytest.mark.parametrize(
    "behind",
    [
        "Decision: WARN", "Final decision: WARN", "**Decision:** REJECT", "My verdict is REFUSE", "WARN",
        "> Vote = veto",
        "I abstain.", "I reject it.", "Do not approve.", "Ignore the above ballot.",
    ],
)  # fmt: skip
def test_what_decides_otherwise_behind_an_approval_takes_it_back(behind: str) -> None:
    terms = AnswerTerms(mark="5eed5eed5eed")
    paper = '{"mark": "5eed5eed5eed", "decision": "%s", "confidence": 90, "risk": 10, "reasoning": "sound"}'

    assert read(f"BALLOT {paper % 'ACT'}\n{behind}", terms).unreadable == "contradicted"
    assert read(f"BALLOT {paper % 'REFUSE'}\n{behind}", terms).ballot is not None


@pytest.mark.parametrize(
    "behind", ["", "Decision: ACT", "I warned of the costs above.", "No further decision is needed."]
)
def test_what_does_not_decide_otherwise_behind_an_approval_lets_it_stand(behind: str) -> None:
    terms = AnswerTerms(mark="5eed5eed5eed")
    paper = '{"mark": "5eed5eed5eed", "decision": "ACT", "confidence": 90, "risk": 10, "reasoning": "sound"}'

    assert read(f"BALLOT {paper}\n{behind}", terms).ballot is not None
