"""JSON by the fast library says what the standard library says, whatever comes."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.panelists.http.reply_fields import load_json, write_json

ODD = (
    *(b"NaN", b"[Infinity, -Infinity]", b"1e400", b"-0", b"-0.0", b"1e-400", b"0e0", b"18446744073709551615", b"01"),
    *(
        b'"\\ud800"',
        b'"\\ud83d\\ude00"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b'"a\x01"',
        b'"\\u0000"',
        b"'a'",
        b"[1,]",
        b"{}\x00",
    ),
    *(
        b"\xef\xbb\xbf{}",
        '{"a": "ü"}'.encode("utf-16"),
        '{"a": 1}'.encode("utf-32-be"),
        b'{"a":1,"a":2}',
        b"",
        b" ",
        b"{",
    ),
    *(b"[" * 100_000, b"1" + b"0" * 5_000, b"\x0c{}", b"// no\n{}"),
)


def by_the_standard_library(body: bytes) -> str:
    try:
        return repr(json.loads(body))
    except (ValueError, RecursionError):
        return "cannot be read"


def by_ours(body: bytes) -> str:
    try:
        return repr(load_json(body))
    except (ValueError, RecursionError):
        return "cannot be read"


@pytest.mark.parametrize("body", ODD, ids=lambda body: repr(body[:12]))
def test_whatever_is_odd_is_read_as_before(body: bytes) -> None:
    assert by_ours(body) == by_the_standard_library(body)


def test_a_body_with_any_byte_changed_is_read_as_before(seed: int) -> None:
    chance = random.Random(seed)
    whole = json.dumps(
        {"choices": [{"message": {"content": "née \ud83d \\n"}, "n": -1.5e3}], "t": [True, None]}
    ).encode()
    for _ in range(2_000):
        body = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            body[chance.randrange(len(body))] = chance.choice(b'{}[]",:\\u0d8e1NaI-+.\xff\x00 ')
        assert by_ours(bytes(body)) == by_the_standard_library(bytes(body)), f"seed {seed}: {bytes(body)!r}"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_reads_the_same(value: object) -> None:
    assert json.loads(write_json(value)) == value


def test_half_a_character_is_written_all_the_same() -> None:
    assert write_json({"a": "\ud800", "b": 2**70}) == b'{"a":"\\ud800","b":1180591620717411303424}'
