import pytest

from quorate.guard.control import check
from quorate.model import Question
from tests.guard.asking import answer

COMMANDS = [chr(code) for code in (*range(9), 11, 12, *range(14, 32), *range(0x7F, 0xA0))]


@pytest.mark.parametrize("char", COMMANDS, ids=ascii)
def test_every_control_character_in_a_question_is_turned_away(char: str) -> None:
    assert answer(f"Should we{char} ship?") == "turned away"


@pytest.mark.parametrize("char", ["\t", "\n", "\r", "\r\n"], ids=ascii)
def test_tabs_and_line_ends_are_text(char: str) -> None:
    assert answer(f"Should we{char}ship?") == "allow"


def test_half_a_character_is_turned_away() -> None:
    assert answer("Should we ship?\ud83d") == "turned away"


def test_the_reason_names_the_characters_and_shows_none() -> None:
    (finding,) = check(Question(text="a\x00\x1b[31m"))

    assert finding.reason == "it holds characters that are not text: U+0000, U+001B"


def test_a_page_break_in_a_document_is_only_a_caution() -> None:
    assert answer("Should we ship?", context="page one\fpage two") == "caution"
    assert answer("Should we ship?", context="\x1b[31mFAILED\x1b[0m test_x") == "caution"
    assert answer("Should we ship?", context="page one\x00page two") == "turned away"
