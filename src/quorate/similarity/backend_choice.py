"""Which backend compares texts: chosen at start by name, or the best there is; one that fails gives way to the next."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from quorate.errors import BadSetting, UnknownName
from quorate.frozen import dataclass
from quorate.similarity.backend import Backend, Score

__all__ = ["NAMES", "TextScores", "choose", "score_texts"]

ORDER: Final = ("embeddings", "tfidf", "overlap")
NAMES: Final = ("auto", *ORDER)
_MAKERS: Final = {
    "embeddings": ("embeddings", "embeddings"),
    "tfidf": ("tfidf", "tfidf"),
    "overlap": ("word_overlap", "WordOverlap"),
}
_INSTALL: Final = "pip install 'quorate[embeddings]'"
_FAILURES: Final = (ImportError, OSError, ValueError, MemoryError, RuntimeError)


@dataclass(frozen=True, slots=True)
class TextScores:
    """Scores, the backend that gave them, and why it was not the one chosen, if it was not."""

    scores: tuple[Score, ...]
    by: str
    why: str = ""


def choose(wanted: str = "auto", folder: Path | None = None) -> Backend:
    """The backend of that name, or the best that is installed; `folder` is where weights may have been fetched to.

    Raises:
        UnknownName: there is no such backend.
        BadSetting: it is not installed; the message says how to.
    """
    if wanted not in NAMES:
        raise UnknownName("similarity backend", wanted, NAMES)
    if wanted == "auto":
        return next(_there(ORDER, folder))
    try:
        return _make(wanted, folder)
    except _FAILURES as wrong:
        raise BadSetting(f"the similarity backend {wanted!r} is not there ({wrong}); {_INSTALL}") from None


def score_texts(texts: Sequence[str], backend: Backend) -> TextScores:
    """Score texts; should the backend fail, the next in order does it and the reason is told."""
    try:
        return TextScores(tuple(backend.scores(texts)), backend.name)
    except _FAILURES as wrong:
        why = f"{backend.name} failed ({type(wrong).__name__}: {wrong})"
    kind = backend.name.partition(" ")[0]
    rest = ORDER[ORDER.index(kind) + 1 :] if kind in ORDER else ORDER[1:]
    for other in _there(rest):
        with suppress(*_FAILURES):
            return TextScores(tuple(other.scores(texts)), other.name, why)
    return TextScores((), "", why)


def _there(names: Sequence[str], folder: Path | None = None) -> Iterator[Backend]:
    """Those of the names that are installed."""
    for name in names:
        with suppress(*_FAILURES):
            yield _make(name, folder)


@cache
def _make(name: str, folder: Path | None) -> Backend:
    """Made once: weights take a while to load, and a backend remembers the texts it has seen."""
    file, maker = _MAKERS[name]
    make = cast("Callable[..., Backend]", getattr(import_module(f"quorate.similarity.{file}"), maker))
    return make(folder) if name == "embeddings" else make()
