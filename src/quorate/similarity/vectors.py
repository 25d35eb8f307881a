"""Vectors of texts: a cache of them, how alike they are, and an OpenAI-compatible /embeddings endpoint for them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from quorate.frozen import dataclass
from quorate.similarity.backend import ALL_UP_TO, FLOOR, Score, round_score

__all__ = ["KEPT", "EmbeddingEndpoint", "VectorCache", "likeness"]

KEPT: Final = 5_000


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Vectors by text; a conference compares the same texts round after round."""

    kept: dict[str, Any] = field(default_factory=dict)

    def vectors(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Sequence[Any]]) -> list[Any]:
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        made = dict(zip(new, embed(new), strict=True)) if new else {}
        found = [made[text] if text in made else self.kept[text] for text in texts]
        if len(self.kept) + len(made) > KEPT:
            self.kept.clear()
        self.kept.update(made)
        return found


def likeness(vectors: Sequence[Any]) -> Iterator[Score]:
    """The cosine of every pair of unit vectors, taken in double precision so that company does not matter."""
    import numpy as np  # noqa: PLC0415 - an extra

    if not vectors:
        return
    rows = np.array(vectors, dtype=np.float64)
    cosines = rows @ rows.T
    few = len(vectors) <= ALL_UP_TO
    chosen = np.triu(cosines >= (-2 if few else float(FLOOR)), 1)
    for i, j in np.argwhere(chosen):
        yield int(i), int(j), round_score(float(cosines[i, j]))


AT_ONCE: Final = 128
LARGEST: Final = 64 * 2**20
"""Bytes of a reply that are read; more is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingEndpoint:
    """Where to ask, for which model, with which key. No redirect is followed: the key stays where it was sent."""

    address: str
    model: str
    key: str = field(default="", repr=False)
    patience: float = 30.0
    cache: VectorCache = field(default_factory=VectorCache, repr=False)

    @property
    def name(self) -> str:
        return f"endpoint {self.model} ({urlsplit(self.address).hostname})"

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        return likeness(self.cache.vectors(texts, self.embed))

    def embed(self, texts: Sequence[str]) -> list[Any]:
        """A vector of length 1 for each text.

        Raises:
            OSError: the endpoint does not answer.
            ValueError: it answers something else.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        found: list[Any] = []
        for start in range(0, len(texts), AT_ONCE):
            found += self._asked(texts[start : start + AT_ONCE])
        rows = np.array(found, dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if rows.ndim != 2 or not np.isfinite(rows).all() or not lengths.all():  # noqa: PLR2004 - texts by numbers
            raise ValueError("the endpoint's vectors are no vectors")
        return list(rows / lengths)

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"})
        try:
            told = json.loads(self._post(body))
            items = sorted(told["data"], key=lambda item: item["index"])
            vectors = [[float(number) for number in item["embedding"]] for item in items]
        except (KeyError, TypeError, OverflowError, RecursionError) as wrong:
            raise ValueError("the endpoint's reply holds no embeddings") from wrong
        if len(vectors) != len(texts):
            raise ValueError(f"the endpoint gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def _post(self, body: str) -> bytes:
        place = urlsplit(self.address)
        if place.scheme not in {"http", "https"} or not place.hostname:
            raise ValueError(f"{self.address!r} is no address; it begins with http:// or https://")
        connect = HTTPSConnection if place.scheme == "https" else HTTPConnection
        connection = connect(place.hostname, place.port, timeout=self.patience)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            connection.request("POST", f"{place.path.rstrip('/')}/embeddings", body.encode(), headers)
            reply = connection.getresponse()
            told = reply.read(LARGEST + 1)
        except HTTPException as wrong:
            raise OSError(f"the endpoint broke off: {type(wrong).__name__}") from wrong
        finally:
            connection.close()
        if reply.status != 200 or len(told) > LARGEST:  # noqa: PLR2004 - HTTP's word for well
            raise OSError(f"the endpoint answered {reply.status}")
        return told
