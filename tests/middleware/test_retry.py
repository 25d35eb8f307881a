import asyncio
from datetime import UTC, datetime

import pytest

from quorate.errors import PanelistError
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Prompt, Seat
from quorate.panelists.http.failures import seconds_to_wait
from quorate.testing import Faulty, FixedClock

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"), wants="decision", mark="5eed")


async def attempts(faulty: Faulty, *, patience: TimeLimit | None = None, clock: FixedClock | None = None) -> str:
    """What came of it: the text, or the reason."""
    clock = clock or FixedClock()
    retry = Retry(faulty, patience or TimeLimit(), Retries(), chance=lambda: 1.0, sleep=clock.sleep)
    try:
        return (await retry.answer(ASK)).text[:5]
    except PanelistError as failed:
        return failed.why


async def test_what_may_pass_is_tried_three_times_and_no_more() -> None:
    faulty = Faulty("overloaded")

    assert await attempts(faulty) == "overloaded"
    assert faulty.asked == 3


async def test_the_first_success_ends_it() -> None:
    faulty = Faulty("unreachable", times=1)

    assert await attempts(faulty) == "Well."
    assert faulty.asked == 2


@pytest.mark.parametrize("kind", ["wrong_key", "no_such_model", "too_long", "bad_request", "timeout"])
async def test_what_will_not_pass_is_not_tried_again(kind: str) -> None:
    faulty = Faulty(kind)

    assert await attempts(faulty) == kind
    assert faulty.asked == 1


async def test_a_cancellation_is_not_tried_again() -> None:
    faulty = Faulty("never")
    task = asyncio.create_task(attempts(faulty))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert faulty.asked == 1


@pytest.mark.parametrize(
    ("after", "attempt", "chance", "wait"),
    [
        (None, 1, 1.0, 0.5),
        (None, 2, 1.0, 1.0),
        (None, 3, 0.5, 1.0),
        (None, 9, 1.0, 8.0),
        (None, 1, 0.0, 0.0),
        (7.0, 1, 0.0, 7.0),
        (7.0, 1, 1.0, 7.5),
        (1e9, 1, 0.0, 60.0),
        (-3.0, 1, 0.0, 0.0),
    ],
)
def test_waiting_doubles_with_full_jitter_on_top_of_what_was_asked_for(
    after: float | None, attempt: int, chance: float, wait: float
) -> None:
    assert Retries().wait(PanelistError("rate_limited", after=after), attempt, chance) == wait


async def test_it_waits_in_between() -> None:
    clock = FixedClock()

    await attempts(Faulty("rate_limited"), clock=clock)

    assert clock.slept == [0.51, 1.01]


async def test_it_gives_up_at_once_rather_than_wait_beyond_its_patience() -> None:
    clock, faulty = FixedClock(), Faulty("rate_limited")

    assert await attempts(faulty, patience=TimeLimit(seconds=0.2), clock=clock) == "rate_limited"
    assert (faulty.asked, clock.slept) == (1, [])


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("3", 3.0),
        (" 2.5 ", 2.5),
        ("-5", 0.0),
        ("99999999999", 86_400.0),
        ("1" * 400, None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 60.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", 86_400.0),
        ("Wed, 99 Oct 9999999 07:28:00 GMT", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("1e9", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date_and_nonsense_as_nothing(written: str, seconds: float | None) -> None:
    assert seconds_to_wait(written, datetime(2026, 10, 21, 7, 27, tzinfo=UTC)) == seconds
