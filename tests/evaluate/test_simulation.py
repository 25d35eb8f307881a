"""The simulation shows what has been published of panels, and its verdicts are the real rules'."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from quorate.evaluate.recommendation import Recommendation, SimulationPlan, simulate_panel
from quorate.evaluate.simulation import UNDECIDED, SimulatedSeat, SimulatedTalk, discuss, outcomes_of, sealed_votes

simulated = cache(simulate_panel)
"""Every way at once; a test that looks at several of them need not simulate each again."""

FIVE = tuple(SimulatedSeat(name=name, group=name) for name in ("ann", "ben", "cat", "dan", "eve"))


def tried(
    seats: Sequence[SimulatedSeat], talk: SimulatedTalk | None = None, calls: int | None = None
) -> SimulationPlan:
    return SimulationPlan(seats=tuple(seats), talk=talk or SimulatedTalk(), count=10_000, calls=calls)


def way(plan: SimulationPlan, size: int, rounds: int, protocol: str = "conference") -> Recommendation:
    return next(
        one for one in simulated(plan).ways
        if (one.protocol, len(one.seats), one.rounds, one.stop) == (protocol, size, rounds, "fixed")
    )  # fmt: skip


def changed(**fields: object) -> tuple[SimulatedSeat, ...]:
    return tuple(SimulatedSeat(**{"name": seat.name, "group": seat.group, **fields}) for seat in FIVE)  # type: ignore[arg-type]


def test_more_rounds_before_the_vote_hurt_where_seats_conform() -> None:
    conforming = tried(changed(persuadable=0.6))

    sealed, short, long = (way(conforming, 5, rounds).right for rounds in (0, 1, 4))

    assert sealed.low > short.high
    assert short.low > long.high


def test_where_nobody_gives_in_rounds_change_nothing() -> None:
    """Control: it is giving in that hurts, not the rounds."""
    firm = tried(changed(persuadable=0.0))

    assert way(firm, 5, 0).right == way(firm, 5, 4).right


def test_different_models_beat_copies_of_one() -> None:
    talk = SimulatedTalk(correlation=0.6)

    different, copies = way(tried(FIVE, talk), 5, 0).right, way(tried(changed(group="one"), talk), 5, 0).right

    assert different.low > copies.high


def test_without_shared_beliefs_copies_are_as_good() -> None:
    """Control: it is what they believe together that hurts."""
    talk = SimulatedTalk(correlation=0.0)

    different, copies = way(tried(FIVE, talk), 5, 0).right, way(tried(changed(group="one"), talk), 5, 0).right

    assert different.high > copies.low
    assert copies.high > different.low


def test_one_loud_liar_turns_a_panel_that_talks_and_the_sealed_vote_protects() -> None:
    liar = SimulatedSeat(name="eve", liar=True, loudness=8.0)
    honest, infiltrated = tried(FIVE), tried((*FIVE[:4], liar))

    sealed, talked = way(infiltrated, 5, 0), way(infiltrated, 5, 4)

    assert talked.wrong > 3 * sealed.wrong
    assert sealed.right.low > 0.6
    assert talked.right.high < 0.4 < way(honest, 5, 4).right.low


def test_a_seat_is_right_as_often_as_it_is_said_to_be() -> None:
    votes = sealed_votes(FIVE, SimulatedTalk(), 50_000, np.random.default_rng(1))

    assert (votes == 0).mean(axis=0) == pytest.approx(0.7, abs=0.01)


def test_talk_takes_over_votes_and_invents_none() -> None:
    chance = np.random.default_rng(1)
    votes = sealed_votes(FIVE, SimulatedTalk(options=9), 500, chance)

    after = discuss(votes, FIVE, chance)

    assert all(set(late) <= set(early) for early, late in zip(votes.tolist(), after.tolist(), strict=True))


def test_verdicts_are_those_of_the_rules() -> None:
    votes = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 2], [2, 2, 2]], dtype=np.int8)

    assert outcomes_of(votes, "plurality").tolist() == [0, 1, UNDECIDED, 2]
    assert outcomes_of(votes, "oracle").tolist() == [0, 1, UNDECIDED, 2]


def test_an_oracle_asks_for_two_thirds_and_errs_less_often_than_a_plurality() -> None:
    votes = np.array([[0, 0, 1, 2, 3], [1, 1, 1, 2, 3], [1, 1, 1, 1, 3]], dtype=np.int8)

    plurality, oracle = (way(tried(FIVE), 5, 0, protocol) for protocol in ("conference", "oracle"))

    assert outcomes_of(votes, "plurality").tolist() == [0, 1, 1]
    assert outcomes_of(votes, "oracle").tolist() == [UNDECIDED, UNDECIDED, 1]
    assert oracle.wrong < plurality.wrong / 2
    assert oracle.right.high < plurality.right.low


def test_which_protocol_is_recommended_depends_on_how_much_error_is_accepted() -> None:
    any_, few = (simulated(replace(tried(FIVE), wrong=wrong)) for wrong in (None, 0.02))

    assert any_.best is not None
    assert few.best is not None
    assert (any_.best.protocol, few.best.protocol) == ("conference", "oracle")
    assert few.best.wrong <= 0.02 < any_.best.wrong
    assert simulated(replace(tried(FIVE), wrong=0.0)).best is None


def test_what_is_recommended_keeps_to_the_budget_and_is_near_the_best() -> None:
    found = simulate_panel(tried(FIVE, calls=4))

    assert found.best is not None
    assert found.best.calls <= 4
    assert found.best.right.high >= max(one.right.low for one in found.ways if one.calls <= 4)
    assert simulate_panel(tried(FIVE[:1], calls=1)).best is not None


def test_the_same_seed_gives_the_same_figures() -> None:
    assert simulate_panel(tried(FIVE)) == simulate_panel(tried(FIVE))
