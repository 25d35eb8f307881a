from dataclasses import replace

import pytest

from quorate import presets
from quorate.model import Ballot, Question, Silence, Tally, Verdict, Voice
from quorate.rules import decide
from tests import oracle
from tests.tribunal import GATES, PANEL, ballot, panel_of, tally_of

ACT, WARN, REFUSE, VETO = (ballot(choice) for choice in ("ACT", "WARN", "REFUSE", "VETO"))


def decided(*votes: Ballot | None, sealed: tuple[Ballot | None, ...] | None = None) -> Verdict:
    return decide(tally_of(votes, PANEL, sealed), presets.rulebook("tribunal"))


def test_three_unreadable_replies_are_refused_and_not_decided() -> None:
    verdict = decided(None, None, None)

    assert (verdict.outcome, verdict.rule, verdict.decided) == ("REFUSE", "all_silent", False)
    assert verdict.agreement is None
    assert "3 votes were assumed" in verdict.because


def test_a_silent_seat_with_the_veto_can_never_be_outvoted() -> None:
    verdict = decided(ACT, ACT, None)

    assert (verdict.outcome, verdict.rule, verdict.requires_human_review) == ("WARN", "veto_seat_silent", True)


def test_a_silent_seat_without_the_veto_is_an_assumed_refusal() -> None:
    verdict = decided(ACT, None, ACT)

    assert (verdict.outcome, verdict.rule) == ("ACT", "supermajority")
    assert "1 vote was assumed (Accuracy: timeout)" in verdict.because


def test_nobody_is_said_to_have_chosen_what_was_assumed() -> None:
    told = decided(ACT, None, None).because

    assert told.startswith("2 of 3 seats (66.7 %) count for REFUSE; 2 votes were assumed (")
    assert "chose" not in told
    assert decided(ACT, REFUSE, REFUSE).because == "2 of 3 seats (66.7 %) chose REFUSE"


def test_one_seat_alone_is_not_spoken_of_as_several_and_two_are() -> None:
    def told(*seats: str) -> str:
        voices = tuple(Voice(seat=seat, option="ACT") for seat in seats)
        return decide(
            Tally(eligible=seats, options=("ACT", "WARN"), voices=voices), presets.rulebook("tribunal")
        ).because

    assert told("Utility") == "the only seat chose ACT"
    assert told("Utility", "Accuracy") == "both seats chose ACT"


def test_nothing_is_called_unanimous_when_a_vote_was_assumed() -> None:
    verdict = decided(REFUSE, None, REFUSE)

    assert (verdict.outcome, verdict.rule) == ("REFUSE", "supermajority")


def test_a_veto_without_the_power_counts_as_refuse_with_a_caution() -> None:
    verdict = decided(VETO, ACT, ACT)

    assert (verdict.outcome, verdict.rule) == ("ACT", "supermajority")
    assert ("veto_without_power", "Utility") in [(c.name, c.seat) for c in verdict.cautions]


def test_a_veto_below_the_risk_threshold_is_honoured_with_a_caution() -> None:
    verdict = decided(ACT, ACT, ballot("VETO", 60, 30))

    assert verdict.rule == "veto"
    assert "veto_below_threshold" in [caution.name for caution in verdict.cautions]


def test_talk_cannot_overrule_the_sealed_vote() -> None:
    verdict = decided(ACT, ACT, ACT, sealed=(WARN, VETO, ACT))

    assert (verdict.outcome, verdict.rule, verdict.requires_human_review) == ("WARN", "sealed_vote", True)


def test_silence_before_the_discussion_is_no_sealed_objection() -> None:
    verdict = decided(ACT, ACT, ACT, sealed=(WARN, None, ACT))

    assert (verdict.outcome, verdict.rule) == ("ACT", "unanimous")


@pytest.mark.parametrize("book", GATES)
def test_a_demo_panel_never_approves(book: str) -> None:
    demo = presets.panel("demo").panel
    verdict = decide(tally_of([ballot("ACT", 90, 10)] * 3, demo), presets.rulebook(book))

    assert (verdict.outcome, verdict.rule, verdict.decided) == ("WARN", "demo", False)


@pytest.mark.parametrize(
    ("votes", "outcome", "rule"),
    [
        ([ballot("ACT", 90, 10)] * 6, "ACT", "safe_act"),
        ([ballot("ACT", 90, 10)] * 5 + [ballot("WARN", 90, 10)], "ACT", "safe_act"),
        ([ballot("ACT", 90, 10)] * 4 + [ballot("WARN", 90, 10)], "WARN", "short_of_refusal"),
        ([ballot("ACT", 90, 10)] * 5 + [ballot("ACT", 90, 30)], "WARN", "short_of_refusal"),
        ([ballot("ACT", 90, 10)] * 5 + [ballot("ACT", 39, 10)], "REFUSE", "unsure"),
        ([ballot("ACT", 90, 10)] * 5 + [None], "REFUSE", "any_silent"),
        ([ballot("REFUSE", 90, 10)] * 3 + [ballot("ACT", 90, 10)] * 3, "REFUSE", "hold"),
        ([ballot("ACT", 90, 10)] * 5 + [ballot("VETO", 90, 90)], "REFUSE", "veto"),
    ],
)
def test_the_strict_rulebook_decides_by_its_first_fitting_rule(
    votes: list[Ballot | None], outcome: str, rule: str
) -> None:
    verdict = decide(tally_of(votes, panel_of(len(votes))), presets.rulebook("strict"))

    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_high_risk_and_low_confidence_are_cautions_that_change_nothing() -> None:
    verdict = decided(ballot("ACT", 50, 80), ballot("ACT", 50, 10), ballot("ACT", 55, 10))

    assert verdict.outcome == "ACT"
    assert {"high_risk", "low_confidence"} <= {caution.name for caution in verdict.cautions}


