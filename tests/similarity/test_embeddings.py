"""The forward pass by numpy gives what the library gives that the model was made with."""

from typing import cast

import pytest

from quorate.similarity.backend_choice import choose
from quorate.similarity.embeddings import Embeddings

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.slow

WEATHER = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")


@pytest.fixture(scope="module")
def model() -> Embeddings:
    return cast("Embeddings", choose("embeddings"))


def test_the_similarities_are_those_that_sentence_transformers_publishes(model: Embeddings) -> None:
    """From the quickstart of its documentation: 0.6660, 0.1046 and 0.1411 with this model."""
    assert {(i, j): float(score) for i, j, score in model.scores(WEATHER)} == {
        (0, 1): 0.666,
        (0, 2): 0.1046,
        (1, 2): 0.1411,
    }


def test_a_vector_is_what_it_was_when_the_similarities_agreed(model: Embeddings) -> None:
    [vector] = model.embed(WEATHER[:1])

    assert [round(float(number), 4) for number in vector[:6]] == [0.0192, 0.1201, 0.1596, 0.0671, 0.0501, -0.0259]
    assert round(float(np.linalg.norm(vector)), 5) == 1


def test_company_does_not_change_a_vector(model: Embeddings) -> None:
    alone, [*_, in_company] = model.embed(WEATHER[:1])[0], model.embed((*WEATHER[1:], *WEATHER[:1]))

    assert (alone == in_company).all()


def test_a_text_is_embedded_once(model: Embeddings) -> None:
    calls: list[int] = []

    def embed(texts: tuple[str, ...]) -> list[object]:
        calls.append(len(texts))
        return list(texts)

    model.cache.vectors(("first time", "first time", "second"), embed)  # type: ignore[arg-type]
    model.cache.vectors(("second", "third"), embed)  # type: ignore[arg-type]

    assert calls == [2, 1]


def test_the_end_of_a_long_speech_counts(model: Embeddings) -> None:
    opening = "We looked at the load of the cluster in every week of the year. " * 40
    [(_, _, score)] = model.scores((opening + "So we keep it. " * 120, opening + "Dogs like long walks. " * 120))

    assert score < 0.95
