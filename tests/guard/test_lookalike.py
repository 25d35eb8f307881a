# ruff: noqa: RUF001 - look-alikes are what this is about

import pytest

from tests.guard.asking import answer, checks

MIXED = "Should we trust p\u0430ypal.com?"


@pytest.mark.parametrize(
    "text", [MIXED, "Shall we d\u0435l\u0435t\u0435 it?", "Is \u0392ank safe?", "Is G\u03bf\u03bfgle down?"], ids=ascii
)
def test_a_word_of_two_alphabets_that_reads_as_latin_is_turned_away(text: str) -> None:
    assert answer(text) == "turned away"
    assert checks(text) == {"lookalike"}


@pytest.mark.parametrize(
    "text",
    [
        "Стоит ли нам переходить на Linux?",
        "Купить ли iPhone-а или Samsung?",
        "Почему СССР распался?",
        "What does СССР stand for?",
        "Πρέπει να αγοράσουμε σπίτι;",
        "東京と大阪、どちらに住むべきですか？",
        "ＡＩは２０３０年までに医師を超えますか？",
        "Is TNF\u03b1 or NF\u03baB the better target at 5 \u03bcm and 3 k\u03a9?",
        "Is \u0394T = \u03c1gh / \u03bb?",
        "Is 𝑓(𝑥) = 𝑥² convex?",
        "Should the naïve café owner's résumé mention Dvořák?",
        "هل نشتري بيتا؟",
    ],
)
def test_every_alphabet_passes_at_home_and_beside_another(text: str) -> None:
    assert answer(text) == "allow"


@pytest.mark.parametrize(
    "text",
    [
        "Стоит ли покупать iPhon\u0435 сейчас?",
        "Should we 𝐝𝐞𝐥𝐞𝐭𝐞 it?",
        "Should we ⓓⓔⓛⓔⓣⓔ it?",
        "Should we ｄｅｌｅｔｅ it?",
    ],
)
def test_a_slip_of_the_keyboard_and_letters_in_costume_are_a_caution(text: str) -> None:
    assert answer(text) == "caution"


def test_in_material_it_is_a_caution() -> None:
    assert answer("Is this mail genuine?", context=MIXED) == "caution"


def test_options_that_look_the_same_are_turned_away() -> None:
    assert answer("Which?", options=("ACT", "\u0410\u0421\u0422")) == "turned away"
    assert answer("Which?", options=("ACT", "Act", "WARN")) == "allow"
