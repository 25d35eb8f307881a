"""Conditions, and what would change a vote, are read in every form that decides, kept, and asked for."""

from collections.abc import Mapping
from typing import Final

import pytest

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.reading.text.answer_file import FileAnswer

OURS: Final = "0123456789ab"
TERMS: Final = AnswerTerms(mark=OURS)
REMARKS: Final = '"conditions": ["Take a backup.", "Tell Ann."], "would_change": "A test that fails."'
BALLOTS: Final[Mapping[str, str]] = {
    "decision": '"decision": "WARN", "confidence": 70, "risk": 30, "reasoning": "r"',
    "vote": '"option": "Kafka", "confidence": 0.7, "rationale": "r"',
    "approval": '"approved": ["Kafka"], "confidence": 0.7, "rationale": "r"',
    "ranking": '"ranking": ["Kafka", "NATS"], "confidence": 0.7, "rationale": "r"',
    "estimate": '"value": 12, "confidence": 0.7, "rationale": "r"',
    "finding": '"outcome": "YES", "confidence": 0.7, "reasoning": "r", "evidence": []',
}


@pytest.mark.parametrize("form", BALLOTS)
def test_a_ballot_says_its_conditions_and_what_would_change_it(form: str) -> None:
    read = catalogue.form(form).read(f'BALLOT {{"mark": "{OURS}", {BALLOTS[form]}, {REMARKS}}}', TERMS)

    assert read.ballot is not None, read.unreadable
    assert read.ballot.conditions == ("Take a backup.", "Tell Ann.")
    assert read.ballot.would_change == "A test that fails."


@pytest.mark.parametrize("form", BALLOTS)
def test_both_may_be_left_out_or_copied_from_the_pattern(form: str) -> None:
    copied = '"conditions": [<condition>, <condition>], "would_change": <fact in quotes>'
    for remarks in ("", '"conditions": [], "would_change": ""', copied):
        stated = ", ".join(filter(None, (BALLOTS[form], remarks)))
        read = catalogue.form(form).read(f'BALLOT {{"mark": "{OURS}", {stated}}}', TERMS)

        assert read.ballot is not None, (remarks, read.unreadable)
        assert (read.ballot.conditions, read.ballot.would_change) == ((), ""), remarks


@pytest.mark.parametrize("form", BALLOTS)
def test_a_seat_is_asked_what_would_change_its_vote_and_a_provider_can_enforce_it(form: str) -> None:
    spec = catalogue.form(form)
    properties = spec.schema(TERMS)["properties"]

    assert "- would_change: " in spec.instructions(TERMS)
    assert isinstance(properties, Mapping)
    assert "would_change" in properties
    assert ("conditions" in properties) is (form == "decision")


def test_a_ballot_of_a_file_may_state_them_too() -> None:
    fields = {"option": "Kafka", "conditions": ["Take a backup."], "would_change": "A test that fails."}
    ballot = FileAnswer(seat="Ann", round=1, fields=fields).read("vote", ()).ballot

    assert ballot is not None
    assert (ballot.conditions, ballot.would_change) == (("Take a backup.",), "A test that fails.")
