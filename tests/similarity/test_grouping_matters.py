"""The same replies give the same outcome whichever backend is installed, or the verdict says that they might not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from quorate import chair, presets
from quorate.model import Admitted, Ask, Errand, Event, Found, Panel, Reply, Rulebook, Seat, Verdict
from quorate.similarity.errand_compare import comparer
from quorate.testing import vote
from tests.conference import conference
from tests.play import play, verdict
from tests.similarity.backends import on_every_backend

SERVICE, SHORT, PYTHON = "Rewrite the service in Rust", "Rewrite it in Rust", "Keep it in Python"
"""The first two are one option to TF-IDF and embeddings, and not quite to overlapping words."""
PLURALITY = presets.rulebook("plurality")
UNANIMITY = replace(PLURALITY, rules=tuple(rule for rule in PLURALITY.rules if rule.name != "plurality"))


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


@on_every_backend
def test_three_to_none_and_two_to_one_are_the_same_outcome_and_nothing_is_said(name: str) -> None:
    found, heads = ruled((SERVICE, SHORT, SERVICE), name)

    assert heads == ((2, 1) if name == "overlap" else (3,))
    assert (found.outcome, found.decided, found.requires_human_review) == (SERVICE, True, False)
    assert noticed(found) == []


@on_every_backend
def test_where_only_all_together_decide_a_backend_that_cannot_tell_says_so(name: str) -> None:
    found, heads = ruled((SERVICE, SHORT, SERVICE), name, UNANIMITY)

    assert found.requires_human_review == (name == "overlap")
    if name == "overlap":
        assert (heads, found.outcome, found.decided) == ((2, 1), None, False)
        told = f"'{SERVICE}' with '{SHORT}'. Counted as one: '{SERVICE}'. Counted apart: no decision"
        assert noticed(found) == [f"it is uncertain whether options mean the same: {told}"]
    else:
        assert (heads, found.outcome, found.decided, noticed(found)) == ((3,), SERVICE, True, [])


@on_every_backend
def test_a_tie_that_grouping_would_break_stays_a_tie_and_is_told(name: str) -> None:
    found, heads = ruled((SERVICE, SHORT, PYTHON), name)

    assert (heads, found.decided) == (((1, 1, 1), False) if name == "overlap" else ((2, 1), True))
    assert bool(noticed(found)) == found.requires_human_review == (name == "overlap")


@on_every_backend
def test_a_lead_that_grouping_would_undo_decides_nothing_on_any_install(name: str) -> None:
    found, heads = ruled((PYTHON, PYTHON, SERVICE, SHORT), name)

    assert (heads, found.outcome, found.decided, found.requires_human_review) == ((2, 2), None, False, True)
    assert bool(noticed(found)) == (name == "overlap")


@on_every_backend
@pytest.mark.parametrize("other", ["Do not rewrite it in Rust", "Rewrite it in Rust 2"])
def test_what_the_guard_keeps_apart_is_in_no_grey_zone(name: str, other: str) -> None:
    found, _ = ruled((SHORT, other, PYTHON), name)

    assert (found.rule, noticed(found)) == ("no_winner", [])


def test_a_record_of_an_earlier_version_is_counted_as_it_was_then() -> None:
    events = held((PYTHON, PYTHON, SERVICE, SHORT), "overlap")
    earlier = [replace(event, version=1) if isinstance(event, Admitted) else event for event in events]

    assert chair.verdict_of(chair.replay(events)).outcome is None
    assert chair.verdict_of(chair.replay(earlier)).outcome == PYTHON
    assert noticed(chair.verdict_of(chair.replay(earlier))) == []
