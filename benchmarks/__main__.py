"""How fast quorate is: `python -m benchmarks` prints a table, writes it as JSON, and fails if a bound is broken.

`--only tribunal,startup` measures those groups alone; `--write-docs` puts the tables of the last run into the docs.
"""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.disk import disk, load
from benchmarks.graphs import graphs
from benchmarks.growth import GrowthSizes, deliberations, growth, verification
from benchmarks.hostile import hostile
from benchmarks.rules import verdicts
from benchmarks.server import serving
from benchmarks.speed import Sizes, conference, crowd, tribunal
from benchmarks.startup import startup
from benchmarks.table import Row, document, failed, table, write_docs
from benchmarks.waiting import waiting
from benchmarks.wrappers import wrappers
from quorate.catalogue import names

__all__ = ["GROUPS", "main", "report"]

DOCS: Final = Path(__file__).parents[1] / "docs" / "explanation" / "speed.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much to measure."""

    sizes: Sizes
    growth: GrowthSizes
    syncs: int
    seeds: int
    starts: int
    verdicts: int
    forms: tuple[str, ...]


FULL: Final = Plan(
    sizes=Sizes(runs=40, crowds=9, crowd=200),
    growth=GrowthSizes(seats=(3, 7, 15, 31, 51), rounds=(2, 5, 10, 20), deliberations=10_000, verified=71, runs=3),
    syncs=50,
    seeds=200,
    starts=7,
    verdicts=5000,
    forms=names("form"),
)
QUICK: Final = Plan(
    sizes=Sizes(runs=2, crowds=1, crowd=4),
    growth=GrowthSizes(seats=(3, 4), rounds=(2, 3), deliberations=20, verified=3, runs=1),
    syncs=5,
    seeds=10,
    starts=1,
    verdicts=20,
    forms=("decision",),
)


@dataclass(slots=True)
class Bench:
    """Where it is measured, and how much; the mock provider runs once somebody wants it."""

    folder: Path
    plan: Plan
    open_: ExitStack
    _url: str = field(default="", init=False)

    @property
    def url(self) -> str:
        self._url = self._url or self.open_.enter_context(serving())
        return self._url

    @property
    def sizes(self) -> Sizes:
        return self.plan.sizes

    def wrappers(self) -> Sequence[Row]:
        return asyncio.run(wrappers(self.url, self.sizes.crowd * 3 // 2, self.sizes.crowds))


GROUPS: Final[Mapping[str, Callable[[Bench], Sequence[Row]]]] = {
    "machine": lambda bench: (load(), *disk(bench.folder, bench.plan.syncs)),
    "tribunal": lambda bench: tribunal(bench.url, bench.folder, bench.sizes),
    "conference": lambda bench: conference(bench.url, bench.folder, bench.sizes),
    "crowd": lambda bench: crowd(bench.url, bench.folder, bench.sizes),
    "wrappers": Bench.wrappers,
    "graph": lambda bench: graphs(bench.url, bench.folder, bench.sizes.runs),
    "rules": lambda bench: verdicts(bench.plan.verdicts, bench.sizes.crowds),
    "hostile": lambda bench: hostile(bench.plan.forms, bench.plan.growth.runs),
    "waiting": lambda bench: waiting(bench.plan.seeds),
    "startup": lambda bench: startup(bench.folder, bench.plan.starts),
    "growth": lambda bench: growth(bench.folder, bench.plan.growth),
    "verify": lambda bench: verification(bench.folder, bench.plan.growth.verified, bench.plan.growth.runs),
    "many": lambda bench: deliberations(bench.folder, bench.plan.growth.deliberations),
}
"""What can be measured, by name, the quick ones first."""


def main(given: Sequence[str] | None = None) -> int:
    """Measure as asked."""
    asked = _arguments(given)
    if asked.write_docs:
        beside = write_docs(asked.peers, asked.docs, " of peers") if asked.peers.exists() else 0
        return write_docs(asked.json, asked.docs) or beside
    plan = QUICK if asked.quick else FULL
    return report(measured(plan, asked.disk, asked.only), asked.json, plan.sizes.runs)


def measured(plan: Plan, where: Path, only: Sequence[str] = tuple(GROUPS)) -> Sequence[Row]:
    """The rows of these groups. The ledger lies in a folder of its own on the disk of `where`."""
    with TemporaryDirectory(prefix=".bench-", dir=where) as made, ExitStack() as open_:
        bench = Bench(Path(made).absolute(), plan, open_)
        return tuple(row for name in dict.fromkeys(("machine", *only)) for row in GROUPS[name](bench))


def report(rows: Sequence[Row], path: Path, runs: int) -> int:
    """Print, keep, and say whether every bound holds."""
    print(table(rows))
    path.write_text(document(rows, runs=runs), encoding="utf-8")
    print(f"\n{'A bound is broken' if failed(rows) else 'Every bound holds'}. Written to {path}.")
    return int(failed(rows))


def _arguments(given: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks", description="Measure quorate beside a bare loop.")
    parser.add_argument("--json", type=Path, default=Path("bench.json"), metavar="FILE", help="where to keep the table")
    parser.add_argument("--disk", type=Path, default=Path(), metavar="FOLDER", help="whose disk the ledger lies on")
    parser.add_argument("--quick", action="store_true", help="a few runs only: the figures mean little")
    parser.add_argument(
        "--only", type=_groups, default=tuple(GROUPS), metavar="NAMES", help=f"some of {', '.join(GROUPS)}"
    )
    parser.add_argument("--write-docs", action="store_true", help="measure nothing; put the kept tables into the docs")
    parser.add_argument("--peers", type=Path, default=Path("bench-peers.json"), metavar="FILE", help="theirs, if kept")
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="FILE", help="the page with the tables")
    return parser.parse_args(given)


def _groups(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in GROUPS:
            raise ValueError(f"no group {name!r}; there are {', '.join(GROUPS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
