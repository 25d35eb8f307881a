"""What a hundred thousand deliberations an hour would take, reckoned from what was measured on one machine.

`python -m benchmarks.scale_model` prints the table of the page about scale. `--measured FILE` takes other figures, as
`python -m benchmarks.workers -o FILE` writes them; `--an-hour N` reckons for another number.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Final

__all__ = ["Assumptions", "Measured", "main", "rows"]

HERE: Final = Path(__file__).with_name("scale_measured.json")
HOUR: Final = 3600
BUSY: Final = 0.6
"""The part of a core that is reckoned with: above it, waiting grows faster than work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Of one deliberation: a tribunal of three seats, no repairs. CPU in milliseconds."""

    calls: int
    events: float
    worker_cpu: float
    database_cpu: float
    bytes_each: float
    commits: float
    connections: float
    """Of one worker."""

    @classmethod
    def of(cls, figures: Sequence[dict[str, Any]], calls: int = 12) -> "Measured":
        """From runs with workers; the cheapest of them, for what else runs on the machine only makes it dearer."""
        runs = [one for one in figures if one["connections"]]
        best = min(runs, key=lambda one: float(one["worker_cpu"]) / one["deliberations"])
        alone = next(one for one in runs if one["name"] == "1 worker")
        number = best["deliberations"]
        return cls(
            calls=calls,
            events=best["events"] / number,
            worker_cpu=best["worker_cpu"] / number,
            database_cpu=best["database_cpu"] / number,
            bytes_each=best["bytes_each"],
            commits=best["commits"] / number,
            connections=alone["connections"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What nobody measured here."""

    an_hour: int = 100_000
    reply: float = 5.0
    """Seconds that a model takes to answer."""
    rounds: int = 4
    """Calls that wait for each other: analysis, challenge, revision, and what is between them."""
    tokens: int = 1500
    """Of one call, asked and answered."""
    at_once: int = 64
    """Deliberations of one worker, and of their calls: `--at-once` and the setting `concurrency` as they come."""


def rows(measured: Measured, assumed: Assumptions) -> Iterator[tuple[str, str]]:
    """Each figure with its unit."""
    second = assumed.an_hour / HOUR
    lasts = assumed.rounds * assumed.reply
    held = second * lasts
    cores = second * measured.worker_cpu / 1000 / BUSY
    calls = second * measured.calls
    workers = ceil(max(held / assumed.at_once, calls * assumed.reply / assumed.at_once, cores))
    yield "deliberations", f"{second:.1f} a second"
    yield "a deliberation lasts", f"{lasts:.0f} s"
    yield "under way at once", f"{held:,.0f}"
    yield "calls to models", f"{calls:,.0f} a second, {calls * 60:,.0f} a minute"
    yield "calls under way at once", f"{calls * assumed.reply:,.0f}"
    yield "tokens", f"{calls * 60 * assumed.tokens / 1e6:,.1f} million a minute"
    yield "cores for workers", f"{cores:.1f} at {BUSY:.0%} load"
    yield "workers", f"{workers}, each with {assumed.at_once} deliberations and {assumed.at_once} calls at once"
    yield "cores for PostgreSQL", f"{second * measured.database_cpu / 1000 / BUSY:.1f} at {BUSY:.0%} load"
    yield "events", f"{second * measured.events:,.0f} a second"
    yield "commits", f"{second * measured.commits:,.0f} a second"
    yield "written to the ledger", f"{second * measured.bytes_each / 1e6:.1f} MB a second"
    yield "ledger after a day", f"{assumed.an_hour * 24 * measured.bytes_each / 1e9:,.0f} GB"
    yield "connections", f"{workers * measured.connections:,.0f}"


def main(words: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(description=__doc__, prog="python -m benchmarks.scale_model")
    parser.add_argument("--measured", type=Path, default=HERE)
    parser.add_argument("--an-hour", type=int, default=Assumptions().an_hour)
    parser.add_argument("--reply", type=float, default=Assumptions().reply, help="seconds that a model takes")
    wish = parser.parse_args(words)
    measured = Measured.of(json.loads(wish.measured.read_text(encoding="utf-8")))
    assumed = Assumptions(an_hour=wish.an_hour, reply=wish.reply)
    for name, value in rows(measured, assumed):
        print(f"| {name} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
