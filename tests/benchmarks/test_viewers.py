import pytest

from benchmarks.viewers import WEIGHT, Crowd, page_weight


def test_only_what_was_written_when_all_were_there_can_be_late() -> None:
    crowd = Crowd(times=[(1.0, 9.0), (3.0, 3.1), (4.0, 4.4)], here=2.0)

    assert crowd.percentile(0.99) == pytest.approx(0.4)
    assert crowd.percentile(0.0) == pytest.approx(0.1)


def test_the_page_is_light() -> None:
    assert 10_000 < page_weight() < WEIGHT
