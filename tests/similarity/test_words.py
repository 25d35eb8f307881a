import pytest

from quorate.similarity.lexicon import lexicon
from quorate.similarity.words import stems, words


@pytest.mark.parametrize(
    ("text", "weighing"),
    [
        ("Self-documenting code", ("self", "document", "code")),
        ("Use event sourcing to implement the audit trail", ("event", "source", "audit", "trail")),
        ("Adopting it, using it, implemented", ()),
        ("Option A", ("option", "a")),
        ("A plan I like", ("plan", "like")),
        ("Sell in the US", ("sell", "usa")),
        ("It is up to us", ()),
        ("Do NOT merge it OR ship it", ("merge", "ship")),
        ("sell in the us", ("sell", "usa")),
        ("Ask the IT people", ("ask", "IT", "people")),
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
    ("form", "lemma"),
    [("children", "child"), ("won", "win"), ("logging", "log"), ("larger", "large"), ("number", "number")],
)
def test_a_form_is_led_back_to_its_word(form: str, lemma: str) -> None:
    assert lexicon().lemmas(form)[0] == lemma


@pytest.mark.parametrize(
    ("one", "other"), [("buy", "sell"), ("speedy", "sluggish"), ("boost", "reduce"), ("allow", "forbid")]
)
def test_opposites_are_known_beyond_those_that_are_listed(one: str, other: str) -> None:
    assert lexicon().opposed(one, other)
    assert lexicon().opposed(other, one)
    assert not lexicon().same(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("buy", "purchase"), ("approve", "approval"), ("begin", "starting"), ("russia", "russian")]
)
def test_synonyms_and_derived_words_are_the_same(one: str, other: str) -> None:
    assert lexicon().same(one, other)


def test_a_word_nobody_knows_is_only_itself() -> None:
    assert lexicon().same("redis", "redis")
    assert not lexicon().same("redis", "memcached")
    assert not lexicon().knows("memcached")
