"""The published examples, on every backend."""

import pytest

from benchmarks.grouping import APART, TOGETHER
from quorate.offline.group import group_options
from quorate.similarity.backend_choice import choose
from tests.similarity.backends import on_every_backend

pytestmark = pytest.mark.slow


@on_every_backend
@pytest.mark.parametrize("options", TOGETHER, ids=lambda options: options[0])
def test_what_says_the_same_is_merged(name: str, options: tuple[str, ...]) -> None:
    [group] = group_options(options, choose(name)).groups

    assert (group.name, group.members) == (options[0], options)


@on_every_backend
@pytest.mark.parametrize("options", APART, ids=lambda options: options[0])
def test_what_says_something_else_stays_apart(name: str, options: tuple[str, ...]) -> None:
    assert len(group_options(options, choose(name)).groups) == len(options)


@on_every_backend
def test_the_grouping_example_of_the_seed_is_two_to_one(name: str) -> None:
    votes = ("Self-documenting code", "Prioritize self-documenting code", "Focus on comprehensive unit tests")

    groups = group_options(votes, choose(name)).groups

    assert [(group.name, len(group.members)) for group in groups] == [
        ("Self-documenting code", 2),
        ("Focus on comprehensive unit tests", 1),
    ]


@on_every_backend
def test_the_score_of_a_pair_depends_on_the_two_texts_alone(name: str) -> None:
    pair = ("Encrypt the nightly backups", "Encrypt backups every night")
    others = tuple(f"Rewrite the {noun} in another language" for noun in ("parser", "scheduler", "billing engine"))
    backend = choose(name)

    [(_, _, alone)] = backend.scores(pair)
    [(_, _, turned)] = backend.scores(pair[::-1])
    in_company = {(i, j): score for i, j, score in backend.scores((*others, *pair))}

    assert alone == turned == in_company[3, 4]


@on_every_backend
def test_the_same_text_is_entirely_alike(name: str) -> None:
    [(_, _, score)] = choose(name).scores(("Option A", "Option A"))

    assert score == 1


@on_every_backend
def test_above_fifty_texts_only_scores_from_two_fifths_on_are_given(name: str) -> None:
    texts = tuple(f"Move team {number} to the building in street {number + 7}" for number in range(12)) + tuple(
        f"{word} {other}" for word in ("amber", "cobalt", "ivory", "jade") for other in "xyzuvwqrst"
    )
    few, many = texts[:50], texts

    assert len(list(choose(name).scores(few))) == 50 * 49 / 2
    assert all(score >= 0.4 and i < j for i, j, score in choose(name).scores(many))
