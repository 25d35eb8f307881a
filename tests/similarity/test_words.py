import pytest

from quorate.similarity.words import stems, words


@pytest.mark.parametrize(
    ("text", "weighing"),
    [
        ("Self-documenting code", ("self", "document", "cod")),
        ("Use event sourcing to implement the audit trail", ("event", "sourc", "audit", "trail")),
        ("Adopting it, using it, implemented", ()),
        ("Option A", ("option", "a")),
        ("A plan I like", ("plan", "lik")),
        ("Sell in the US", ("sell", "usa")),
        ("It is up to us", ()),
        ("Do NOT merge it OR ship it", ("merg", "ship")),
        ("sell in the us", ("sell", "usa")),
        ("Ask the IT people", ("ask", "IT", "peopl")),
    ],
)
def test_hyphens_split_and_function_words_weigh_nothing(text: str, weighing: tuple[str, ...]) -> None:
    assert stems(text) == weighing


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Option A", ["word", "mark"]),
        ("v2 and C++", ["mark", "word", "mark"]),
        ("≥ 10 GB", ["sign", "number", "word"]),
        ("a plan", ["word", "word"]),
        ("USE A PLAN", ["word", "word", "word"]),
        ("choose a over b", ["word", "mark", "word", "mark"]),
    ],
)
def test_marks_numbers_and_signs_are_told_from_words(text: str, kinds: list[str]) -> None:
    assert [word.kind for word in words(text)] == kinds


def test_a_contraction_is_two_words() -> None:
    assert [word.text for word in words("won’t can't doesn't")] == ["will", "not", "can", "not", "does", "not"]


@pytest.mark.parametrize(
    "forms",
    [
        ("merge", "merges", "merged", "merging"),
        ("document", "documents", "documented", "documenting"),
        ("policy", "policies"),
        ("plan", "plans", "planning", "planned"),
        ("access",),
    ],
)
def test_forms_of_a_word_are_one(forms: tuple[str, ...]) -> None:
    assert len({stems(form) for form in forms}) == 1


def test_a_number_with_a_comma_is_the_number() -> None:
    assert stems("1,000 tests") == stems("1000 tests")
