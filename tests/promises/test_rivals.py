"""No wording is merged into its rival: negations, exchanged places and other particles, in every casing and backend."""

from random import Random

import pytest

from benchmarks.grouping import TOGETHER
from quorate.offline.group import group_options
from quorate.similarity.backend_choice import choose
from quorate.similarity.contradiction import refusal
from tests.promises.rivals import CASINGS, KINDS, Rivals, rivals
from tests.similarity.backends import on_every_backend

pytestmark = pytest.mark.promise

EVERYDAY, LONG = 500, 10_000
ON_A_BACKEND = {"overlap": 150, "tfidf": 60, "embeddings": 10}
"""Pairs of a kind that go all the way; the guard, which is the same behind every backend, sees far more."""

of_every_kind = pytest.mark.parametrize("kind", KINDS)


def let_pass(pairs: list[Rivals]) -> list[Rivals]:
    """Those that the guard would not keep apart, seen from either side."""
    return [pair for pair in pairs if not (refusal(pair.a, pair.b) and refusal(pair.b, pair.a))]


@of_every_kind
def test_the_guard_refuses_every_rival_in_every_casing(kind: str, seed: int) -> None:
    pairs = list(rivals(kind, seed, EVERYDAY))

    assert len(pairs) == EVERYDAY * len(CASINGS)
    assert let_pass(pairs) == []


@pytest.mark.long
@of_every_kind
def test_the_guard_refuses_ten_thousand_rivals_of_a_kind_in_every_casing(kind: str, seed: int) -> None:
    assert let_pass(list(rivals(kind, seed, LONG))) == []


@on_every_backend
@of_every_kind
def test_rivals_stay_two_groups(name: str, kind: str, seed: int) -> None:
    backend = choose(name)
    merged = [
        pair
        for pair in rivals(kind, seed, ON_A_BACKEND[name])
        if len(group_options((pair.a, pair.b), backend).groups) != 2
    ]

    assert merged == []


@on_every_backend
@pytest.mark.parametrize("casing", ["as written", "upper", "title", "lower"])
def test_what_says_the_same_is_still_merged_in_every_casing(name: str, casing: str, seed: int) -> None:
    cased, chance = CASINGS[casing], Random(seed)
    pairs = [(cased(first, chance), *others) for first, *others in TOGETHER]

    assert [pair for pair in pairs if len(group_options(pair, choose(name)).groups) != 1] == []
