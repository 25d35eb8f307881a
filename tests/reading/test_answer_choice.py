"""Which option of a list an answer names: by its words, its letter, its number; two are none."""

import pytest

from quorate.reading.text.answer_choice import bare_answer, choose_option

CITIES = ("Paris", "London", "New York")
LETTERS = ("A", "B", "C")
YEARS = ("1999", "2000")


@pytest.mark.parametrize(
    ("said", "options", "chosen"),
    [
        ("london", CITIES, "London"),
        ("B", CITIES, "London"),
        ("b) London", CITIES, "London"),
        ("B) Paris", CITIES, None),
        ("B, because it rains", CITIES, "London"),
        ("Better not", CITIES, None),
        ("D", CITIES, None),
        ("2", CITIES, "London"),
        ("3.", CITIES, "New York"),
        ("0", CITIES, None),
        ("4", CITIES, None),
        ("2) London", CITIES, "London"),
        ("2) Paris", CITIES, None),
        ("1", ("2", "3"), None),
        ("2000", YEARS, "2000"),
        ("B", YEARS, "2000"),
        ("London, as it rains", CITIES, "London"),
        ("London or Paris", CITIES, None),
        ("London (Ontario), as it snows", ("London", "London (Ontario)"), "London (Ontario)"),
        ("London or so", CITIES, "London"),
        ("Londoners", CITIES, None),
        ("(London) it is", CITIES, "London"),
        ("B", LETTERS, "B"),
        ("b. Something", LETTERS, "B"),
        ("B or C", LETTERS, None),
        ("B. or C", LETTERS, None),
        ("B. or C, perhaps", LETTERS, None),
        ("B. or D", LETTERS, "B"),
        ("option B", LETTERS, "B"),
        ("2", LETTERS, None),
        ("Yes, surely", ("True", "False"), "True"),
        ("No.", ("True", "False"), "False"),
        ("False", ("Yes", "No"), "No"),
        ("true", ("Yes", "No", "Maybe"), "Yes"),
        ("Yes sir", ("True", "False"), None),
        ("Yes", CITIES, None),
        ("Yes", ("True", "Perhaps"), None),
        ("London", ("London", "london"), "London"),
        ("anything", (), "anything"),
        ("", (), None),
    ],
)
def test_an_answer_names_one_option_or_none(said: str, options: tuple[str, ...], chosen: str | None) -> None:
    assert choose_option(said, options) == chosen


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (" B ", "B"),
        ("**B**.", "B"),
        ("$\\boxed{\\text{B}}$", "B"),
        ("$$\\boxed{\\textbf{**B**}}$$", "B"),
        ("$\\boxed{\\text{**`B`**}}$", "`B`"),
        ("`B`", "B"),
        ("__B__", "B"),
        ("\\(B\\)", "B"),
        ("**", "**"),
    ],
)
def test_up_to_four_wrappings_are_taken_off(written: str, said: str) -> None:
    assert bare_answer(written) == said
