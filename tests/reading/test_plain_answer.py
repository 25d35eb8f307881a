"""Answers as benchmarks and people write them: what is read, and what could be two answers is none."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import read
from quorate.model import Ballot, Silence
from quorate.reading.text.answer_value import read_value, strip_quotes
from quorate.reading.text.escapes import unescape
from quorate.reading.text.plain_answer import ALIASES, read_answer

CITIES = ("Paris", "London", "New York")
LETTERS = ("A", "B", "C", "D")
TRUTHS = ("True", "False")


def choice(text: str, options: tuple[str, ...] = ()) -> str | None:
    ballot = read_answer(text, options).ballot
    return ballot.choice if ballot and not ballot.abstain else None


def why(text: str, options: tuple[str, ...] = ()) -> str:
    return read_answer(text, options).unreadable


@pytest.mark.parametrize(
    "text",
    [
        "London",
        "Answer: London",
        "**Answer:** London.",
        "The answer is London, because the river says so.",
        "My final answer is: **B**",
        "B",
        "(b) because it rains there",
        "B) London",
        "B. London",
        "Option B",
        "Answer: 2",
        "Answer: option 2",
        r"So it is \boxed{B}.",
        r"The final answer is: $\boxed{\text{London}}$",
        '{"answer": "London"}',
        '{"Final Answer": "b"}',
        '{"final_answer": "B", "confidence": 0.7}',
        '{"predictedAnswer": "London"}',
        '```json\n{"reasoning": "it rains", "prediction": "London"}\n```',
        '{"reasoning": it rains there, as everybody says\n"answer": "London"\n}',
        '{ I think\n{"reasoning": "a brace too many", "answer": "London"}',
        '{"reasoning": "he said "no" to me", "answer": "London"}',
        "{'answer': 'London'}",
        '<think>{"answer": "Paris"}</think>{"answer": "London"}',
        '{"answer": "Paris"}\nWait, I was wrong.\n{"answer": "London"}',
    ],
)
def test_an_answer_is_read_however_it_is_written(text: str) -> None:
    assert choice(text, CITIES) == "London"


@pytest.mark.parametrize(
    "text",
    [
        "Paris or London",
        "Answer: Paris or London",
        "The answer is not Paris",
        "Answer: A) London",
        "Answer: Berlin",
        "It depends on the weather in Paris, and London is not far.",
        '{"answer": "Your choice"}',
        '{"answer": "<your choice>"}',
        '{"answer": null}',
        "",
        "I cannot help with that.",
    ],
)
def test_what_names_no_option_or_two_is_no_answer(text: str) -> None:
    assert choice(text, CITIES) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [("Yes", "True"), ("No, it does not.", "False"), ("Answer: yes", "True"), ('{"Answer": "No"}', "False")],
)
def test_yes_is_true_where_the_list_has_true_and_false(text: str, meant: str) -> None:
    assert choice(text, TRUTHS) == meant


def test_a_letter_of_a_list_of_letters_is_its_own_name() -> None:
    assert choice("Answer: C. because of the third line", LETTERS) == "C"
    assert choice("Answer: A or B", LETTERS) is None


def test_numbers_on_the_list_are_themselves_and_no_places() -> None:
    assert choice("Answer: 2", ("4", "3", "2", "1")) == "2"


def test_probabilities_of_every_option_say_how_sure() -> None:
    text = '{"Answer": "C", "A": 0.1, "B": "0.2", "C": 60%, "D": 0.1}'

    ballot = read_answer(text, LETTERS).ballot

    assert ballot is not None
    assert (ballot.choice, ballot.confidence) == ("C", Fraction(3, 5))
    assert dict(ballot.shares)["B"] == Fraction(1, 5)


def test_probabilities_alone_choose_the_largest_unless_two_are() -> None:
    assert choice('{"A": 0.1, "B": 0.2, "C": 0.6, "D": 0.1}', LETTERS) == "C"
    assert choice('{"A": 0.4, "B": 0.4, "C": 0.1, "D": 0.1}', LETTERS) is None


def test_an_answer_that_is_not_the_most_probable_is_kept_and_said() -> None:
    found = read_answer('{"answer": "A", "A": 0.1, "B": 0.9, "C": 0, "D": 0}', LETTERS)

    assert found.ballot is not None
    assert (found.ballot.choice, found.ballot.confidence, found.cautions) == ("A", Fraction(1, 10), ("inconsistent",))


@pytest.mark.parametrize(("written", "share"), [("0.8", (4, 5)), ('"0.8"', (4, 5)), ("80", (4, 5)), ('"80 %"', (4, 5))])
def test_how_sure_may_be_a_share_or_a_percentage(written: str, share: tuple[int, int]) -> None:
    ballot = read_answer(f'{{"answer": "Paris", "confidence": {written}}}', CITIES).ballot

    assert ballot is not None
    assert ballot.confidence == Fraction(*share)


def test_every_name_of_the_table_is_read_in_every_spelling() -> None:
    for name in ALIASES["answer"]:
        for spelt in (
            name,
            name.title(),
            name.replace(" ", "_"),
            name.replace(" ", "-"),
            name.title().replace(" ", ""),
        ):
            assert choice(f'{{"{spelt}": "London"}}', CITIES) == "London", spelt


def test_an_object_cut_off_behind_its_answer_is_read_and_never_approves() -> None:
    assert choice('{"answer": "London", "confidence": 0.9, "reasoning": "the riv', CITIES) == "London"
    for approves in ("ACT", "YES", "SUPPORT"):
        options = (approves, "other")
        assert choice(f'{{"answer": "{approves}", "confidence": 0.9}}', options) == approves
        assert why(f'{{"answer": "{approves}", "confidence": 0.9, "reasoning": "the riv', options) == "cut_short"
        assert why(f'{{"answer": "{approves}"', options) == "cut_short"


def test_an_open_answer_keeps_its_latex_its_lists_and_its_quotes() -> None:
    assert choice(r'{"answer": "\frac{1}{2}"}') == r"\frac{1}{2}"
    assert choice(r"Answer: $\frac{1}{2}$") == r"\frac{1}{2}"
    assert choice('{"answer": ["a", "b"]}') == '["a", "b"]'
    assert choice('{"answer": "5*83*23***"}') == "5*83*23***"
    assert choice(r'{"answer": "\"uc\""}') == '"uc"'
    assert choice("#### 42") == "42"


def test_a_name_where_a_value_belongs_leaves_nothing_to_read() -> None:
    assert read_answer('{"reasoning": "so", "answer": "answer": "224"}').unreadable == "no_answer"
    assert read_answer('{"reasoning": "so", "answer": "224"}').ballot is not None


def test_a_name_in_other_quotation_marks_stands_in_a_text() -> None:
    reply = """{"reasoning": "The answer is 42, of which one may say

'answer': 'as many as you like'"""

    ballot = read_answer(reply).ballot
    assert ballot is not None
    assert ballot.choice.startswith("42")


def test_escapes_of_json_are_signs_and_commands_of_latex_are_not() -> None:
    assert unescape(r"a\nb\tc\u0041\"\\") == 'a\nb\tcA"\\'
    assert unescape(r"\frac \times \theta \neq \rho \beta \boxed \underline") == (
        r"\frac \times \theta \neq \rho \beta \boxed \underline"
    )
    assert unescape(r"line\nnext \notes") == "line\nnext \notes"


def test_saying_that_one_does_not_choose_is_no_choice() -> None:
    ballot = read_answer('{"answer": "N/A"}', CITIES).ballot

    assert ballot is not None
    assert ballot.abstain


def test_python_reads_a_plain_answer_with_options_and_a_ballot_without() -> None:
    assert isinstance(read("Answer: B", options=CITIES), Ballot)
    assert read("Answer: B", options=CITIES) == read("London", options=list(CITIES))
    assert isinstance(read("Answer: B"), Silence)


@given(st.text(max_size=300), st.sampled_from([(), CITIES, LETTERS, TRUTHS]))
def test_any_text_is_read_without_an_exception_to_an_option_of_the_list(text: str, options: tuple[str, ...]) -> None:
    found = read_answer(text, options)

    assert (found.ballot is None) == bool(found.unreadable)
    assert not options or found.ballot is None or found.ballot.abstain or found.ballot.choice in options


@given(
    st.lists(
        st.sampled_from(['"answer"', ":", '"', "{", "}", "London", "Paris", "B", ",", "\n", "\\", "[", "A", " or "])
    )
)
def test_pieces_of_answers_in_any_order_are_read_without_an_exception(pieces: list[str]) -> None:
    found = read_answer("".join(pieces), CITIES)

    assert (found.ballot is None) == bool(found.unreadable)


@pytest.mark.parametrize(
    ("shares", "read_as"),
    [
        ((0.5, 0.3, 0.1), "Paris"),
        ((0.5, 0.3, 0.09), None),
        ((0.6, 0.4, 0.1), "Paris"),
        ((0.6, 0.4, 0.11), None),
        ((0.3, 0.3, 0.4), "New York"),
        ((0.4, 0.4, 0.2), None),
    ],
)
def test_shares_count_where_they_add_up_to_about_one_and_one_is_largest(
    shares: tuple[float, ...], read_as: str | None
) -> None:
    text = ", ".join(f'"{city}": {share}' for city, share in zip(CITIES, shares, strict=True))

    assert choice(f"{{{text}}}", CITIES) == read_as


@pytest.mark.parametrize(
    ("text", "options", "read_as"),
    [
        ("London", (), "London"),
        ("London\nbecause it rains", (), None),
        ("London\nbecause it rains", CITIES, "London"),
        ("x" * 200, (), None),
        ("It rains a lot.\nLondon", CITIES, None),
        ("\n\nLondon\n", (), "London"),
    ],
)
def test_a_reply_without_a_name_for_its_answer_is_one_short_line_or_begins_with_an_option(
    text: str, options: tuple[str, ...], read_as: str | None
) -> None:
    assert choice(text, options) == read_as


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"abc"', "abc"),
        ('"abc', "abc"),
        ('"abc\nmore', "abc"),
        ('"say "no" now", "b": 1}', 'say "no" now'),
        ("B [x] more", "B [x] more"),
        ("[a}b] more", "[a}b]"),
        ('["a]"] more', '["a]"]'),
        ('""x', '"x'),
        ('["a]", {"b": "}"}] more', '["a]", {"b": "}"}]'),
        ("[a, b", "[a, b"),
        ("abc, \nmore", "abc"),
        ("abc} more", "abc"),
        ("** abc", "abc"),
        ("[it's] more", "[it's]"),
        ("", ""),
    ],
)
def test_a_value_ends_where_its_quotes_its_brackets_or_its_line_do(text: str, value: str) -> None:
    assert read_value(text, 0, len(text)).text == value


@pytest.mark.parametrize(
    ("written", "sure"),
    [
        ("0.7", Fraction(7, 10)),
        ("70", Fraction(7, 10)),
        ("70 %", Fraction(7, 10)),
        ("1", Fraction(1)),
        ("1%", Fraction(1, 100)),
        ("100", Fraction(1)),
        ("100.5", None),
        ("101", None),
        ("high", None),
        ("", None),
        ("7 of 10", None),
    ],
)
def test_how_sure_an_answer_is_may_be_a_share_or_a_percentage(written: str, sure: Fraction | None) -> None:
    ballot = read_answer(f'{{"answer": "London", "confidence": "{written}"}}', CITIES).ballot

    assert ballot is not None
    assert ballot.confidence == sure


@pytest.mark.parametrize(("empty", "read_as"), [(3, "London"), (4, None)])
def test_an_answer_that_says_nothing_gives_way_to_one_of_the_last_few(empty: int, read_as: str | None) -> None:
    assert choice('{"answer": "London"} ' + '{"answer": ""} ' * empty, CITIES) == read_as


@pytest.mark.parametrize(("length", "read_as"), [(60, True), (61, False)])
def test_without_a_list_a_reply_of_sixty_characters_is_an_answer(length: int, read_as: bool) -> None:
    assert (choice("x" * length) is not None) is read_as


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("Answer: London\nSurely.", "London"),
        ("Answer:\nLondon\nSurely.", "London"),
        ("Answer:", None),
        ("**Answer**: London", "London"),
        ("#### London", "London"),
        ("Answer: Paris\n\nAnswer: London", "London"),
    ],
)
def test_an_answer_stands_behind_its_name(text: str, read_as: str | None) -> None:
    assert choice(text, CITIES) == read_as


@pytest.mark.parametrize("word", ["yes", "ACT", "support"])
def test_what_approves_counts_only_in_an_object_that_was_not_cut_off(word: str) -> None:
    options = (word, "London")

    assert (choice(f'{{"answer": "{word}"}}', options), why(f'{{"answer": "{word}"', options)) == (word, "cut_short")
    assert choice('{"answer": "London"', options) == "London"
    assert choice(f'{{"{word}": 0.7, "London": 0.3, "reason": "so"', options) is None
    assert choice(f'{{"{word}": 0.3, "London": 0.7, "reason": "so"', options) == "London"


@pytest.mark.parametrize(
    ("text", "bare"), [('"a b" c', "a b"), ('""', ""), ("'a'", "a"), ('"a', '"a'), (" a ", "a"), ("a'b'", "a'b'")]
)
def test_quotation_marks_are_taken_off_with_what_stands_behind_them(text: str, bare: str) -> None:
    assert strip_quotes(text) == bare


@pytest.mark.parametrize("written", ["<your answer>", "your choice", "..."])
def test_an_answer_copied_from_a_pattern_is_none(written: str) -> None:
    assert why(f"Answer: {written}") == why(f'{{"answer": "{written}"}}') == "placeholder"
