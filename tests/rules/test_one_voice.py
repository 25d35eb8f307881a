"""Seats that fell back on one model: how many voices are left, and what that does to a verdict."""

from dataclasses import replace

import pytest

from quorate import rules
from quorate.model import Tally, Verdict, Voice
from quorate.protocols.tribunal import RULEBOOK as TRIBUNAL
from quorate.rules.one_voice import cap

SEATS = ("a", "b", "c", "d")
ACT = Verdict(outcome="ACT", decided=True, rule="unanimous", because="")


def tally(now: str, meant: str, choices: str = "AAAA", *, veto: bool = False) -> Tally:
    """Four seats: the domain of each now and as meant, a letter each, and what each chose."""
    word = {"A": "ACT", "W": "WARN", "R": "REFUSE"}
    return Tally(
        eligible=SEATS,
        options=("ACT", "WARN", "REFUSE"),
        voices=tuple(
            Voice(seat=seat, option=word[choice], veto=veto and seat == "a")
            for seat, choice in zip(SEATS, choices, strict=True)
        ),
        domains=tuple(zip(SEATS, now, strict=True)),
        meant=tuple(zip(SEATS, meant, strict=True)),
    )


@pytest.mark.parametrize(
    ("now", "meant", "outcome"),
    [
        ("wxyz", "wxyz", None),  # nothing happened
        ("wwww", "wwww", None),  # somebody put them there himself
        ("wwyz", "wxyz", None),  # three voices of four are two thirds
        ("wwyy", "wxyz", "WARN"),  # two are not
        ("wwww", "wxyz", "WARN"),
        ("wwww", "wwyy", None),  # those that were always together both count: three voices are left
    ],
)
def test_how_many_voices_are_left(now: str, meant: str, outcome: str | None) -> None:
    capped = cap(tally(now, meant), ACT)

    assert (capped.outcome if capped else None) == outcome


def test_a_veto_and_what_was_not_decided_stay_as_they_are() -> None:
    assert cap(tally("wwww", "wxyz", veto=True), ACT) is None
    assert cap(tally("wwww", "wxyz"), Verdict(outcome="ACT", decided=False, rule="", because="")) is None


def test_a_careful_outcome_stays_and_is_no_longer_called_decided() -> None:
    refused = Verdict(outcome="REFUSE", decided=True, rule="unanimous", because="")
    capped = cap(tally("wwww", "wxyz", "RRRR"), refused)

    assert capped is not None
    assert (capped.outcome, capped.decided, capped.requires_human_review) == ("REFUSE", False, True)


def test_no_rulebook_can_leave_it_out() -> None:
    verdict = rules.decide(tally("wwww", "wxyz"), replace(TRIBUNAL, unless=()))

    assert (verdict.outcome, verdict.rule, verdict.decided) == ("WARN", "one_voice", False)


def test_without_fallbacks_it_is_not_even_asked() -> None:
    assert "one_voice" not in {asked.rule for asked in rules.decide(tally("wxyz", "wxyz"), TRIBUNAL).trace}
