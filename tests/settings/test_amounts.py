from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import BadSetting
from quorate.settings.amounts import budget, seconds


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("60s", Fraction(60)),
        ("2m", Fraction(120)),
        ("1h30m", Fraction(5400)),
        ("1h 30m 5s", Fraction(5405)),
        ("90", Fraction(90)),
        (" 1.5m ", Fraction(90)),
        ("0.1s", Fraction(1, 10)),
        ("250ms", Fraction(1, 4)),
        ("2d", Fraction(172800)),
    ],
)
def test_a_time_is_read_as_people_write_it(written: str, meant: Fraction) -> None:
    assert seconds(written) == meant


@pytest.mark.parametrize("written", ["", "soon", "-5s", "30m1h", "5m5m", "1h30", "1e3", "٣s", "nan", "m", "1.s"])
def test_what_is_no_time_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(BadSetting, match="60s, 2m or 1h30m"):
        seconds(written)


@pytest.mark.parametrize("written", ["0", "0s", "367d", "999999999999h"])
def test_no_time_at_all_and_more_than_a_year_are_refused(written: str) -> None:
    with pytest.raises(BadSetting, match="at most 1 year"):
        seconds(written)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("20 calls, 50k tokens, $0.50", {"calls": 20, "tokens": 50_000, "money": Fraction(1, 2)}),
        ("calls=20", {"calls": 20}),
        ("1 call", {"calls": 1}),
        ("tokens=50000", {"tokens": 50_000}),
        ("tokens=50k", {"tokens": 50_000}),
        ("1.5M tokens", {"tokens": 1_500_000}),
        ("money=0.50", {"money": Fraction(1, 2)}),
        ("money=$0.10", {"money": Fraction(1, 10)}),
        ("0.5usd", {"money": Fraction(1, 2)}),
        ("0.5 USD,calls=3", {"calls": 3, "money": Fraction(1, 2)}),
        ("$0, unpriced", {"money": Fraction(0), "unpriced": True}),
        ("unpriced=no", {"unpriced": False}),
    ],
)
def test_a_budget_is_read_as_people_write_it(written: str, meant: dict[str, int | Fraction]) -> None:
    assert budget(written) == meant


@pytest.mark.parametrize("written", ["", "20", "twenty calls", "calls", "time=5", "20 calls,", "$", "-1 calls"])
def test_what_is_no_budget_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(BadSetting, match=r"20 calls, 50k tokens, \$0.50"):
        budget(written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("calls=1, 2 calls", "calls is given twice"),
        ("calls=0", "above zero"),
        ("0.5 calls", "above zero"),
        ("tokens=1.0001k", "above zero"),
        ("money=-1", "US dollars"),
        ("unpriced=perhaps", "true or false"),
    ],
)
def test_a_part_of_a_budget_that_cannot_be_says_why(written: str, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        budget(written)


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (seconds, budget):
        try:
            read(text)
        except BadSetting as refused:
            assert str(refused)  # noqa: PT017  that it is refused is one of two allowed ends
