"""P7: every deliberation ends, whatever its models and connections do, by its deadline and a second."""

import asyncio
import os
import resource
from dataclasses import replace

import pytest

from quorate.model import Ask, Limits, Reply
from quorate.panelists import WordListener, ignore_words
from tests.figures import Figure
from tests.promises import virtual_time
from tests.promises.storms import Survey, Weather, storm, weather_through

STORMS = int(os.environ.get("QUORATE_STORMS", "10000"))
"""Storms of the long size on virtual time."""
MINUTES = (5.0, 300.0)
SECONDS = (0.2, 1.0)
KINDS = 20
MOST_MEMORY = 100_000_000


def ends(survey: Survey, storms: int) -> None:
    assert survey.late == []
    assert survey.untyped == []
    assert survey.left_over == []
    assert survey.verdicts + survey.errors == survey.storms == storms


def grown() -> int:
    """The most memory this process has ever used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.promise
def test_100_storms_on_virtual_time_all_end_in_time(seed: int, figure: Figure) -> None:
    survey = Survey()
    virtual_time.run(weather_through(survey, 100, seed, MINUTES))

    figure(str(survey))
    ends(survey, 100)
    assert len(survey.met) > KINDS


@pytest.mark.promise
async def test_6_storms_on_the_clock_on_the_wall_all_end_in_time(seed: int, figure: Figure) -> None:
    survey = Survey()
    await weather_through(survey, 6, seed, SECONDS)

    figure(f"on the real clock, {survey}")
    ends(survey, 6)


CALM = Weather(
    protocol="tribunal", form="completions", deadline=10, patience=5, share=0, listens=False, slowest=0, seed=1
)


@pytest.mark.promise
def test_without_a_deadline_the_same_storms_are_late() -> None:
    """Control: models that take ten minutes each, and nobody stops them."""
    survey, slow = Survey(), replace(CALM, slowest=1200.0)
    virtual_time.run(storm(slow, survey, limits=Limits()))

    assert len(survey.late) == 1


class Leaves:
    """Answers, and leaves something running."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        self.tasks.add(asyncio.create_task(asyncio.sleep(3600)))
        return Reply(text=f"Well, {ask.seat.name}.")


@pytest.mark.promise
def test_what_is_left_running_shows() -> None:
    """Control: a panelist that leaves tasks behind."""
    survey = Survey()
    virtual_time.run(storm(CALM, survey, Safety=Leaves()))

    assert len(survey.left_over) == 1


@pytest.mark.promise
def test_in_calm_weather_the_panel_decides() -> None:
    """Control: it is the storm that silences seats, and the harness hears those who speak."""
    survey = Survey()
    for protocol in ("tribunal", "conference", "debate"):
        for form in ("completions", "messages", "generate", "responses"):
            for listens in (False, True):
                calm = replace(CALM, protocol=protocol, form=form, listens=listens)
                virtual_time.run(storm(calm, survey))

    assert (survey.storms, survey.silent, survey.met) == (24, 0, {})


@pytest.mark.long
def test_storms_by_the_thousand_all_end_in_time_and_use_little_memory(seed: int, figure: Figure) -> None:
    survey, first = Survey(), Survey()
    virtual_time.run(weather_through(first, 100, seed + 1, MINUTES))
    before = grown()
    virtual_time.run(weather_through(survey, STORMS, seed, MINUTES))
    more = grown() - before

    figure(f"{survey}; {more / 1e6:.0f} MB more memory than after 100")
    ends(survey, STORMS)
    assert len(survey.met) > KINDS
    assert more < MOST_MEMORY


@pytest.mark.long
async def test_200_storms_on_the_clock_on_the_wall_all_end_in_time(seed: int, figure: Figure) -> None:
    survey = Survey()
    await weather_through(survey, 200, seed, SECONDS)

    figure(f"on the real clock, {survey}")
    ends(survey, 200)
