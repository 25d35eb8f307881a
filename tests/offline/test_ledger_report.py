"""What a report over many deliberations says of agreement and of tokens."""

import json

import pytest

from quorate.model import Asked, Convened, Decided, Question, Spoken
from quorate.offline.decide import ballot_result
from quorate.offline.ledger_report import report_on
from tests.play import convened, play, words
from tests.tribunal import PANEL

ACT, REFUSE = ({"decision": one, "confidence": 90, "risk": 40} for one in ("ACT", "REFUSE"))
NAMED = {"option": "what we assumed (so far)"}


@pytest.mark.parametrize(
    ("ballots", "rulebook", "rate"),
    [
        ((REFUSE, REFUSE, REFUSE), "tribunal", 1),
        ((REFUSE, REFUSE, {"silence": "timeout"}), "tribunal", 0),
        ((ACT, ACT, ACT), "strict", 0),
        ((NAMED, NAMED, NAMED), "plurality", 1),
    ],
    ids=["all", "one assumed", "all chose something else", "an option that reads like our note"],
)
def test_all_agreed_means_that_every_seat_itself_chose_the_outcome(
    ballots: tuple[dict[str, object], ...], rulebook: str, rate: int
) -> None:
    listed = [{"seat": f"s{at}", **one} for at, one in enumerate(ballots)]
    held = ballot_result(json.dumps(listed), rulebook=rulebook)
    first = held.state.convened
    begun = Convened(question=Question(text="?"), panel=first.panel, protocol=first.protocol, rulebook=first.rulebook)

    (figures,) = report_on([(begun, Decided(verdict=held.decision.verdict))]).protocols.values()

    assert figures.decided == 1
    assert figures.consensus_rate == rate


def asked(spoken: Spoken) -> Asked:
    return Asked(**spoken.key._asdict(), model="openai:small")


def test_tokens_that_no_reply_counts_are_unknown_and_not_nought() -> None:
    held = play(convened(PANEL), words)
    report = report_on([[held[0], *(one for said in held if isinstance(said, Spoken) for one in (asked(said), said))]])

    assert report.models["openai:small"].document() == {"calls": 12, "tokens": None, "money": None}
    assert "  openai:small     12  unknown  unknown" in list(report.lines())
    unanswered = report_on([[held[0], *(asked(said) for said in held if isinstance(said, Spoken))]])
    assert unanswered.seats["Safety"].tokens is None
