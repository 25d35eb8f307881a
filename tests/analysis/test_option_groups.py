from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.option_groups import AT_LEAST, Grouping, OptionScores, group, regroupings

OPTIONS = ("red", "crimson", "scarlet", "blue")


def scored(same: bool = True, **pairs: str) -> OptionScores:
    """`red_blue="0.85"`: the scores by the options' names; `same`: they are all the same words."""
    names = {key: key.split("_") for key in pairs}
    scores = tuple((OPTIONS.index(a), OPTIONS.index(b), Fraction(pairs[key])) for key, (a, b) in names.items())
    return OptionScores(scores=scores, same=tuple((i, j) for i, j, _ in scores) if same else ())


def pair_of(score: int) -> OptionScores:
    return OptionScores(scores=((0, 1, Fraction(score)),), same=((0, 1),))


def members(found: Grouping) -> list[tuple[str, ...]]:
    return [one.members for one in found.groups]


def whys(found: Grouping) -> dict[tuple[str, str], str]:
    return {(pair.a, pair.b): pair.why for pair in found.pairs}


def test_options_are_joined_from_seven_tenths_on() -> None:
    found = group(OPTIONS, scored(red_crimson="0.7", scarlet_blue="0.6999"))

    assert members(found) == [("red", "crimson"), ("scarlet",), ("blue",)]
    assert whys(found) == {
        ("red", "crimson"): "the same words, at least 0.70",
        ("scarlet", "blue"): "the same words, below 0.70",
    }
    assert [pair.merged for pair in found.pairs] == [True, False]


def test_other_words_are_never_joined_whatever_their_score() -> None:
    found = group(OPTIONS[:2], scored(same=False, red_crimson="1"))

    assert members(found) == [("red",), ("crimson",)]
    assert whys(found) == {("red", "crimson"): "other words, at least 0.70"}


def test_a_group_takes_in_only_what_is_like_every_member() -> None:
    found = group(OPTIONS[:3], scored(red_crimson="0.9", crimson_scarlet="0.8", red_scarlet="0.5"))

    assert members(found) == [("red", "crimson"), ("scarlet",)]
    assert whys(found)["crimson", "scarlet"] == "linkage, 'red' and 'scarlet' may not be merged"


def test_one_pair_of_other_words_keeps_two_groups_apart() -> None:
    every = scored(red_crimson="0.9", red_scarlet="0.8", crimson_scarlet="0.8")
    some = OptionScores(scores=every.scores, same=((0, 1), (1, 2)))

    assert members(group(OPTIONS[:3], some)) == [("red", "crimson"), ("scarlet",)]


def test_a_pair_without_a_score_is_below() -> None:
    assert members(group(OPTIONS, OptionScores(scores=()))) == [(option,) for option in OPTIONS]


def test_the_name_is_the_option_seen_first() -> None:
    turned = ("crimson", "red")

    assert [one.name for one in group(turned, pair_of(1)).groups] == ["crimson"]


def test_a_pair_just_at_the_threshold_that_is_kept_apart_is_not_called_below_it() -> None:
    found = group(OPTIONS[:3], scored(red_crimson="0.9", crimson_scarlet="0.7", red_scarlet="0.5"))

    assert whys(found)["crimson", "scarlet"] == "linkage, 'red' and 'scarlet' may not be merged"


def test_an_option_that_is_there_twice_counts_once() -> None:
    found = group(
        ("red", "blue", "red"),
        OptionScores(scores=((0, 1, Fraction(0)), (0, 2, Fraction(1)), (1, 2, Fraction(0))), same=((0, 2),)),
    )

    assert members(found) == [("red",), ("blue",)]
    assert list(whys(found)) == [("red", "blue")]


