"""Options that only similarity takes for the same are counted apart, and both ways are weighed."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from quorate import chair, presets
from quorate.model import Ask, Errand, Event, Found, Panel, Reply, Rulebook, Seat, Verdict
from quorate.similarity.errand_compare import comparer
from quorate.testing import vote
from tests.conference import conference
from tests.play import play, verdict
from tests.similarity.backends import on_every_backend

MERGE, DENIED, PYTHON = "Merge the pull request", "Merge the pull request ❌", "Keep it in Python"
PLURALITY = presets.rulebook("plurality")


def held(options: Sequence[str], backend: str, rulebook: Rulebook = PLURALITY) -> list[Event]:
    """The record of seats with these options where this backend compares them."""
    seats = tuple(Seat(name=f"s{number}") for number, _ in enumerate(options))

    def answer(ask: Ask) -> Reply:
        return Reply(text=vote(ask, options[seats.index(ask.seat)]))

    async def found(errand: Errand) -> Found:
        return await comparer(backend)(errand)

    begin = replace(conference(Panel(seats=seats), settings={"mode": "quick"}), rulebook=rulebook)
    return play(begin, answer, find=lambda errand: asyncio.run(found(errand)))


def ruled(options: Sequence[str], backend: str, rulebook: Rulebook = PLURALITY) -> tuple[Verdict, tuple[int, ...]]:
    """What they come to, and how many seats hold each option."""
    events = held(options, backend, rulebook)
    tally = chair.tally_of(chair.replay(events))
    return verdict(events).verdict, tuple(sorted((tally.heads(option) for option in tally.cast), reverse=True))


def noticed(found: Verdict) -> list[str]:
    return [caution.text for caution in found.cautions if caution.name == "grouping_matters"]


def similar(found: Verdict) -> list[str]:
    return [caution.text for caution in found.cautions if caution.name == "similar_options"]


@on_every_backend
def test_what_reads_alike_is_counted_apart_and_told_where_it_changes_nothing(name: str) -> None:
    found, heads = ruled((MERGE, DENIED, MERGE), name)

    assert heads == (2, 1)
    assert (found.outcome, found.decided, found.requires_human_review) == (MERGE, True, False)
    assert (noticed(found), len(similar(found))) == ([], 1)


@on_every_backend
def test_where_it_matters_the_stricter_count_holds_and_a_person_is_asked(name: str) -> None:
    found, heads = ruled((MERGE, DENIED, DENIED), name)

    assert heads in {(2, 1), (3,)}
    assert (found.decided and found.outcome == MERGE) is False
    assert found.requires_human_review or found.outcome == DENIED
    assert similar(found) == [] or noticed(found) == []


@on_every_backend
def test_a_lead_that_grouping_would_undo_decides_nothing(name: str) -> None:
    found, heads = ruled((PYTHON, PYTHON, MERGE, DENIED), name)

    assert (heads, found.outcome, found.decided, found.requires_human_review) == ((2, 2), None, False, True)
    assert (len(noticed(found)), similar(found)) == (1, [])


@on_every_backend
def test_the_same_words_are_one_and_nothing_is_said(name: str) -> None:
    found, heads = ruled((MERGE, "merge the pull requests", MERGE), name)

    assert heads == (3,)
    assert (found.outcome, found.decided, noticed(found), similar(found)) == (MERGE, True, [], [])
