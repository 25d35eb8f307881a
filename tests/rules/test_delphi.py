"""A number is agreed on when the middle half lies close together; silence never makes it so."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import presets
from quorate.model import Verdict
from quorate.rules import decide
from quorate.rules.close_median import rule
from tests.delphi import Row, counted


def verdict(*row: float | None) -> Verdict:
    return decide(counted(row), presets.rulebook("delphi"))


@pytest.mark.parametrize(
    ("row", "outcome", "by"),
    [
        ((12, 12, 12, 12, 12), "12", "close_median"),
        ((11.9, 12, 12, 12.1, 99), "12", "close_median"),
        ((11.9, 12, 12, 12.1, None), "12", "close_median"),
        ((12, 12.5), "12.25", "close_median"),
        ((0, 0, 0), "0", "close_median"),
        ((-12, -12, -12.2), "-12", "close_median"),
        ((8, 10, 12, 14, 16), None, "no_agreement"),
        ((12, 12, None), None, "no_agreement"),
        ((94, 96, 104, 106, None), None, "no_agreement"),  # with a fifth far below, the median is 96 and 10 too much
        ((12, 12, None, 12, None), None, "no_agreement"),
        ((12, None, None), None, "quorum"),
        ((12,), None, "no_agreement"),
        ((None, None), None, "all_silent"),
        ((-1, 0, 0, 1), None, "no_agreement"),
    ],
)
def test_a_number_is_agreed_on_or_a_person_decides(row: Row, outcome: str | None, by: str) -> None:
    found = verdict(*row)  # type: ignore[arg-type]

    assert (found.outcome, found.rule, found.decided) == (outcome, by, outcome is not None)
    assert found.requires_human_review is (outcome is None)


def test_the_reason_tells_the_spread() -> None:
    assert verdict(11.9, 12, 12, 12.1, 99).because == (
        "the median of 5 of 5 seats is 12; the middle half lies from 12 to 12.1, within 10 % of it"
    )
    assert verdict(8, 10, 12, 14, None).because == (
        "no agreement: the median is 11, the middle half lies from 9.5 to 12.5, all from 8 to 14"
        "; 1 of 5 seats gave no number and could have stood anywhere"
    )


def test_one_estimate_has_no_spread_and_two_have() -> None:
    assert verdict(12).because == "no agreement: there is one estimate, 12, and no other to compare it with"
    assert verdict(8, 16).because.startswith("no agreement: the median is 12, the middle half lies from")


def test_who_is_far_from_the_median_dissents_and_the_rest_agree() -> None:
    found = verdict(11.9, 12, 12, 12.1, 99)

    assert found.dissent == ("s4",)
    assert found.agreement == Fraction(4, 5)
    assert found.confidence == Fraction(4, 5)


def test_how_close_is_a_setting() -> None:
    tally = counted((10, 11, 12, 13, 14))

    assert rule(tally) is None
    assert rule(tally, within=Fraction(2, 12)) is not None


def test_a_demo_panel_and_one_voice_establish_nothing() -> None:
    tally, book = counted((12, 12, 12)), presets.rulebook("delphi")
    apart = tuple((seat, seat) for seat in tally.eligible)
    together = tuple((seat, "one provider") for seat in tally.eligible)

    assert decide(replace(tally, demo=True), book).outcome is None
    assert not decide(replace(tally, meant=apart, domains=together), book).decided
    assert decide(replace(tally, meant=apart, domains=apart), book).decided


ROWS = st.lists(st.sampled_from((10, 10.5, 11, 11.5, 12, 40, -5, None)), min_size=1, max_size=7)


@given(row=ROWS, seed=st.integers(0, 2**32))
def test_who_names_which_number_does_not_matter(row: list[float | None], seed: int) -> None:
    shuffled = random.Random(seed).sample(row, len(row))

    assert verdict(*row).outcome == verdict(*shuffled).outcome
    assert verdict(*row).agreement == verdict(*shuffled).agreement


@given(row=ROWS, place=st.integers(0, 6))
def test_silence_never_brings_an_agreement(row: list[float | None], place: int) -> None:
    at = place % len(row)
    if not verdict(*row).decided:
        assert not verdict(*row[:at], None, *row[at + 1 :]).decided


@given(row=ROWS, factor=st.sampled_from((2, 10, -1, 3)))
def test_another_unit_gives_the_same_verdict_in_that_unit(row: list[float | None], factor: int) -> None:
    scaled = [None if number is None else number * factor for number in row]
    one, other = verdict(*row), verdict(*scaled)

    assert one.decided == other.decided
    if one.outcome is not None and other.outcome is not None:
        assert Fraction(one.outcome) * factor == Fraction(other.outcome)