@given(st.data())
def test_the_order_of_the_options_changes_no_group(data: st.DataObject) -> None:
    options = tuple("abcdefg"[: data.draw(st.integers(1, 7))])
    tenths = st.sampled_from([Fraction(number, 10) for number in (5, 7, 7, 8, 9, 10)])
    scores = {pair: data.draw(tenths) for pair in combinations(options, 2)}
    refused = data.draw(st.sets(st.sampled_from(sorted(scores)))) if scores else set()

    def groups(order: tuple[str, ...]) -> set[frozenset[str]]:
        at = {option: place for place, option in enumerate(order)}
        numbers = tuple((at[a], at[b], score) for (a, b), score in scores.items())
        same = tuple((at[a], at[b]) for a, b in scores if (a, b) not in refused)
        found = group(order, OptionScores(scores=numbers, same=same))
        return {frozenset(one.members) for one in found.groups}

    joined = groups(options)
    assert groups(tuple(data.draw(st.permutations(options)))) == joined
    for one in joined:
        for pair in combinations(sorted(one), 2):
            assert scores[pair] >= AT_LEAST
            assert pair not in refused


def zone(*scores: str, same: Sequence[tuple[int, int]] = (), held: str = "abcdef") -> list[set[tuple[str, str]]]:
    """The pairs merged in each other grouping of options whose pairs have these scores, in order."""
    places = list(combinations(range(6), 2))[: len(scores)]
    options = [f"option {letter}" for letter in "abcdef"]
    compared = OptionScores(
        scores=tuple((i, j, Fraction(score)) for (i, j), score in zip(places, scores, strict=True)), same=tuple(same)
    )
    found = regroupings(options, compared, [f"option {letter}" for letter in held])
    return [{(pair.a[-1], pair.b[-1]) for pair in pairs} for pairs, _ in found]


def test_a_pair_is_open_where_only_words_or_only_similarity_take_it_for_the_same() -> None:
    assert zone("0.69", "0.7", "0.9") == [{("a", "d")}, {("a", "c")}, {("a", "c"), ("a", "d")}]
    assert zone("0.9", same=[(0, 1)]) == []
    assert zone("0.5", same=[(0, 1)]) == [{("a", "b")}]


def test_only_options_that_somebody_still_holds_are_open() -> None:
    assert zone("0.9", "0.9", held="ac") == [{("a", "c")}]


def test_many_pairs_are_tried_one_by_one_and_all_together_and_very_many_only_together() -> None:
    options = [f"o{n}" for n in range(40)]

    assert [len(pairs) for pairs in zone(*["0.8"] * 15)] == [*[1] * 15, 15]
    assert len(list(regroupings(options, _every(40), options))) == 1


@pytest.mark.parametrize(("pairs", "groupings"), [(4, 15), (5, 6), (24, 25), (25, 1)])
def test_of_four_pairs_every_selection_is_tried_and_up_to_24_each_by_itself(pairs: int, groupings: int) -> None:
    options = [f"o{n}" for n in range(8)]
    compared = OptionScores(scores=_every(8).scores[:pairs])

    assert len(list(regroupings(options, compared, options))) == groupings


def test_what_is_chosen_is_merged_and_nothing_else() -> None:
    compared = OptionScores(scores=((0, 1, Fraction("0.7")), (2, 3, Fraction("0.8"))))

    found = [members(grouping) for _, grouping in regroupings(OPTIONS, compared, OPTIONS)]

    assert found == [
        [("red",), ("crimson",), ("scarlet", "blue")],
        [("red", "crimson"), ("scarlet",), ("blue",)],
        [("red", "crimson"), ("scarlet", "blue")],
    ]


@pytest.mark.parametrize(("at_least", "score", "ways"), [("0.9", "0.8", 1), ("0.9", "0.69", 0), ("0.65", "0.66", 1)])
def test_a_higher_threshold_proposes_no_fewer_pairs(at_least: str, score: str, ways: int) -> None:
    found = regroupings(OPTIONS, OptionScores(scores=((0, 1, Fraction(score)),)), OPTIONS, Fraction(at_least))

    assert len(list(found)) == ways


def _every(number: int) -> OptionScores:
    return OptionScores(scores=tuple((i, j, Fraction(4, 5)) for i, j in combinations(range(number), 2)))
