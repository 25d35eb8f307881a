"""Whom a promise is kept for: what is sure enough passes, everything else goes to a person."""

from dataclasses import replace
from fractions import Fraction

import pytest

from quorate import presets, rules
from quorate.model import PartRef, Rulebook, Tally, Verdict, Voice

SEATS = ("a", "b", "c")
TRIBUNAL = presets.rulebook("tribunal")
CONFERENCE = presets.rulebook("plurality")
SURE = (("certified", "true"), ("at_least", "1"), ("acts", "100"), ("errors", "0"), ("labels", "120"))


def tally(*votes: str, options: tuple[str, ...] = ("ACT", "WARN", "REFUSE")) -> Tally:
    voices = tuple(Voice(seat=seat, option=vote) for seat, vote in zip(SEATS, votes, strict=True))
    return Tally(eligible=SEATS, options=options, voices=voices)


def decided(book: Rulebook, told: Tally, *settings: tuple[str, str]) -> Verdict:
    return rules.decide(told, replace(book, unless=(*book.unless, PartRef("act_error", settings))))


def test_what_is_sure_enough_is_left_as_it_is() -> None:
    told = tally("ACT", "ACT", "ACT")

    assert decided(TRIBUNAL, told, *SURE).outcome == "ACT"
    assert decided(TRIBUNAL, told, *SURE).requires_human_review is False


def test_an_approval_below_the_score_becomes_careful_and_waits_for_a_person() -> None:
    found = decided(TRIBUNAL, tally("ACT", "ACT", "WARN"), *SURE)

    assert (found.outcome, found.decided, found.rule, found.requires_human_review) == ("WARN", False, "act_error", True)
    assert "its score of 0.666667 is below 1, from which on at most 2.5 % of acts are wrong" in found.because
    assert "(0 of 100 past decisions with that score or more were wrong), so ACT becomes WARN" in found.because


def test_an_option_below_the_score_stays_and_waits_for_a_person() -> None:
    found = decided(CONFERENCE, tally("Kafka", "Kafka", "NATS", options=()), *SURE)

    assert (found.outcome, found.decided, found.requires_human_review) == ("Kafka", True, True)
    assert found.because.endswith("so a person decides")


def test_a_refusal_is_never_made_bolder() -> None:
    found = decided(TRIBUNAL, tally("REFUSE", "REFUSE", "ACT"), *SURE)

    assert (found.outcome, found.requires_human_review) == ("REFUSE", True)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ("12", "of acts are wrong: 91 error-free acts are needed, and there are 12 labels"),
        ("300", "the 300 labelled past decisions do not carry the promise that at most 2.5 % of acts are wrong"),
    ],
)  # fmt: skip
def test_without_a_promise_everything_goes_to_a_person(labels: str, why: str) -> None:
    found = decided(TRIBUNAL, tally("ACT", "ACT", "ACT"), ("labels", labels), ("needed", "91"))

    assert (found.outcome, found.requires_human_review) == ("WARN", True)
    assert why in found.because


def test_a_rules_own_number_goes_before_the_share_of_seats() -> None:
    learned = replace(
        presets.rulebook("track_record"),
        rules=(
            PartRef("track_record", (("skills", '{"a": 2, "b": 2, "c": 2}'), ("questions", "100"))),
            *presets.rulebook("track_record").rules[1:],
        ),
    )
    told = replace(tally("x", "y", "z", options=()), eligible=("a", "b", "c", "d"))
    told = replace(told, voices=(*(Voice(seat=seat, option="x") for seat in "abc"), Voice(seat="d", option="y")))

    plain = rules.decide(told, learned)
    assert plain.score is not None
    assert plain.score != plain.agreement
    just = (("certified", "true"), ("at_least", str(plain.score)))
    above = (("certified", "true"), ("at_least", str(plain.score + Fraction(1, 10**8))))
    assert decided(learned, told, *just).requires_human_review is False
    assert decided(learned, told, *above).requires_human_review is True


def test_what_was_not_decided_waits_for_a_person_anyway_and_is_left_alone() -> None:
    found = decided(TRIBUNAL, tally("ACT", "WARN", "REFUSE"))

    assert found.rule != "act_error"
    assert found.awaits_review
