from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.analysis.option_groups import AT_LEAST, LOWEST, Grouping, grey_from, group, regroupings

OPTIONS = ("red", "crimson", "scarlet", "blue")


def scored(**pairs: str) -> list[tuple[int, int, Fraction]]:
    """`red_blue="0.85"`: the scores by the options' names."""
    names = {key: key.split("_") for key in pairs}
    return [(OPTIONS.index(a), OPTIONS.index(b), Fraction(pairs[key])) for key, (a, b) in names.items()]


def members(found: Grouping) -> list[tuple[str, ...]]:
    return [one.members for one in found.groups]


def whys(found: Grouping) -> dict[tuple[str, str], str]:
    return {(pair.a, pair.b): pair.why for pair in found.pairs}


def test_options_are_joined_from_seven_tenths_on() -> None:
    found = group(OPTIONS, scored(red_crimson="0.7", scarlet_blue="0.6999"))

    assert members(found) == [("red", "crimson"), ("scarlet",), ("blue",)]
    assert whys(found) == {("red", "crimson"): "at least 0.70", ("scarlet", "blue"): "below 0.70"}
    assert [pair.merged for pair in found.pairs] == [True, False]


def test_a_refused_pair_is_never_joined_whatever_its_score() -> None:
    found = group(OPTIONS[:2], scored(red_crimson="1"), [(1, 0, "negation")])

    assert members(found) == [("red",), ("crimson",)]
    assert whys(found) == {("red", "crimson"): "refused, negation"}


def test_a_group_takes_in_only_what_is_like_every_member() -> None:
    found = group(OPTIONS[:3], scored(red_crimson="0.9", crimson_scarlet="0.8", red_scarlet="0.5"))

    assert members(found) == [("red", "crimson"), ("scarlet",)]
    assert whys(found)["crimson", "scarlet"] == "linkage, 'red' and 'scarlet' may not be merged"


def test_a_refusal_across_two_groups_keeps_them_apart() -> None:
    every = scored(red_crimson="0.9", red_scarlet="0.8", crimson_scarlet="0.8")

    assert members(group(OPTIONS[:3], every, [(0, 2, "number")])) == [("red", "crimson"), ("scarlet",)]


def test_a_pair_without_a_score_is_below() -> None:
    assert members(group(OPTIONS, ())) == [(option,) for option in OPTIONS]


def test_the_name_is_the_option_seen_first() -> None:
    turned = ("crimson", "red")

    assert [one.name for one in group(turned, [(0, 1, Fraction(1))]).groups] == ["crimson"]
    assert group(turned, [(0, 1, Fraction(1))]).name_of("red") == "crimson"
    assert group(turned, ()).name_of("never seen") == "never seen"


@pytest.mark.parametrize(
    ("options", "alike", "names"),
    [
        (('"red"', "blue"), False, ["red", "blue"]),
        (("« red »", "blue"), False, ["red", "blue"]),
        (('"red', "blue"), False, ['"red', "blue"]),
        (('""', "blue"), False, ['""', "blue"]),
        (('"red"', "red"), False, ['"red"', "red"]),
        (('"red"', "red"), True, ["red"]),
        (('"red"', "blue"), True, ["red"]),
    ],
)
def test_quotation_marks_are_no_part_of_a_name_unless_that_is_another_option(
    options: tuple[str, str], alike: bool, names: list[str]
) -> None:
    found = group(options, [(0, 1, Fraction(int(alike)))])

    assert [one.name for one in found.groups] == names


def test_a_pair_just_at_the_threshold_that_is_kept_apart_is_not_called_below_it() -> None:
    found = group(OPTIONS[:3], scored(red_crimson="0.9", crimson_scarlet="0.7", red_scarlet="0.5"))

    assert whys(found)["crimson", "scarlet"] == "linkage, 'red' and 'scarlet' may not be merged"


def test_an_option_that_is_there_twice_counts_once() -> None:
    found = group(("red", "blue", "red"), [(0, 1, Fraction(0)), (0, 2, Fraction(1)), (1, 2, Fraction(0))])

    assert members(found) == [("red",), ("blue",)]
    assert list(whys(found)) == [("red", "blue")]


def test_no_setting_merges_what_the_guard_has_not_seen() -> None:
    assert len(group(OPTIONS[:2], scored(red_crimson="0.59"), (), Fraction(1, 10)).groups) == 2


