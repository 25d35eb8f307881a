"""The S4 views agree with each other and with the verdict, whoever is silent, vetoes or is outvoted."""

from typing import Any

import pytest

from quorate import chair, presets
from quorate.errors import BadSetting
from quorate.model import Admitted, Ballot, Convened, Decided, Event, Question, Reply, Silent, Spoken
from quorate.offline.decide import ballot_result
from quorate.rules import decide
from quorate.views import Record
from quorate.views.compat.s4 import s4, s4_decision
from quorate.views.compat.s4_log import s4_log
from quorate.views.result import Decision
from tests.tribunal import ACCURACY, PANEL, SAFETY, UTILITY, ballot, tally_of

BOOK = presets.rulebook("tribunal")
SEATS = (UTILITY, ACCURACY, SAFETY)


def record(*final: Ballot | str | None, veto: str = "final") -> Record:
    """A tribunal whose seats open and end with these ballots; a word is why one is silent in the end."""
    charter = presets.panel("tribunal")
    convened = Convened(
        question=Question(text="Delete it?"), panel=charter.panel, protocol="tribunal", rulebook=BOOK,
        settings=(("veto", veto),),
    )  # fmt: skip
    events: list[Event] = [convened, Admitted(version=chair.VERSION)]
    for seat, cast in zip(SEATS, final, strict=True):
        if cast is not None:
            opened = cast if isinstance(cast, Ballot) else ballot("ACT")
            events.append(Spoken(round="analysis", seat=seat.name, reply=Reply(text="words"), ballot=opened))
    if veto == "final":
        events += [_last(seat.name, cast) for seat, cast in zip(SEATS, final, strict=True) if cast is not None]
    state = chair.replay(events, check=False)
    return Record(id="r", events=(*events, Decided(verdict=chair.verdict_of(state), version=chair.VERSION)))


def _last(seat: str, cast: Ballot | str) -> Event:
    if isinstance(cast, str):
        return Silent(round="revision", seat=seat, why=cast)
    return Spoken(round="revision", seat=seat, reply=Reply(text="words"), ballot=cast)


def metadata(shown: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = shown["metadata"]
    return found


CASES = {
    "a seat is silent": record(ballot("ACT"), "timeout", ballot("ACT")),
    "a seat declined": record(ballot("ACT"), "refusal", ballot("WARN")),
    "a seat was never heard": record(ballot("ACT"), None, ballot("REFUSE")),
    "a veto at once": record(ballot("ACT"), ballot("ACT"), ballot("VETO", 90, 80), veto="immediate"),
    "all silent": record("timeout", "timeout", "timeout"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_log_holds_every_vote_that_the_decision_counts(case: str) -> None:
    log: dict[str, Any] = s4_log(CASES[case])
    decided = metadata(log["final_decision"])
    votes = log["rounds"][3]["votes"]

    assert [vote["agent"] for vote in votes] == [f"{vote['agent']} Agent" for vote in decided["individual_votes"]]
    assert sum(decided["vote_breakdown"].values()) == len(votes) == (1 if case == "a veto at once" else 3)
    for vote in votes:
        assert vote["assumed"] is (vote["reasoning"].startswith("silent"))
        assert not vote["assumed"] or (vote["confidence"], vote["risk"], vote["decision"]) == (50, 75, "REFUSE")


def test_nobody_voted_is_not_a_split() -> None:
    shown = metadata(s4(CASES["all silent"]))

    assert (shown["consensus_type"], shown["agreement_percentage"], shown["dissenting_votes"]) == ("no_votes", None, 0)


def test_an_assumed_vote_is_no_dissent() -> None:
    tally = tally_of([ballot("ACT"), None, ballot("ACT")], PANEL)
    shown: dict[str, Any] = s4_decision(Decision(decide(tally, BOOK), tally, BOOK))

    assert shown["reasoning"] == "✅ Strong majority (2/3): Proceeding with ACT despite one vote assumed"
    assert metadata(shown)["dissenting_votes"] == 0


def test_a_veto_at_once_is_told_with_its_reason() -> None:
    shown = metadata(s4(CASES["a veto at once"]))

    assert (shown["veto_agent"], shown["veto_reason"], shown["veto_risk"]) == ("Safety Agent", "because", 80)
    assert (shown["consensus_type"], shown["high_risk"]) == ("veto", ["Safety"])


def test_all_who_warn_are_told_in_their_own_sentence() -> None:
    tally = tally_of([ballot("WARN"), ballot("WARN"), ballot("WARN", risk=80)], PANEL)
    shown: dict[str, Any] = s4_decision(Decision(decide(tally, BOOK), tally, BOOK))

    assert shown["reasoning"] == "⚠️ Unanimous caution: All agents recommend careful consideration"
    assert metadata(shown)["high_risk"] == ["Safety"]


def test_ballots_in_a_file_are_shown_so_too_and_other_outcomes_are_not() -> None:
    given = ballot_result('[{"seat": "Utility", "decision": "ACT"}, {"seat": "Safety", "decision": "WARN"}]')
    found = ballot_result('[{"seat": "A", "vote": "Kafka"}]', protocol="conference")

    assert metadata(given.s4())["vote_breakdown"] == {"ACT": 1, "WARN": 1, "REFUSE": 1}
    with pytest.raises(BadSetting, match="something else"):
        found.s4()
