"""Many questions at once: what is found is what comparing each pair by itself would find."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.similarity.question_index import QuestionIndex
from quorate.similarity.tfidf import tfidf

WORDS = (
    *("drop", "keep", "move", "staging", "production", "database", "queue", "index"),
    *("now", "later", "redis", "postgres", "billing", "audit", "log"),
)


def questions(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [f"Should we {' '.join(chance.choices(WORDS, k=chance.randint(1, 6)))}?" for _ in range(count)]


def score(one: str, other: str) -> float:
    return float(next(iter(tfidf().scores([one, other])))[2])


def test_the_most_alike_comes_first() -> None:
    index = QuestionIndex(["Should we drop the queue?", "Should we drop the staging database?", "May we go home?"])

    found = index.search("drop the staging database", 0.4)

    assert [one.place for one in found][:1] == [1]
    assert found[0].score == pytest.approx(1.0)
    assert 2 not in {one.place for one in found}


def test_a_question_is_found_by_its_words_however_much_else_it_says() -> None:
    long = "Should the team that runs billing, audits and reporting move its oldest queue to Redis before winter?"

    (found,) = QuestionIndex(["Shall we dance?", long]).search("redis", 0.9)

    assert (found.place, found.has_all_words) == (1, True)
    assert found.score < 0.9


@pytest.mark.parametrize("at_least", [0.6, 0.9, 0.999])
def test_the_pairs_are_those_that_comparing_each_would_give(seed: int, at_least: float) -> None:
    texts = questions(seed, 120)

    found = {(one, other) for one, other, _ in QuestionIndex(texts).pairs(at_least)}

    for one, other in combinations(range(len(texts)), 2):
        alike = score(texts[one], texts[other])
        if abs(alike - at_least) > 0.001:  # a score is rounded to four places there
            assert ((one, other) in found) == (alike > at_least), (texts[one], texts[other])


@given(st.lists(st.text(max_size=60), max_size=8), st.text(max_size=60))
def test_no_text_is_refused_whatever_it_is_made_of(texts: list[str], wanted: str) -> None:
    index = QuestionIndex(texts)

    assert {one.place for one in index.search(wanted, 0.0)} <= set(range(len(texts)))
    assert all(0 <= one < other < len(texts) for one, other, _ in index.pairs(0.9))


@pytest.mark.parametrize("text", ['"', "' OR 1=1 --", "a AND", "NEAR(a b)", "col:x", "*", "^a", "%_", "(", '"a""b'])
def test_the_syntax_of_a_search_language_is_only_words(text: str) -> None:
    index = QuestionIndex(["Should we drop the staging database?", text])

    assert [one.place for one in index.search(text, 0.99)][:1] == [1]
