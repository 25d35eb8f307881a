"""AI Counsel's result, field for field."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from quorate.engine.verify import verify_record
from quorate.errors import BadSetting
from quorate.model import Decided, Silent, Spoken
from quorate.views import Record
from quorate.views.compat.counsel import counsel
from quorate.views.compat.s4 import s4
from quorate.views.compat.s4_log import s4_log
from quorate.views.conference_votes import conference_record
from tests.play import convened, play, words
from tests.tribunal import PANEL
from tests.views.discussion import PRIVATE, SELECTIVE, STRUCTURED, WORKED, discussed

SEATS = ("Alpha", "Beta", "Gamma")


def shown(record: Record) -> Any:  # noqa: ANN401 - a JSON document
    return counsel(record)


def test_the_worked_example_is_complete_after_two_rounds_with_three_votes_to_none() -> None:
    said = shown(discussed(WORKED))

    assert (said["status"], said["mode"], said["rounds_completed"]) == ("complete", "conference", 2)
    assert said["participants"] == list(SEATS)
    assert said["transcript_path"] is None
    voting = said["voting_result"]
    assert voting["final_tally"] == {SELECTIVE: 3}
    assert (voting["consensus_reached"], voting["winning_option"]) == (True, SELECTIVE)
    assert (voting["majority"], voting["margin"]) == ("absolute", 3)


def test_votes_of_every_round_are_there_and_only_the_last_ones_count() -> None:
    votes = shown(discussed(WORKED))["voting_result"]["votes_by_round"]

    assert [(one["round"], one["participant"]) for one in votes] == [(r, seat) for r in (1, 2) for seat in SEATS]
    assert votes[0]["vote"] == {
        "option": STRUCTURED, "confidence": 0.8, "rationale": "Alpha says so", "continue_debate": True,
    }  # fmt: skip
    assert [one["counts_as"] for one in votes] == [None] * 3 + [SELECTIVE] * 3


def test_votes_go_before_similarity_and_both_are_reported() -> None:
    found = shown(discussed(WORKED))["convergence_info"]

    assert (found["detected"], found["detection_round"], found["status"]) == (True, 2, "unanimous_consensus")
    assert list(found["per_participant_similarity"]) == list(SEATS)
    (scores,) = found["scores_by_round"]
    each = sorted(found["per_participant_similarity"].values())
    assert (scores["round"], scores["minimum"], scores["median"]) == (2, each[0], each[1])
    assert scores["mean"] == pytest.approx(sum(each) / 3, abs=1e-6)
    assert found["final_similarity"] == scores["median"]


def test_every_reply_is_in_the_debate_in_the_order_of_rounds_and_seats() -> None:
    debate = shown(discussed(WORKED))["full_debate"]

    assert [(one["round"], one["participant"], one["stance"]) for one in debate] == [
        (number, seat, "neutral") for number in (1, 2) for seat in SEATS
    ]
    assert all(one["response"].startswith("We should choose this.") for one in debate)


def test_every_speech_and_vote_bears_the_time_it_was_written_at() -> None:
    record = discussed({**WORKED, ("Gamma", "1"): "!timeout"})
    begun = datetime(2026, 5, 2, 12, tzinfo=UTC)
    times = [(begun + timedelta(seconds=at)).isoformat() for at in range(len(record.events))]
    said = shown(replace(record, times=times))

    spoken = [
        (event.round, event.seat, time)
        for event, time in zip(record.events, times, strict=True)
        if isinstance(event, Spoken | Silent)
    ]
    debate = [(str(one["round"]), one["participant"], one["timestamp"]) for one in said["full_debate"]]
    votes = [
        (str(one["round"]), one["participant"], one["timestamp"]) for one in said["voting_result"]["votes_by_round"]
    ]
    assert debate == spoken
    assert votes == [one for one in spoken if one[:2] != ("1", "Gamma")]
    assert {one["timestamp"] for one in shown(record)["full_debate"]} == {None}


def test_the_summary_is_taken_from_rationales_and_says_so() -> None:
    votes = {**WORKED, ("Gamma", "2"): (PRIVATE, 0.6, False)}

    summary = shown(discussed(votes))["summary"]

    assert summary["extractive"] is True
    assert summary["final_recommendation"] == SELECTIVE
    assert summary["key_agreements"] == [f"{seat}, for {SELECTIVE}: {seat} says so" for seat in SEATS[:2]]
    assert summary["key_disagreements"] == [f"Gamma, for {PRIVATE}: Gamma says so"]


def test_a_chosen_seat_sums_up_once_the_verdict_is_written_and_it_is_the_same() -> None:
    text = "**CONSENSUS:** All want flags.\nAGREEMENTS:\n- cheap\n- safe\nDISAGREEMENTS:\nRECOMMENDATION: Do it."
    summed = discussed({**WORKED, ("Beta", "summary"): text}, ("summary", "beta"))

    assert shown(summed)["summary"] == {
        "consensus": "All want flags.",
        "key_agreements": ["cheap", "safe"],
        "key_disagreements": [],
        "final_recommendation": "Do it.",
        "extractive": False,
        "written_by": "Beta",
    }
    assert [type(event) for event in summed.events[-2:]] == [Decided, Spoken]
    assert summed.events[-2] == discussed(WORKED).events[-1]
    assert len(shown(summed)["full_debate"]) == len(WORKED)
    assert verify_record(summed).same


def test_without_the_summary_of_a_silent_seat_it_is_extractive() -> None:
    assert shown(discussed(WORKED, ("summary", "Beta")))["summary"]["extractive"] is True


def test_a_vote_of_a_seat_that_fell_silent_is_carried_and_the_result_is_partial() -> None:
    votes = {place: vote for place, vote in WORKED.items() if place != ("Gamma", "2")}

    said = shown(discussed(votes, ("max_rounds", "2")))

    carried = [one for one in said["voting_result"]["votes_by_round"] if one["carried_from_round"]]
    assert [(one["participant"], one["carried_from_round"], one["counts_as"]) for one in carried] == [
        ("Gamma", 1, PRIVATE)
    ]
    assert said["status"] == "partial"
    assert said["full_debate"][-1]["response"] == "[ERROR: timeout]"


def test_an_abstention_is_never_an_option() -> None:
    votes = {(seat, "1"): ("ABSTAIN", 0.9, False) for seat in SEATS}

    voting = shown(discussed(votes, ("mode", "quick")))["voting_result"]

    assert (voting["final_tally"], voting["winning_option"], voting["abstained"]) == ({}, None, list(SEATS))


@pytest.mark.parametrize(("reply", "status"), [("I cannot help with that.", "failed"), ("!timeout", "failed")])
def test_without_any_vote_there_is_no_voting_result_and_no_consensus(reply: str, status: str) -> None:
    said = shown(discussed({(seat, str(number)): reply for seat in SEATS for number in range(1, 6)}))

    assert (said["status"], said["voting_result"]) == (status, None)
    assert said["convergence_info"]["detected"] is False
    assert said["convergence_info"]["status"] == "no_votes"


def test_a_view_refuses_a_record_of_another_protocol() -> None:
    tribunal = Record(id="a" * 26, events=play(convened(PANEL), words))
    conference = discussed(WORKED)

    with pytest.raises(BadSetting, match="this is a tribunal, and that form shows conferences"):
        counsel(tribunal)
    for view in (s4, s4_log):
        with pytest.raises(BadSetting, match="this is a conference, and that form shows tribunals"):
            view(conference)


def test_the_settings_that_were_given_are_the_ones_it_is_shown_under() -> None:
    record = conference_record(discussed(WORKED, ("mode", "quick"), ("alike", "9/10")).state)

    assert (record.mode, record.terms.alike) == ("quick", Fraction(9, 10))
