"""Arguments handed over and weighed, no model asked."""

import json

import pytest

from quorate.errors import BadSetting, UnknownName
from quorate.offline.decide import decide_text

PRO = {"seat": "Proponent", "claims": ["It saves money"], "evidence": ["It took 300 euros"], "confidence": 0.8}
CON = {"seat": "Opponent", "claims": ["It is the only archive"], "evidence": ["It could matter"], "confidence": 0.8}


def weighed(*said: object, rulebook: str = "debate") -> tuple[str | None, str]:
    verdict = decide_text(json.dumps(said), rulebook=rulebook).verdict
    return verdict.outcome, verdict.rule


def test_arguments_are_weighed_as_if_the_debate_had_been_held() -> None:
    assert weighed(PRO, CON) == ("SUPPORT", "confidence_weighted")
    assert weighed(PRO, CON, rulebook="debate_evidence") == ("SUPPORT", "evidence_based")
    assert weighed(PRO, CON, rulebook="debate_rounds") == ("SUPPORT", "majority_vote")


def test_one_side_alone_wins_nothing_however_many_rounds_it_fills() -> None:
    assert weighed(PRO, {**PRO, "round": 2}) == ("UNCERTAIN", "one_sided")
    assert weighed(PRO, {**CON, "round": 2}) == ("UNCERTAIN", "one_sided")
    assert weighed(PRO, {**CON, "confidence": "NaN"}) == ("UNCERTAIN", "one_sided")


def test_what_is_no_list_of_arguments_is_refused() -> None:
    for said in ("nonsense", '{"seat": "Proponent"}', '[{"round": 1}]', '[{"seat": "Proponent", "round": 0}]', "[]"):
        with pytest.raises(BadSetting):
            decide_text(said, rulebook="debate")
    with pytest.raises(BadSetting, match="speaks twice in round 1"):
        weighed(PRO, PRO)
    with pytest.raises(UnknownName, match="no seat 'Nobody'"):
        weighed({**PRO, "seat": "Nobody"})


def test_of_two_equal_cases_that_share_no_word_the_one_that_came_first_wins_as_the_explanation_says() -> None:
    con = {**CON, "evidence": PRO["evidence"]}
    assert weighed(PRO, con) == ("SUPPORT", "confidence_weighted")
    assert weighed(PRO, {**con, "claims": ["It saves money only on paper"]}) == ("UNCERTAIN", "confidence_weighted")
