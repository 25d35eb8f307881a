import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.reading.text.escapes import unescape
from quorate.reading.text.objects import Object, Scalar, fold_case, objects
from quorate.reading.text.page import merge_spans
from quorate.reading.text.values import LONGEST, percentage, prose

WORDS = st.text(max_size=4)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))


def written(text: str) -> dict[str, str | None]:
    (found,) = objects(text)
    return {name: value.raw if value else None for name, value in found.members}


def meant(value: object) -> str | None:
    if isinstance(value, dict | list):
        return None
    return value if isinstance(value, str) else json.dumps(value)


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=5), st.sampled_from((None, 2)), st.booleans())
def test_whatever_is_json_is_read_as_json(thing: dict[str, Any], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(thing, indent=indent, ensure_ascii=ascii_only)

    (found,) = objects(f"So {text} it is.")

    assert (found.state, found.end - found.start) == ("closed", len(text))
    assert [name for name, _ in found.members] == [fold_case(name) for name in thing]
    assert [value and unescape(value.raw) for _, value in found.members] == [meant(value) for value in thing.values()]
    assert not any(value and value.loose for _, value in found.members)


@given(st.text(alphabet="{}[]\":,\\'“”‘’/*#\n\r\t >`=;ab1\u200b\ud800", max_size=200))
def test_no_text_makes_it_stumble_and_objects_come_in_order(text: str) -> None:
    at = 0
    for found in objects(text):
        assert at <= found.start < found.end <= len(text)
        at = found.end


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 'x', 'b': 2}",
        "{a: x, b: 2}",
        '{"a": "x" "b": 2}',
        '{"a": "x",, "b": 2,}',
        '{"a": "x"\n b: 2}',
        "{“a”: “x”, “b”: 2}",
        '{„a“: „x“, "b": 2}',
        '{a = "x"; b = 2;}',
        '{"a": "x", // why\n "b": 2 # so\n}',
        '{"a": /* first */ "x", /* then */ "b": 2}',
        '{ // an object\n "a": "x", "b": 2}',
        '{\u200b"a"\u00a0:\ufeff"x",\r\n"b":2}',
        '> {"a": "x",\n> "b": 2}',
    ],
)
def test_punctuation_is_mended(text: str) -> None:
    assert written(text) == {"a": "x", "b": "2"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "He said "no", twice", "b": 2}', 'He said "no", twice'),
        ('{"a": "one\ntwo", "b": 2}', "one\ntwo"),
        ("{'a': 'It's Ben's', 'b': 2}", "It's Ben's"),
        ('{"a": "a {b} [c] // d # e", "b": 2}', "a {b} [c] // d # e"),
        (r'{"a": "a \"quoted\" \\", "b": 2}', r"a \"quoted\" \\"),
    ],
)
def test_quotes_braces_and_line_breaks_may_stand_in_a_string(text: str, value: str) -> None:
    assert written(text) == {"a": value, "b": "2"}


def test_unescaped_quotes_in_a_string_are_noticed() -> None:
    (found,) = objects(r'{"a": "say "no" so", "b": "say \"no\" so"}')

    assert [value and value.loose for _, value in found.members] == [True, False]


def test_a_stray_brace_swallows_nothing() -> None:
    found = [*objects('Let x in {1, 2}, f(x) = {x | x > 0}, \\boxed{7}, {note: open {"a": 1} end')]

    assert [thing.members for thing in found] == [
        (("note", Scalar("open", whole=False)),),
        (("a", Scalar("1")),),
    ]


def test_objects_within_belong_to_the_one_around_them_even_through_a_list() -> None:
    (found,) = objects('{"a": {"b": 1}, "c": [[{"d": 2}], "x"], "e": [{"f": 3}}')

    assert [thing.members[0][0] for thing in found.inner] == ["b", "d", "f"]
    assert (found.state, [name for name, _ in found.members]) == ("closed", ["a", "c", "e"])


