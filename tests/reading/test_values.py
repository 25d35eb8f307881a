"""Numbers, words and escapes as they are written: what each reads as, up to which bound."""

from fractions import Fraction

import pytest

from quorate.reading.text.escapes import unbroken, unescape
from quorate.reading.text.plain_words import hollow
from quorate.reading.text.strict_json import Digits, Twice, load_json
from quorate.reading.text.values import LONGEST, number_digits, of_one, percentage, plain, prose, without_controls

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("80", (Fraction(4, 5), False)),
        (" 80 % ", (Fraction(4, 5), False)),
        ("0.5", (HALF, True)),
        ("0.5%", (Fraction(1, 200), False)),
        ("0", (Fraction(0), False)),
        ("1", (Fraction(1, 100), False)),
        ("100", (Fraction(1), False)),
        ("100.5", None),
        ("101", None),
        ("-1", None),
        ("\u0665", None),
        ("so", None),
        ("5" + " " * 79, (Fraction(1, 20), False)),
        ("5" + " " * 80, None),
    ],
)
def test_a_percentage_is_read_on_its_scale(written: str, share: tuple[Fraction, bool] | None) -> None:
    assert percentage(written) == share


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("0.5", HALF),
        ("50 %", HALF),
        ("1", Fraction(1)),
        ("100%", Fraction(1)),
        ("1.01", None),
        ("101%", None),
        ("-0.5", None),
        ("\u0661", None),
        ("so", None),
        ("1" + " " * 79, Fraction(1)),
        ("1" + " " * 80, None),
    ],
)
def test_a_share_is_read_up_to_one(written: str, share: Fraction | None) -> None:
    assert of_one(written) == share


@pytest.mark.parametrize(
    ("written", "digits"),
    [
        ("1,200", "1200"),
        ("1,200,000.5", "1200000.5"),
        ("-1,200", "-1200"),
        ("1,20", ""),
        ("12.5", "12.5"),
        (" *12* ", "12"),
        ("twelve", ""),
        ("1" * 30, "1" * 30),
        ("1" * 31, ""),
        ("0" * 81, ""),
    ],
)
def test_thousands_may_have_commas(written: str, digits: str) -> None:
    assert number_digits(written) == digits


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain", "plain"),
        (r"a\nb\tc", "a\nb\tc"),
        (r"a\"b\'c\\d\/e", "a\"b'c\\d/e"),
        (r"\u0041\u00e9", "Aé"),
        (r"\u00zz", r"\u00zz"),
        (r"\u12", r"\u12"),
        (r"\uwxyz", r"\uwxyz"),
        (r"\uparrow", r"\uparrow"),
        (r"\underline", r"\underline"),
        (r"\frac and \times", r"\frac and \times"),
        (r"\first", "\first"),
        (r"\nabla \nothing", "\\nabla \nothing"),
        (r"\alpha \( \5", r"\alpha \( \5"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\ud83d", "\ufffd"),
        ("é\ud800", "é\ufffd"),
    ],
)
def test_escapes_become_their_signs_and_commands_of_latex_stay(raw: str, text: str) -> None:
    assert unescape(raw) == text
    assert unbroken(text) == text


def test_control_characters_are_gone_but_for_tabs_and_the_ends_of_lines() -> None:
    every = "".join(map(chr, range(161)))

    assert without_controls(f"a{every}b") == "a\t\n" + "".join(map(chr, (*range(32, 127), 160))) + "b"
    assert without_controls("\t so \n") == "so"


def test_a_text_is_kept_to_a_bearable_length() -> None:
    assert (len(plain("x" * 4_000)), len(plain("x" * 4_001))) == (4_000, LONGEST)
    assert prose(r"\u0041" * (LONGEST + 1)) == "A" * LONGEST
    assert prose(r"\u0041" * LONGEST) == "A" * LONGEST


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "empty"),
        (" ... --- ", "empty"),
        ("TODO", "placeholder"),
        ("[your answer]", "placeholder"),
        ("<answer>", "placeholder"),
        ("I cannot help with that.", "refusal"),
        ("I can’t assist with this request.", "refusal"),
        ("I cannot help with that. " + "x" * 375, "refusal"),
        ("I cannot help with that. " + "x" * 376, None),
        ("I cannot help laughing at it.", None),
        ("Yes", None),
    ],
)
def test_words_that_say_nothing_are_told_from_those_that_do(words: str, why: str | None) -> None:
    assert hollow(words) == why


def test_json_keeps_numbers_as_written_and_tells_what_stands_there_twice() -> None:
    found = load_json('{"a": 1.50, "a": 1.50, "b": 1, "b": 2, "c": ["x\\ud800", {"d": null}], "e": "5"}')

    assert found == {"a": "1.50", "b": ["1", "2"], "c": ["x\ufffd", {"d": None}], "e": "5"}
    assert isinstance(found, dict)
    kinds = [type(found[name]) for name in "abce"]
    assert kinds == [Digits, Twice, list, str]
    thrice = load_json('{"b": 1, "b": 2, "b": 2}')
    assert isinstance(thrice, dict)
    assert type(thrice["b"]) is Twice
