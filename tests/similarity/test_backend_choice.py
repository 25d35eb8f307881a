import sys
from collections.abc import Iterator, Sequence

import pytest

from quorate.errors import BadSetting, UnknownName
from quorate.model import Errand
from quorate.similarity import backend_choice as choosing
from quorate.similarity.backend import Score
from quorate.similarity.backend_choice import choose, score_texts
from quorate.similarity.errand_compare import comparer
from quorate.similarity.word_overlap import WordOverlap

OPTIONS = ("Use Redis", "Adopt Redis", "Do not use Redis")


class Broken:
    """A backend whose weights have gone."""

    name = "tfidf 9"

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        raise OSError(f"no weights for {len(texts)} texts")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """What is set to None in sys.modules is as if it were not installed."""
    choosing._make.cache_clear()
    yield monkeypatch
    choosing._make.cache_clear()


@pytest.mark.slow
def test_the_best_that_is_there_is_chosen(without: pytest.MonkeyPatch) -> None:
    assert choose().name.startswith("embeddings all-MiniLM-L6-v2")

    without.setitem(sys.modules, "tokenizers", None)
    choosing._make.cache_clear()
    assert choose().name == "tfidf 3"


def test_one_that_is_asked_for_and_missing_says_how_to_get_it(without: pytest.MonkeyPatch) -> None:
    without.setitem(sys.modules, "tokenizers", None)

    with pytest.raises(BadSetting, match=r"pip install 'quorate\[embeddings\]'"):
        choose("embeddings")


def test_an_unknown_one_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="'rapidfuzz'; there are auto, embeddings, overlap, tfidf"):
        choose("rapidfuzz")


def test_one_that_fails_gives_way_and_says_so() -> None:
    found = score_texts(OPTIONS, Broken())

    assert (found.by, found.why) == ("overlap 3", "tfidf 9 failed (OSError: no weights for 3 texts)")
    assert len(found.scores) == 3


async def test_the_errand_brings_scores_and_which_are_the_same_words() -> None:
    errand = Errand(kind="compare", round="vote 1", about="options", texts=OPTIONS)

    found = await comparer(WordOverlap())(errand)

    assert (found.kind, found.round, found.about) == ("compare", "vote 1", "options")
    assert [(i, j, float(score)) for i, j, score in found.scores] == [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)]
    assert found.same == ((0, 1),)
    assert (found.by, found.why) == ("overlap 3, same words 1", "")


async def test_speeches_are_scored_and_nobody_asks_whether_they_may_be_merged() -> None:
    errand = Errand(kind="compare", round="2", seat="Ann", texts=OPTIONS[1:])

    found = await comparer(WordOverlap())(errand)

    assert [(i, j, float(score)) for i, j, score in found.scores] == [(0, 1, 1.0)]
    assert (found.same, found.by) == ((), "overlap 3")


@pytest.mark.slow
async def test_the_errand_falls_back_on_what_is_there(without: pytest.MonkeyPatch) -> None:
    without.setitem(sys.modules, "tokenizers", None)

    found = await comparer("embeddings")(Errand(kind="compare", round="1", texts=OPTIONS))

    assert found.by.startswith("tfidf 3")
    assert "pip install 'quorate[embeddings]'" in found.why


async def test_nothing_to_compare_is_no_failure() -> None:
    found = await comparer(WordOverlap())(Errand(kind="compare", round="1"))

    assert (found.scores, found.same, found.why) == ((), (), "")
