"""A vote is shown by what it is: the options approved, or the number with its bounds."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from quorate import presets, rules
from quorate.model import PartRef, Rulebook, Tally, Verdict, Voice
from quorate.model.ballot import Approval, Estimate, Vote
from quorate.views.card import rows, verdict_line
from quorate.views.document import verdict_document
from quorate.views.result import Decision, Result
from tests.tribunal import PANEL, ballot, tally_of

BOOK = Rulebook(name="any", rules=(), otherwise=PartRef("no_winner"))


def voice(seat: str, vote: Vote) -> Voice:
    return Voice(seat=seat, option=str(vote), confidence=Fraction(7, 10), vote=vote)


def shown(*votes: Vote, outcome: str | None = None) -> Result:
    voices = tuple(voice(f"s{at}", vote) for at, vote in enumerate(votes))
    tally = Tally(eligible=tuple(one.seat for one in voices), options=(), voices=voices)
    verdict = Verdict.on(tally, outcome, "because", decided=outcome is not None)
    return Result(decision=Decision(verdict, tally, BOOK))


def document_of(result: Result) -> dict[str, Any]:
    assert result.decision is not None
    return verdict_document(result.decision)


@pytest.mark.parametrize(
    ("vote", "field", "value", "words"),
    [
        (Approval(("A", "C")), "approved", ["A", "C"], "A, C"),
        (Approval(()), "approved", [], "none of them"),
        (
            Estimate(Fraction(12), Fraction(10), Fraction(15)),
            "estimate",
            {"value": 12, "low": 10, "high": 15},
            "12 (10 to 15)",
        ),
        (Estimate(Fraction(1, 4)), "estimate", {"value": 0.25, "low": None, "high": None}, "0.25"),
        (Estimate(Fraction(10) ** 20), "estimate", {"value": 1e20, "low": None, "high": None}, "1" + "0" * 20),
    ],
)
def test_a_vote_has_the_field_of_its_kind_and_its_words(vote: Vote, field: str, value: object, words: str) -> None:
    result = shown(vote)
    (cast,) = document_of(result)["votes"]

    assert cast[field] == value
    assert cast["choice"] == words
    assert ("votes", (f"s0: {words} (70 % sure)",)) in rows(result)


def test_the_line_counts_who_approved_of_the_outcome_and_who_did_not_is_a_dissenter() -> None:
    result = shown(Approval(("A", "C")), Approval(("A",)), Approval(()), outcome="A")

    assert verdict_line(result).startswith("A  2 of 3 seats, agreement 66.7 %")
    assert document_of(result)["dissent"] == ["s2"]


def test_an_undecided_line_says_how_often_each_option_was_approved_or_how_far_numbers_lie_apart() -> None:
    assert "2 A, 1 C, 1 for none of them" in verdict_line(shown(Approval(("A", "C")), Approval(("A",)), Approval(())))
    assert "2 numbers from 12 to 100" in verdict_line(shown(Estimate(Fraction(100)), Estimate(Fraction(12))))


def test_the_sealed_vote_of_a_demo_panel_is_what_the_seats_sealed_and_not_what_a_cap_makes_of_it() -> None:
    act = [ballot("ACT")] * 3
    counted = replace(tally_of(act, PANEL, act), demo=True)
    sealed = replace(counted, sealed=replace(counted.sealed, demo=True) if counted.sealed else None)
    book = presets.rulebook("tribunal")
    decision = Decision(rules.decide(sealed, book), sealed, book)

    assert (decision.verdict.outcome, decision.verdict.decided) == ("WARN", False)
    assert decision.sealed is not None
    assert decision.sealed.outcome == "ACT"
