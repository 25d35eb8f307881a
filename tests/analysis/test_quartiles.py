"""Quartiles are exact, and the worst that silence could hide is a bound on whatever it hides."""

from fractions import Fraction
from statistics import median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.quartiles import spread_of, worst_spread

NUMBERS = st.lists(st.fractions(-100, 100, max_denominator=20), min_size=2, max_size=9)


@given(numbers=NUMBERS)
def test_quartiles_are_those_of_the_standard_library_exactly(numbers: list[Fraction]) -> None:
    spread = spread_of(numbers)

    assert spread is not None
    assert [spread.lower_quartile, spread.median, spread.upper_quartile] == quantiles(numbers, method="inclusive")
    assert spread.median == median(numbers)
    assert (spread.lowest, spread.highest, spread.number) == (min(numbers), max(numbers), len(numbers))


def test_one_number_has_no_spread_and_nothing_has_none() -> None:
    one = spread_of([Fraction(7)])

    assert one is not None
    assert (int(one.median), int(one.interquartile_range)) == (7, 0)
    assert spread_of([]) is None


@pytest.mark.parametrize(
    ("numbers", "missing", "worst"),
    [
        ((10, 11, 12, 13, 14), 0, (2, 12)),
        ((10, 11, 12, 13), 1, (2, 11)),
        ((10, 11, 12), 1, None),
        ((10, 11), 1, None),
        ((), 2, None),
        ((-1, 0, 1, 2, 3), 0, (2, 1)),
        ((-1, -1, 1, 1), 1, (2, 0)),
    ],
)
def test_missing_numbers_stand_as_far_off_as_they_can(
    numbers: tuple[int, ...], missing: int, worst: tuple[int, int] | None
) -> None:
    exact = None if worst is None else (Fraction(worst[0]), Fraction(worst[1]))

    assert worst_spread([Fraction(number) for number in numbers], missing) == exact


@given(numbers=NUMBERS, more=st.lists(st.fractions(-200, 200, max_denominator=20), max_size=3))
def test_whatever_is_missing_is_never_worse_than_the_worst(numbers: list[Fraction], more: list[Fraction]) -> None:
    worst, real = worst_spread(numbers, len(more)), spread_of([*numbers, *more])

    assert real is not None
    if worst is not None:
        assert real.interquartile_range <= worst[0]
        assert abs(real.median) >= worst[1]
