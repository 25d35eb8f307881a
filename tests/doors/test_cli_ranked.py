"""Rankings at the command line: decided from a file, read by themselves, and no claim about who may lie."""

import json
from pathlib import Path

import pytest

from tests.doors.conftest import Quorate

HANDED = [
    {"seat": "Ann", "ranking": ["Nashville", ["Knoxville", "Chattanooga"]], "confidence": 0.8, "rationale": "Near."},
    {"seat": "Ben", "ranking": "Memphis > nashville", "confidence": 0.6},
    {"seat": "Cy", "ranking": {"1": "Knoxville", "2": "Nashville"}, "confidence": 0.6},
]


def test_rankings_of_a_file_are_decided_and_shown_in_their_order(quorate: Quorate) -> None:
    told = quorate("decide", "-", "--protocol", "ranked", stdin=json.dumps(HANDED))

    assert told.code == 0
    assert told.out.startswith("Nashville  first for 1 of 3 seats, rule condorcet\n")
    assert "Ann: Nashville > Knoxville = Chattanooga > Memphis (80 % sure)" in told.out
    assert "Ben: Memphis > Nashville > Knoxville = Chattanooga (60 % sure)" in told.out
    assert "may lie" not in told.out


@pytest.mark.parametrize("rulebook", ["condorcet", "borda", "instant_runoff"])
def test_each_rulebook_finds_its_protocol(quorate: Quorate, rulebook: str) -> None:
    document = quorate("decide", "-", "--rulebook", rulebook, "--json", stdin=json.dumps(HANDED)).document

    assert document["verdict"]["rule"] == rulebook
    assert document["verdict"]["withstands"] is None
    assert document["verdict"]["votes"][0]["ranking"] == [["Nashville"], ["Knoxville", "Chattanooga"], ["Memphis"]]


def test_what_cannot_be_read_in_a_file_is_silent_with_its_reason(quorate: Quorate) -> None:
    handed = [{"seat": "Ann", "ranking": ["A", "A"]}, {"seat": "Ben"}, {"seat": "Cy", "ranking": ["A", "B"]}]
    document = quorate("decide", "-", "--protocol", "ranked", "--json", stdin=json.dumps(handed)).document

    assert document["verdict"]["rule"] == "quorum"
    assert document["verdict"]["participation"]["failed"] == 2


def test_a_reply_is_read_as_a_ranking_of_any_names(quorate: Quorate) -> None:
    reply = 'So. BALLOT {"ranking": ["B", ["A", "C"]], "confidence": 0.8, "rationale": "Small."}'

    read = quorate("read", "-", "--protocol", "ranked", "--json", stdin=reply).document
    assert read["ballot"]["choice"] == "B > A = C"
    assert read["ballot"]["ranking"] == [["B"], ["A", "C"]]
    plain = quorate("read", "-", "--protocol", "ranked", stdin=reply).out
    assert "choice      B > A = C\n" in plain
    assert "ranking" not in plain
    assert (
        quorate("read", "-", "--protocol", "ranked", stdin='{"ranking": ["B", "B"]}').out
        == "no ballot: something stood in its ranking twice (duplicate)\n"
    )


def test_what_a_ranking_panel_withstands_is_said_not_to_be_computed(quorate: Quorate) -> None:
    told = quorate("panel", "check", "ranked", "--model", "ollama:my-model")

    assert told.code == 0
    assert "is not computed for rulebook condorcet" in told.out
    assert quorate("panel", "check", "ranked", "--json").document["withstands"] is None
    assert quorate("panel", "check", "tribunal", "--json").document["withstands"] is not None


def test_a_question_without_options_is_refused_before_anybody_is_asked(quorate: Quorate) -> None:
    told = quorate("ask", "Which?", "--panel", "ranked", "--option", "A", "--model", "demo:scripted")

    assert told.code != 0
    assert "ranking needs at least two different options" in told.err
    assert quorate("list", "--json").document["deliberations"] == []


def test_ballots_without_a_protocol_are_taken_for_what_they_are(quorate: Quorate, tmp_path: Path) -> None:
    file = tmp_path / "ballots.json"
    file.write_text(json.dumps([{"seat": seat, "ranking": ["NATS", "Kafka"]} for seat in "abc"]))
    decided = quorate("decide", str(file), "--json", "--gate", "NATS")
    cautions = {caution["name"] for caution in decided.document["verdict"]["cautions"]}

    assert (decided.code, decided.document["verdict"]["outcome"]) == (0, "NATS")
    assert "read_as" in cautions
    assert quorate("decide", str(file), "--protocol", "tribunal").code == 1


def test_decide_answers_as_s4_writes_it(quorate: Quorate, tmp_path: Path) -> None:
    file = tmp_path / "ballots.json"
    ballots = [
        {"seat": seat, "decision": word, "confidence": 80, "risk": 10, "reasoning": "so"}
        for seat, word in (("Utility", "ACT"), ("Accuracy", "ACT"), ("Safety", "WARN"))
    ]
    file.write_text(json.dumps(ballots))
    told = quorate("decide", str(file), "--as", "s4").document

    assert told["decision"] == "ACT"
    assert told["metadata"]["vote_breakdown"] == {"ACT": 2, "WARN": 1, "REFUSE": 0}
    assert told["metadata"]["dissenting_votes"] == 1
