"""How fast quorate is: `python -m benchmarks` prints a table, writes it as JSON, and fails if a bound is broken."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.disk import disk, load
from benchmarks.graphs import graphs
from benchmarks.server import serving
from benchmarks.speed import Sizes, speed
from benchmarks.startup import startup
from benchmarks.table import Row, document, failed, table
from benchmarks.waiting import waiting
from benchmarks.wrappers import wrappers

__all__ = ["main", "report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much to measure."""

    sizes: Sizes
    syncs: int
    seeds: int
    starts: int


FULL: Final = Plan(sizes=Sizes(runs=20, crowds=5, crowd=200), syncs=50, seeds=200, starts=7)
QUICK: Final = Plan(sizes=Sizes(runs=2, crowds=1, crowd=4), syncs=5, seeds=10, starts=1)


def main(given: Sequence[str] | None = None) -> int:
    """Measure as asked."""
    asked = _arguments(given)
    plan = QUICK if asked.quick else FULL
    return report(measured(plan, asked.disk), asked.json, plan.sizes.runs)


def measured(plan: Plan, where: Path) -> Sequence[Row]:
    """Every row there is. The ledger lies in a folder of its own on the disk of `where`."""
    with TemporaryDirectory(prefix=".bench-", dir=where) as made:
        folder = Path(made)
        with serving() as url:
            beside = (*asyncio.run(speed(url, folder, plan.sizes)), *graphs(url, folder, plan.sizes.runs))
            around_it = asyncio.run(wrappers(url, plan.sizes.crowd * 3 // 2, plan.sizes.crowds))
        around = (load(), *disk(folder, plan.syncs))
        return (*around, *beside, *around_it, *waiting(plan.seeds), *startup(folder, plan.starts))


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
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
