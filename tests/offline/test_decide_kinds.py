"""Every kind of ballot is taken from a file, and what cannot be read is told by its number."""

import json

import pytest

from quorate.errors import BadSetting
from quorate.offline.decide import ballot_result

CONFERENCE: list[dict[str, object]] = [{"seat": name, "option": "Kafka", "confidence": 0.8} for name in "ABC"]
FILES: dict[str, list[dict[str, object]]] = {
    "ranked": [{"seat": name, "ranking": ["x", "y"]} for name in "ABC"],
    "approval": [{"seat": name, "approved": ["y"] if name == "C" else ["x", "y"]} for name in "ABC"],
    "delphi": [{"seat": name, "value": 10 + at} for at, name in enumerate("ABC")],
    "conference": CONFERENCE,
    "debate": [
        {"seat": "Proponent", "claims": ["It pays for itself."], "evidence": ["A study of 2024"], "confidence": 0.8},
        {"seat": "Opponent", "claims": ["It costs too much."], "confidence": 0.6},
    ],
}


@pytest.mark.parametrize("protocol", FILES)
def test_a_file_of_another_kind_is_counted_as_what_it_is_and_says_so(protocol: str) -> None:
    text = json.dumps(FILES[protocol])
    found, named = ballot_result(text), ballot_result(text, protocol=protocol)

    assert found.state.convened.protocol == protocol
    assert found.decision.verdict.outcome == named.decision.verdict.outcome
    assert "read_as" in {caution.name for caution in found.decision.verdict.cautions}
    assert "read_as" not in {caution.name for caution in named.decision.verdict.cautions}


def test_a_file_of_another_kind_than_was_named_is_refused_with_what_to_type() -> None:
    for protocol in ("tribunal", "ranked", "approval"):
        with pytest.raises(BadSetting, match=f"fits protocol {protocol}; they fit conference"):
            ballot_result(json.dumps(CONFERENCE), protocol=protocol)


def test_what_cannot_be_read_is_told_by_its_number_and_never_counts_as_approval() -> None:
    given = [{"seat": "A", "decision": "ACT"}, {"seat": "B", "decision": "MAYBE"}, {"seat": "C", "confidence": 80}]
    verdict = ballot_result(json.dumps(given)).decision.verdict
    told = [caution.text for caution in verdict.cautions if caution.name == "misread"]

    assert [text.partition(";")[0] for text in told] == [
        "ballot 2 (B) cannot be read: bad_decision",
        "ballot 3 (C) cannot be read: no_ballot",
    ]
    assert verdict.outcome == "REFUSE"


def test_what_is_nobodys_kind_is_silence_with_a_word_on_each() -> None:
    verdict = ballot_result('[{"seat": "A", "colour": "red"}, {"seat": "B", "silence": "timeout"}]').decision.verdict

    assert (verdict.outcome, verdict.rule) == ("REFUSE", "all_silent")
    assert [caution.seat for caution in verdict.cautions if caution.name == "misread"] == ["A"]


def test_a_debate_of_several_rounds_is_recognised_too() -> None:
    rounds = [{**one, "round": at} for at in (1, 2) for one in FILES["debate"]]

    found = ballot_result(json.dumps(rounds))

    assert found.state.convened.protocol == "debate"
    assert found.decision.verdict.rule == "confidence_weighted"


def test_a_seat_that_votes_twice_is_refused_as_ever() -> None:
    with pytest.raises(BadSetting, match="a seat votes once"):
        ballot_result('[{"seat": "A", "decision": "ACT"}, {"seat": "A", "decision": "ACT"}]')


def test_a_file_of_no_kind_is_answered_with_how_to_see_the_others() -> None:
    given = '[{"seat": "A", "vote": "Kafka"}]'

    def told(protocol: str | None) -> list[str]:
        cautions = ballot_result(given, protocol=protocol).decision.verdict.cautions
        return [caution.text for caution in cautions if caution.name == "read_as"]

    (text,) = told(None)
    assert text.startswith("these ballots fit no protocol, so protocol tribunal counted none of them; ")
    assert "name a protocol: approval, conference, debate" in text
    assert told("conference") == []
