"""Options of a list by their words or their number, and words that name none."""

import pytest

from quorate.reading.text.listed_options import (
    NO_OPTIONS,
    abstains,
    distinct_options,
    is_numbered,
    list_of_options,
    listed_option,
    no_choice,
    option_names,
    told_options,
)

QUEUES = ("Use Kafka", "Use NATS")


@pytest.mark.parametrize(
    ("said", "options", "found"),
    [
        ("use kafka.", QUEUES, "Use Kafka"),
        ("1", QUEUES, "Use Kafka"),
        ("2", QUEUES, "Use NATS"),
        ("Option 2", QUEUES, "Use NATS"),
        ("2. Use NATS", QUEUES, "Use NATS"),
        ("2. Use Kafka", QUEUES, None),
        ("0", QUEUES, None),
        ("3", QUEUES, None),
        ("Use both", QUEUES, None),
        ("1", ("2", "3"), None),
        ("2", ("2", "3"), "2"),
        ("a", ("A", "a"), "A"),
        ("1", (), None),
    ],
)
def test_an_option_is_named_by_its_words_or_else_by_its_number(
    said: str, options: tuple[str, ...], found: str | None
) -> None:
    assert listed_option(said, options) == found


@pytest.mark.parametrize(
    ("options", "numbered"),
    [(QUEUES, True), (("2", "3"), False), (("1", "b"), False), (("3", "4"), True), (("a", "Option 2"), False)],
)
def test_numbers_are_used_unless_an_option_could_be_taken_for_one(options: tuple[str, ...], numbered: bool) -> None:
    shown = [f"  {at}. {one}" if numbered else f"  - {one}" for at, one in enumerate(options, 1)]

    assert is_numbered(options) is numbered
    assert list_of_options(options) == "\n".join(shown)
    assert option_names(options) == (["1", "2"] if numbered else list(options))
    told = told_options(options, without="any", by_number="number {listed}", by_name="name {listed}")
    assert told == f"{'number' if numbered else 'name'} {list_of_options(options)}"
    assert told_options((), without="any", by_number="", by_name="") == "any"


def test_of_options_that_differ_in_case_and_signs_the_first_stands_for_all() -> None:
    assert distinct_options(("A b", "a  B.", "C", "c")) == ("A b", "C")


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("", "no_option"),
        ("<your choice>", "placeholder"),
        ("[option]", "placeholder"),
        ("your choice", "placeholder"),
        ("...", "placeholder"),
        ("<wait", ""),
        ("wait]", ""),
        ("Wait", ""),
    ],
)
def test_what_was_copied_from_the_pattern_names_no_option(option: str, why: str) -> None:
    assert no_choice(option) == why


@pytest.mark.parametrize("word", NO_OPTIONS)
def test_no_dress_makes_an_option_of_a_word_that_is_none(word: str) -> None:
    dresses = (
        *(
            "{}",
            "**{}**",
            "`{}`",
            "~~{}~~",
            "__{}__",
            "<b>{}</b>",
            "\\text{{{}}}",
            "${}$",
            "“{}”",
            "«{}»",
            "({})",
            "- {}",
        ),
        *(
            "🤷 {}",
            "{} 🤷",
            "{}\ufe0f",
            "❌{}",
            "— {} —",
            "...{}",
            "{} .",
            "{}。",
            "¡{}!",
            "• {}",
            "\u200b{}",
            "{}\u0301",
        ),
        *("{}, for now", "{} (no data)", "{} - as I know nothing", "{} / none"),
    )
    dressed = [dress.format(word) for dress in dresses]
    dressed += [word.upper(), word.replace("'", "\xb4"), word.replace(" ", "_"), f"{word[0]}\u200b{word[1:]}"]

    assert [said for said in dressed if not abstains(said)] == []


@pytest.mark.parametrize(
    ("said", "options", "abstained"),
    [
        ("abstain", (), True),
        ("I abstain, as I know nothing.", (), True),
        ("None of these", (), False),
        ("N/A", (), True),
        ("abstain", ("Abstain", "Go"), False),
        ("Abstain from meat", (), False),
        ("Go", (), False),
        ("Skip-level meetings", (), False),
        ("Skip + retry", (), False),
        ("undecided", ("Go",), True),
        ("Pass (with conditions)", ("Pass (with conditions)", "Fail"), False),
        ("Pass (with conditions)", ("Pass", "Fail"), False),
    ],
)
def test_to_abstain_is_no_option_unless_it_stands_on_the_list(
    said: str, options: tuple[str, ...], abstained: bool
) -> None:
    assert abstains(said, options) is abstained