def test_an_object_that_does_not_end_says_so_and_so_does_a_value_cut_in_two() -> None:
    (number,) = objects('{"a": "x", "b": 2')
    (string,) = objects('{"a": "x", "b": "tw')
    (done,) = objects('{"a": "x", "b": 2\n')

    assert [thing.state for thing in (number, string, done)] == ["open"] * 3
    assert [thing.members[1][1] for thing in (number, string, done)] == [
        Scalar("2", whole=False),
        Scalar("tw", whole=False),
        Scalar("2"),
    ]


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"a":' + "[" * 100_000, '{"a":1}' * 100_000, '{"a":1,' * 100_000])
def test_what_no_reader_could_bear_is_given_up_whole(text: str) -> None:
    *_, last = objects(text)

    assert (last.state, last.end) == ("overfull", len(text))
    assert sum(1 for _ in last.walk()) < 100


def test_a_list_that_was_cut_off_has_the_items_that_stand_there() -> None:
    (found,) = objects('{"a": [1, 2, ')

    assert (found.state, found.items) == ("open", (("a", Scalar("1")), ("a", Scalar("2"))))


def test_walking_meets_every_object_once() -> None:
    tree = Object(0, 9, "closed", inner=(Object(1, 4, "closed", inner=(Object(2, 3, "closed"),)), Object(5, 6, "open")))

    assert sorted(thing.start for thing in tree.walk()) == [0, 1, 2, 5]


def test_places_are_joined_where_they_overlap() -> None:
    assert merge_spans([(5, 9), (0, 2), (8, 12), (3, 3), (2, 4)]) == ((0, 4), (5, 12))


@pytest.mark.parametrize(
    ("text", "share"),
    [("80", (Fraction(4, 5), False)), ("80 %", (Fraction(4, 5), False)), ("0.85", (Fraction(17, 20), True))]
    + [("0.85%", (Fraction(85, 10_000), False)), ("1", (Fraction(1, 100), False)), (".5", (Fraction(1, 2), True))]
    + [("0", (Fraction(0), False)), ("100.0", (Fraction(1), False)), ("8e1", (Fraction(4, 5), False))]
    + [
        (text, None)
        for text in (
            "",
            "-0",
            "-1",
            "100.1",
            "NaN",
            "inf",
            "true",
            "\u0668\u0660",
            "\uff18\uff10",
            "80/100",
            "1" * 5000,
        )
    ]
    + [(text, None) for text in ("8 0", "80%%", "~80", "80,5", "1e999", "0x50", "8_0", " " * 100 + "80")],
)
def test_a_percentage_is_read_as_written_or_not_at_all(text: str, share: tuple[Fraction, bool] | None) -> None:
    assert percentage(text) == share


def test_prose_is_unescaped_and_free_of_what_cannot_be_stored() -> None:
    assert prose(r"a\n\"b\" é\ud83d\ude00 \ud800 \u0000\u001b[2J" + "\x00") == 'a\n"b" é😀 \ufffd [2J'
    assert len(prose("x" * 10 * LONGEST)) == LONGEST


NESTED = 'a {"b": ["c", {"d": 1}, [\'e\', f]], "g": {"h": "i \\\\" }, "j": k "l" @ } m'


@pytest.mark.parametrize("end", range(len(NESTED) + 1))
def test_a_stretch_of_a_text_is_read_as_if_nothing_stood_behind_it(end: int) -> None:
    assert list(objects(NESTED, 0, end)) == list(objects(NESTED[:end]))


@pytest.mark.parametrize(
    ("text", "whole"), [('{"a": "xy" /* n */ z }', True), ('{"a": xy "', False), ('{"a": xy, @', True)]
)
def test_a_bare_value_that_runs_into_something_else_may_not_be_whole(text: str, whole: bool) -> None:
    (found,) = objects(text)

    assert [value and value.whole for _, value in found.members] == [whole]
