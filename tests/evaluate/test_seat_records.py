"""How reliable a seat was, by kind of question, and whether that changed: against tables counted by hand."""

import pytest

from quorate.evaluate.past_decisions import PastDecision
from quorate.evaluate.seat_records import drift_of, fisher, seat_records


def decision(number: int, kind: str, *, right: bool | None) -> PastDecision:
    return PastDecision(
        id=str(number),
        begun=f"2026-01-{number:02}",
        protocol="conference",
        kind=kind,
        like="",
        models={"A": "m:one", "B": "m:two"},
        listed=3,
        first={"A": 0, "B": 1},
        last={"A": 0, "B": 0},
        heard={},
        right=None if right is None else 0 if right else 2,
    )


def test_each_seat_and_model_is_counted_by_kind_of_question() -> None:
    told = [decision(1, "code", right=True), decision(2, "facts", right=False), decision(3, "code", right=None)]

    first, second = seat_records(told, "model")

    assert (first.seat, first.votes, first.labelled, first.right) == ("m:one", 3, 2, 1)
    assert [(one.kind, one.right, one.labelled) for one in first.kinds] == [("code", 1, 1), ("facts", 0, 1)]
    assert (second.seat, second.right, second.labelled) == ("m:two", 0, 2)
    assert first.accuracy is not None
    assert first.accuracy.low < 0.5 < first.accuracy.high
    assert [one.seat for one in seat_records(told, "seat")] == ["A", "B"]


@pytest.mark.parametrize(
    ("table", "p_value"),
    [((8, 10, 1, 6), 0.03497), ((3, 4, 1, 4), 0.48571), ((5, 10, 5, 10), 1.0), ((1, 10, 11, 12), 0.00028)],
)
def test_the_test_is_fishers(table: tuple[int, int, int, int], p_value: float) -> None:
    assert fisher(*table) == pytest.approx(p_value, abs=5e-5)


def test_a_seat_that_got_worse_is_said_to_drift_and_a_steady_one_is_not() -> None:
    worse = drift_of([True] * 30 + [False] * 30)
    steady = drift_of([True, False] * 30)

    assert worse is not None
    assert steady is not None
    assert (worse.is_drift, worse.earlier.value, worse.later.value) == (True, 1.0, 0.0)
    assert (steady.is_drift, steady.p_value) == (False, 1.0)
    assert drift_of([True] * 9) is None


def test_many_seats_looked_at_make_a_drift_by_chance_less_easily_believed() -> None:
    hits = [True] * 8 + [True, True, False, False, False, False, False, False]

    alone, among_many = drift_of(hits), drift_of(hits, seats=20)

    assert alone is not None
    assert among_many is not None
    assert (alone.is_drift, among_many.is_drift) == (True, False)
