import json

import pytest

from quorate.views.escape import harmless_markdown, one_line, visible, visible_json
from tests.doors.hostile import STEERING


def test_no_character_that_steers_or_hides_is_ever_shown() -> None:
    assert [f"U+{ord(sign):04X}" for sign in STEERING if sign in visible(f"a{sign}b")] == []


def test_what_is_escaped_can_be_told_apart() -> None:
    assert len({visible(sign) for sign in STEERING}) == len(STEERING)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("\u202eTCA", "\\u202eTCA"),
        ("\U000e0041", "\\U000e0041"),
        ("over\rwritten", "over\\x0dwritten"),
        ("a\u2028b", "a\\u2028b"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_an_escape_says_what_stood_there(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["tab\tand\nnewline", "Zürich, Ελλάδα, 日本, שלום", "👍 ⚠️", "[bold]no[/bold]", "C:\\x1b"]
)
def test_plain_text_of_any_language_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_lines_ended_as_on_windows_are_lines() -> None:
    assert visible("one\r\ntwo") == "one\ntwo"


def test_one_line_is_one_line_and_no_longer_than_wanted() -> None:
    assert one_line(" a\n\n b\t c ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"


def test_json_keeps_its_meaning() -> None:
    value = {"said": " ".join(STEERING)}  # apart: two halves in a row would be one character
    text = json.dumps(value, ensure_ascii=False)

    assert json.loads(visible_json(text)) == value
    assert not set(visible_json(text)) & set(STEERING)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![x](http://192.0.2.1/beacon)", "!\\[x]\\(http://192.0.2.1/beacon)"),
        ("[bank](http://192.0.2.1)", "[bank]\\(http://192.0.2.1)"),
        ("[a][b]", "[a]\\[b]"),
        ("[b]: http://192.0.2.1", "[b]\\: http://192.0.2.1"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
        ("\\<script>", "\\&lt;script>"),
        ("</details><!-- -->", "&lt;/details>&lt;!-- -->"),
        ("a < b, **bold**, `code`", "a < b, **bold**, `code`"),
    ],
)
def test_markdown_loads_nothing_and_holds_no_html(text: str, shown: str) -> None:
    assert harmless_markdown(text) == shown
