"""Sentence-transformers, if the user has it: the same model by the library it was made with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

from quorate.similarity.backend import Score
from quorate.similarity.vectors import Cache, likeness

__all__ = ["Transformers", "transformers"]

MODEL: Final = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class Transformers:
    """A loaded model, and the vectors it has already made."""

    name: str
    model: Any
    cache: Cache = field(default_factory=Cache)

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        return likeness(self.cache.vectors(texts, self.embed))

    def embed(self, texts: Sequence[str]) -> list[Any]:
        return list(self.model.encode(list(texts), normalize_embeddings=True))


def transformers() -> Transformers:
    """The backend, if the library is there and has the model; nothing is downloaded.

    Raises:
        ImportError: the library is missing.
        OSError: the model is.
    """
    model = import_module("sentence_transformers").SentenceTransformer(MODEL, local_files_only=True)
    return Transformers(f"embeddings {MODEL} (sentence-transformers {version('sentence-transformers')})", model)