@given(st.data())
def test_the_order_of_the_options_changes_no_group(data: st.DataObject) -> None:
    options = tuple("abcdefg"[: data.draw(st.integers(1, 7))])
    tenths = st.sampled_from([Fraction(number, 10) for number in (5, 7, 7, 8, 9, 10)])
    scores = {pair: data.draw(tenths) for pair in combinations(options, 2)}
    refused = data.draw(st.sets(st.sampled_from(sorted(scores)))) if scores else set()

    def groups(order: tuple[str, ...]) -> set[frozenset[str]]:
        at = {option: place for place, option in enumerate(order)}
        numbers = [(at[a], at[b], score) for (a, b), score in scores.items()]
        found = group(order, numbers, [(at[a], at[b], "no") for a, b in refused])
        return {frozenset(one.members) for one in found.groups}

    joined = groups(options)
    assert groups(tuple(data.draw(st.permutations(options)))) == joined
    for one in joined:
        for pair in combinations(sorted(one), 2):
            assert scores[pair] >= AT_LEAST
            assert pair not in refused


def zone(
    *scores: str, by: str = "overlap 2", refused: Sequence[tuple[int, int, str]] = ()
) -> list[set[tuple[str, str]]]:
    """The pairs merged in each other grouping of options whose pairs have these scores, in order."""
    places = list(combinations(range(6), 2))[: len(scores)]
    options = [f"option {letter}" for letter in "abcdef"]
    scored = [(i, j, Fraction(score)) for (i, j), score in zip(places, scores, strict=True)]
    found = regroupings(options, scored, refused, by)
    return [{(pair.a[-1], pair.b[-1]) for pair in pairs} for pairs, _ in found]


def test_only_pairs_in_the_grey_zone_of_their_backend_leave_a_grouping_open() -> None:
    assert zone("0.39", "0.4", "0.69", "0.7") == [{("a", "d")}, {("a", "c")}, {("a", "c"), ("a", "d")}]
    assert zone("0.54", "0.55", by="embeddings all-MiniLM-L6-v2") == [{("a", "c")}]
    assert zone("0.54", "0.55", by="endpoint text-embedding-3-small (api.openai.com)") == [{("a", "c")}]
    assert zone("0.5", refused=[(0, 1, "negation")]) == []


def test_many_pairs_are_tried_one_by_one_and_all_together_and_very_many_only_together() -> None:
    assert [len(pairs) for pairs in zone(*["0.5"] * 15)] == [*[1] * 15, 15]
    assert len(list(regroupings([f"o{n}" for n in range(40)], _every(40), (), "tfidf 2"))) == 1


@pytest.mark.parametrize(("pairs", "groupings"), [(4, 15), (5, 6), (24, 25), (25, 1)])
def test_of_four_pairs_every_selection_is_tried_and_up_to_24_each_by_itself(pairs: int, groupings: int) -> None:
    options = [f"o{n}" for n in range(8)]

    assert len(list(regroupings(options, _every(8)[:pairs], (), "tfidf 2"))) == groupings


def test_what_is_chosen_is_merged_and_nothing_else() -> None:
    scores = [(0, 1, Fraction("0.5")), (2, 3, Fraction("0.6"))]

    found = [members(grouping) for _, grouping in regroupings(OPTIONS, scores, (), "overlap 2")]

    assert found == [
        [("red",), ("crimson",), ("scarlet", "blue")],
        [("red", "crimson"), ("scarlet",), ("blue",)],
        [("red", "crimson"), ("scarlet", "blue")],
    ]


@pytest.mark.parametrize(("at_least", "score", "grey"), [("0.9", "0.8", 0), ("0.9", "0.69", 1), ("0.65", "0.66", 0)])
def test_the_grey_zone_ends_at_the_threshold_and_never_above_seven_tenths(at_least: str, score: str, grey: int) -> None:
    found = regroupings(OPTIONS, [(0, 1, Fraction(score))], (), "overlap 2", Fraction(at_least))

    assert len(list(found)) == grey


def test_of_fifty_options_the_zone_begins_where_it_does_for_few() -> None:
    assert grey_from("overlap 2", 50) == grey_from("overlap 2", 2) == Fraction(2, 5)
    assert grey_from("embeddings", 51) == grey_from("overlap 2", 51) == LOWEST


def test_of_very_many_options_only_pairs_the_guard_has_looked_at_are_grey() -> None:
    options = [f"o{n}" for n in range(51)]

    assert list(regroupings(options, [(0, 1, Fraction("0.59"))], (), "overlap 2")) == []
    assert len(list(regroupings(options, [(0, 1, Fraction("0.6"))], (), "overlap 2"))) == 1


def _every(number: int) -> list[tuple[int, int, Fraction]]:
    return [(i, j, Fraction(1, 2)) for i, j in combinations(range(number), 2)]