def test_the_trace_names_every_rule_that_was_asked() -> None:
    verdict = decided(ACT, WARN, ACT)

    assert [asked.rule for asked in verdict.trace] == [
        "veto", "all_silent", "unanimous", "supermajority", "demo", "veto_seat_silent", "sealed_vote",
    ]  # fmt: skip
    assert [asked.rule for asked in verdict.trace if asked.said] == ["supermajority"]


@pytest.mark.parametrize("book", sorted(presets.rulebooks()))
@pytest.mark.parametrize("options", [(), ("NO", "YES"), ("YES", "NO"), ("B", "YES", "A")])
@pytest.mark.parametrize("choice", ["YES", "NO", "UNDETERMINED"])
def test_under_no_rulebook_does_a_demo_panel_find_yes(book: str, options: tuple[str, ...], choice: str) -> None:
    if options and choice not in (*options, "UNDETERMINED"):
        choice = options[0]
    verdict = oracle.verdict_on(
        [oracle.ballot(choice)] * 3,
        book=presets.rulebook(book),
        panel=oracle.panel_of(3, demo=True),
        question=Question(text="?", options=options),
        answers="options" if options else "yes_no",
    )

    assert verdict.outcome != "YES"
    assert choice == verdict.outcome or not verdict.decided or book == "strict"


@pytest.mark.parametrize("book", ["debate", "debate_evidence", "debate_rounds"])
def test_a_rulebook_of_debates_chooses_nothing_where_no_sides_were_given_out(book: str) -> None:
    for options in (), ("NO", "YES"), ("B", "YES", "A"):
        verdict = oracle.verdict_on(
            [oracle.ballot("UNDETERMINED")] * 3,
            book=presets.rulebook(book),
            question=Question(text="?", options=options),
            answers="options" if options else "yes_no",
        )

        assert (verdict.outcome, verdict.decided) == (None, False)


def test_nobody_dissents_from_no_outcome_or_from_one_that_nobody_chose() -> None:
    tie = Tally(eligible=("a", "b"), options=(), voices=(Voice(seat="a", option="X"), Voice(seat="b", option="Y")))

    assert decide(tie, presets.rulebook("plurality")).dissent == ()
    held = decide(tally_of([ACT, ACT, ACT, REFUSE, REFUSE]), presets.rulebook("tribunal"))
    assert (held.outcome, held.dissent) == ("WARN", ())


def test_what_a_demo_panel_chose_and_why_it_is_held_are_both_said_and_nobody_dissents() -> None:
    tally = replace(tally_of([ballot("ACT"), ballot("ACT"), ballot("ACT")]), demo=True)
    verdict = decide(tally, presets.rulebook("tribunal"))

    assert (verdict.outcome, verdict.rule, verdict.dissent) == ("WARN", "demo", ())
    assert verdict.because == (
        "all 3 seats chose ACT; but this is a demo panel, which does not answer the question, so ACT becomes WARN"
    )


def test_an_assumed_vote_is_no_dissent() -> None:
    verdict = decide(tally_of([ballot("ACT"), None, ballot("ACT")]), presets.rulebook("tribunal"))

    assert (verdict.outcome, verdict.dissent) == ("ACT", ())


def test_seats_that_all_refuse_are_not_said_to_disagree() -> None:
    verdict = decide(tally_of([ballot("REFUSE", 90, 10)] * 3), presets.rulebook("strict"))

    assert (verdict.outcome, verdict.rule) == ("REFUSE", "hold")
    assert verdict.because == "no other rule decides on 0 ACT, 0 WARN, 3 REFUSE; REFUSE is the default"


def test_a_seat_that_says_nothing_of_its_confidence_is_not_called_unsure() -> None:
    mute, low = replace(ballot("ACT", 90, 10), confidence=None), ballot("ACT", 39, 10)

    def because(*votes: Ballot) -> str:
        return decide(tally_of(votes), presets.rulebook("strict")).because

    assert because(mute, ballot("ACT", 90, 10)) == "s0 states no confidence"
    assert because(mute, low) == "last is less than 40 % sure and s0 states no confidence"


def test_of_one_seat_that_gave_no_ballot_it_is_not_said_that_none_of_several_did() -> None:
    def told(*seats: str) -> str:
        gone = tuple(Silence(seat=seat, why="unreachable") for seat in seats)
        return decide(Tally(eligible=seats, options=("ACT", "WARN"), silent=gone), presets.rulebook("tribunal")).because

    assert told("Utility").startswith("no seat gave a ballot: 1 unreachable")
    assert told("Utility", "Accuracy").startswith("none of the 2 seats gave a ballot: 2 unreachable")
