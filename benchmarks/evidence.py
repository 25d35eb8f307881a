"""How fast sources are read and searched: python -m benchmarks.evidence [--documents N] [--queries N].

The documents are made up from a vocabulary whose words are as unevenly frequent as those of a language.
"""

import sys
from argparse import ArgumentParser
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from benchmarks.table import Row, failed, table
from quorate.evidence.index import Index

DOCUMENTS: Final = 20_000
BYTES: Final = 4_096
QUERIES: Final = 1_000
INDEXING: Final = 60.0
SEARCHING: Final = 50.0
FOUND: Final = 50
VOCABULARY: Final = 60_000


class Language:
    """Made-up words, the commonest as often as `the`; the same seed speaks the same."""

    def __init__(self, seed: int, size: int = VOCABULARY) -> None:
        self._chance = Random(seed)
        signs = ("ba", "ce", "di", "fo", "gu", "ha", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "xu", "zy")
        made = (
            "".join(self._chance.choice(signs) for _ in range(self._chance.randrange(1, 6))) for _ in range(size * 3)
        )
        self._words = tuple(dict.fromkeys(made))[:size]
        self._weights = tuple(accumulate(1 / place for place in range(1, len(self._words) + 1)))

    def words(self, count: int) -> list[str]:
        """Words as they come in running text."""
        total = self._weights[-1]
        return [self._words[bisect(self._weights, self._chance.random() * total)] for _ in range(count)]

    def text(self, size: int) -> str:
        """A text of about so many bytes, in sentences."""
        pieces: list[str] = []
        left = int(size * self._chance.uniform(0.5, 1.5))
        while left > 0:
            sentence = " ".join(self.words(self._chance.randrange(6, 18))).capitalize()
            pieces.append(sentence)
            left -= len(sentence) + 2
        return ". ".join(pieces) + "."

    def query(self) -> str:
        """Two to six words: some of them common, as people write."""
        return " ".join(self.words(self._chance.randrange(2, 7)))


def written(folder: Path, count: int, language: Language) -> int:
    """Write documents into a folder, a hundred in each below it, and tell how many bytes they have."""
    size = 0
    for number in range(count):
        if number % 100 == 0:
            (folder / f"{number // 100:04}").mkdir(parents=True)
        text = f"# {' '.join(language.words(5))}\n\n{language.text(BYTES)}\n"
        size += (folder / f"{number // 100:04}" / f"{number:06}.md").write_text(text, encoding="utf-8")
    return size


def searched(index: Index, queries: Sequence[str]) -> list[float]:
    """Milliseconds for each query, in order of size."""
    times: list[float] = []
    for query in queries:
        begun = perf_counter()
        index.search(query, FOUND)
        times.append((perf_counter() - begun) * 1_000)
    return sorted(times)


def measured(folder: Path, documents: int, queries: int, seed: int) -> Iterator[Row]:
    """Read a library, look at it again, search it."""
    language = Language(seed)
    size = written(folder / "library", documents, language)
    yield Row(name=f"{documents} documents", measured=size / max(documents, 1) / 1024, unit="KB each")
    index = Index(folder / "index.db")
    for name, bound in (("read and indexed", INDEXING), ("looked at again, unchanged", None)):
        begun = perf_counter()
        index.refresh((folder / "library",))
        yield Row(name=name, measured=perf_counter() - begun, unit="s", bound=bound)
    asked = tuple(dict.fromkeys(language.query() for _ in range(queries * 2)))[:queries]
    times = searched(index, asked)
    for name, share, limit in (("median", 0.5, None), ("99 of 100", 0.99, SEARCHING), ("slowest", 1.0, None)):
        place = min(int(len(times) * share), len(times) - 1)
        yield Row(name=f"search of {len(asked)}, {name}", measured=times[place], unit="ms", bound=limit)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a bound is broken."""
    parser = ArgumentParser(prog="benchmarks.evidence", description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args(words)
    with TemporaryDirectory(prefix="quorate-bench-") as folder:
        rows = tuple(measured(Path(folder), wish.documents, wish.queries, wish.seed))
    print(table(rows))
    return int(failed(rows))


if __name__ == "__main__":
    sys.exit(main())
