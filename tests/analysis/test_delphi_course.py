"""When a Delphi goes on and when it stops: decided in one place, for the protocol and for the count."""

from fractions import Fraction

import pytest

from quorate.analysis.delphi_course import DelphiSettings, delphi_stop, latest_estimates
from quorate.errors import BadSetting
from tests.delphi import Row, told

FOUR = DelphiSettings(max_rounds=4, min_shrink=Fraction(1, 10))
WIDE: Row = (10, 20, 30, 40, 50)
NARROW: Row = (20, 25, 30, 35, 40)


@pytest.mark.parametrize(
    ("rounds", "stop"),
    [
        ([WIDE], None),
        ([(7, 7, 7, 7, 7)], None),
        ([WIDE, NARROW], None),
        ([WIDE, WIDE], "diminishing"),
        ([NARROW, WIDE], "diminishing"),
        ([WIDE, (10, 21, 30, 40, 50)], "diminishing"),
        ([WIDE, (10, 22, 30, 40, 50)], None),
        ([WIDE, (30, 30, 30, 30, 99)], "converged"),
        ([WIDE, NARROW, (28, 29, 30, 31, 32)], None),
        ([WIDE, NARROW, NARROW], "diminishing"),
        ([WIDE, NARROW, (28, 29, 30, 31, 32), (29, 30, 30, 30, 31)], "max_rounds"),
        ([(None,) * 5, (None,) * 5], "impasse"),
        ([(None,) * 5, WIDE], None),
        ([WIDE, (None,) * 5], "diminishing"),
        ([WIDE, (25, 30, None, 35, None)], None),
        ([(None,) * 5, (7, None, None, None, None)], "impasse"),
    ],
)
def test_it_goes_on_while_the_spread_shrinks_by_a_tenth(rounds: list[Row], stop: str | None) -> None:
    assert delphi_stop(told(*rounds), len(rounds), FOUR) == stop


def test_how_much_it_must_shrink_is_a_setting() -> None:
    heard = told(WIDE, NARROW)

    assert delphi_stop(heard, 2, DelphiSettings(max_rounds=4, min_shrink=Fraction(1, 2))) is None
    assert delphi_stop(heard, 2, DelphiSettings(max_rounds=4, min_shrink=Fraction(6, 10))) == "diminishing"
    assert delphi_stop(told(WIDE, WIDE), 2, DelphiSettings(max_rounds=4, min_shrink=Fraction(0))) == "diminishing"


@pytest.mark.parametrize(("rounds", "shrink"), [(1, "0.1"), (0, "0.1"), (4, "2"), (4, "-0.1")])
def test_what_would_be_no_delphi_is_refused(rounds: int, shrink: str) -> None:
    with pytest.raises(BadSetting, match="must be"):
        DelphiSettings(max_rounds=rounds, min_shrink=Fraction(shrink))


def test_a_seat_keeps_its_latest_estimate() -> None:
    kept = latest_estimates(told((1, 2, None), (None, 3, None)), 2)

    assert [(one.seat, one.round, int(one.estimate.value)) for one in kept] == [("s0", 1, 1), ("s1", 2, 3)]
