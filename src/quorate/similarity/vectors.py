"""What backends that make vectors share: a cache, and how alike vectors are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quorate.similarity.backend import ALL_UP_TO, FLOOR, Score, round_score

__all__ = ["KEPT", "VectorCache", "likeness"]

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
