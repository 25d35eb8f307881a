"""Every backend, for tests that hold on all of them."""

import pytest

BACKENDS = ("overlap", "tfidf", "embeddings")

on_every_backend = pytest.mark.parametrize("name", BACKENDS)
