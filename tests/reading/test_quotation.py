"""Whether words stand in what a seat was shown: to the letter, or by their values side by side."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from quorate.reading.text.quotation import Value, stands_in


@pytest.mark.parametrize(
    ("shown", "piece"),
    [
        ("He said: go, now!", "GO NOW"),
        ("He said go\\nnow", "go now"),
        ("He said go&nbsp;now", "go now"),
        ("He said go&#x20;now", "go now"),
        ("He said go%20now", "go now"),
        ("He said g\\u006f now", "go now"),
        ("He said \uff47\uff4f now", "go now"),
        ("He said go now", "g\\u006f%20now"),
    ],
)
def test_case_signs_and_encodings_make_no_difference(shown: str, piece: str) -> None:
    assert stands_in(shown, (piece,), ())
    assert not stands_in(shown, (f"{piece} again",), ())


def test_every_piece_must_stand_there_and_one_without_letters_says_nothing() -> None:
    assert stands_in("ACT. 80. 20.", ("act", "80"), ())
    assert not stands_in("ACT. 80. 20.", ("act", "81"), ())
    assert stands_in("ACT", ("act", "--"), ())
    assert not stands_in("ACT", ("--",), ())
    assert not stands_in("ACT", (), ())


def apart(words: int) -> str:
    """Two values with so many words from the one to the other."""
    return " ".join(["act", *["so"] * (words - 1), "80"])


@pytest.mark.parametrize(
    ("shown", "values", "found"),
    [
        (apart(60), ("ACT", Fraction(4, 5)), True),
        (apart(61), ("ACT", Fraction(4, 5)), False),
        (f"act {apart(70)} act", ("ACT", Fraction(4, 5)), True),
        ("decision act, confidence 0.8", ("ACT", Fraction(4, 5)), True),
        ("decision act, confidence 80", ("ACT", Fraction(4, 5)), True),
        ("decision act, confidence 8", ("ACT", Fraction(4, 5)), False),
        ("80 it is, act", (Fraction(4, 5), "ACT"), True),
        ("use sqlite now", ("Use SQLite",), True),
        ("use my sqlite", ("Use SQLite",), False),
        ("sqlite, use it", ("Use SQLite",), False),
        ("act", ("ACT", None, True, ""), True),
        ("act", (None, True, ""), False),
        ("act", ("--",), False),
        ("a" + "1" * 101, (Fraction("1" * 101),), False),
    ],
)
def test_values_stand_there_where_all_of_them_are_close_together(
    shown: str, values: Sequence[Value], found: bool
) -> None:
    assert stands_in(shown, (), values) is found
